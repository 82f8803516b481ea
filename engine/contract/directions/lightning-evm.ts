import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import { optional, request } from '../field.ts';
import { commonRecord, evmTargetRecord } from '../records/parts.ts';
import { createToEvm, toEvmFields, type CreateToEvm } from '../requests/to-evm.ts';
import { route } from '../routes/route.ts';
import { descriptionField } from '../description.ts';
import { hex0x, unixTime, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/lightning/evm. */
export interface CreateLightningEvm extends CreateToEvm {
  /** Text of the hold invoice, at most 639 UTF-8 bytes. */
  readonly description: string | null;
}

const createLightningEvm = request(
  { ...toEvmFields, invoice_description: optional(descriptionField('invoice_description')) },
  (wire) => {
    const target = createToEvm(wire);
    if (isRefusal(target)) return target;
    const created: CreateLightningEvm = { ...target, description: wire.invoice_description ?? null };
    return created;
  },
);

/** What a client of lightning-evm pays, and claims from. `fee_sats` holds the network fee (facts/clients.md 22). */
export const lightningEvmRecord = z
  .object({
    ...commonRecord,
    ...evmTargetRecord,
    bolt11_invoice: words('Hold invoice that the user pays'),
    invoice_expires_at: unixTime('When the invoice can no longer be paid').optional(),
    target_evm_address: words('Where the tokens go after the claim').optional(),
    hash_lock: hex0x(32, "SHA-256 of the client's secret"),
  })
  .meta({ id: 'LightningEvmRecord', description: 'A swap from Lightning to an EVM token' });
export type LightningEvmRecord = z.infer<typeof lightningEvmRecord>;

export const lightningEvm = directionContract({
  operation: 'createLightningEvm',
  route: route('POST', '/swap/lightning/evm', {
    summary: 'Create a swap from Lightning to an EVM token',
    body: createLightningEvm,
    reply: lightningEvmRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: () => ({}),
  hashOf: 'preimage',
});
