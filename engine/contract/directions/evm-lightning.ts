import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import type { TokenAmount } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { commonRecord, evmSourceRecord } from '../records/parts.ts';
import { payee, payeeFields, type Payee } from '../requests/common.ts';
import { createFromEvm, fromEvmFields, type CreateFromEvm } from '../requests/from-evm.ts';
import { costs, moreOutside, route } from '../routes/route.ts';
import { satsField, unitsField } from '../scalars.ts';
import { flag, hex0x, sats, unixTime, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/evm/lightning. */
export interface CreateEvmLightning extends CreateFromEvm {
  readonly payee: Payee<TokenAmount>;
}

const createEvmLightning = request(
  {
    ...fromEvmFields,
    ...payeeFields,
    amount_in: optional(unitsField('amount_in', 'the source amount')),
    target_amount_sats: optional(satsField('target_amount_sats', 'the amount the recipient receives')),
  },
  (wire) => {
    const source = createFromEvm(wire);
    if (isRefusal(source)) return source;
    const to = payee('amount_in', { ...wire, source: wire.amount_in });
    if (isRefusal(to)) return to;
    const created: CreateEvmLightning = {
      ...source,
      payee: to,
    };
    return created;
  },
);

/** Record of EVM to Lightning. `lightning_payment_settled` alone says that the recipient was paid. */
export const evmLightningRecord = z
  .object({
    ...commonRecord,
    ...evmSourceRecord,
    client_lightning_invoice: words('Invoice that the service pays'),
    hash_lock: hex0x(32, 'Payment hash of the invoice'),
    invoice_expires_at: unixTime('When the invoice can no longer be paid'),
    lightning_payment_settled: flag('Whether the invoice was paid'),
    network_fee_sats: sats('Quoted Lightning fee and gas of the claim'),
  })
  .meta({ id: 'EvmLightningRecord', description: 'A swap from an EVM token to Lightning' });

export type EvmLightningRecord = z.infer<typeof evmLightningRecord>;

export const evmLightning = directionContract({
  operation: 'createEvmLightning',
  route: route('POST', '/swap/evm/lightning', {
    summary: 'Create a swap from an EVM token to Lightning',
    body: createEvmLightning,
    reply: evmLightningRecord,
    refusals: [400, 401, 409, 500, 503],
    more: ({ body }) => moreOutside(body.payee.is !== 'invoice', costs.create),
  }),
  keys: () => ({}),
  hashOf: 'invoice',
});
