import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import type { Sha256 } from '../../domain/hash.ts';
import { optional, request } from '../field.ts';
import { commonRecord, vhtlcRecord } from '../records/parts.ts';
import { arkadeAddress, common, commonFields, pin, type CreateCommon, type PinnedSats } from '../requests/common.ts';
import { route } from '../routes/route.ts';
import { keyField, satsField, scriptVersionField, sha256Field, type ClientKey } from '../scalars.ts';
import { descriptionField } from '../description.ts';
import { hex0x, sats, unixTime, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/lightning/arkade. */
export interface CreateLightningArkade extends CreateCommon {
  /** Receiver of the VHTLC. A key that the client does not hold could never claim. */
  readonly claimKey: ClientKey;
  /** SHA-256 of the client's secret: payment hash of the hold invoice, and by RIPEMD-160 the VHTLC's hash. */
  readonly hash: Sha256;
  /** Null where its client takes the lock by its key, and names no address. */
  readonly targetAddress: string | null;
  readonly amount: PinnedSats;
  /** Text of the hold invoice, at most 639 UTF-8 bytes. */
  readonly description: string | null;
}

const createLightningArkade = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    claim_pk: keyField('claim_pk', "the user's claim key"),
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
    target_arkade_address: arkadeAddress('target_arkade_address'),
    source_amount_sats: optional(satsField('source_amount_sats', 'the amount sent over Lightning')),
    target_amount_sats: optional(satsField('target_amount_sats', 'the amount received on Arkade')),
    invoice_description: optional(descriptionField('invoice_description')),
    ...commonFields,
  },
  (wire) => {
    const amount = pin(['source_amount_sats', 'target_amount_sats'], wire.source_amount_sats, wire.target_amount_sats);
    if (isRefusal(amount)) return amount;
    const created: CreateLightningArkade = {
      ...common(wire),
      claimKey: wire.claim_pk,
      hash: wire.hash_lock,
      targetAddress: wire.target_arkade_address,
      amount,
      description: wire.invoice_description ?? null,
    };
    return created;
  },
);

/** What a client of lightning-arkade checks before it pays, and claims from (facts/clients.md 19). */
export const lightningArkadeRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    arkade_vhtlc_address: words('VHTLC that the service funds'),
    bolt11_invoice: words('Hold invoice that the user pays'),
    hash_lock: hex0x(32, "SHA-256 of the client's secret"),
    invoice_expires_at: unixTime('When the invoice can no longer be paid'),
    network_fee_sats: sats('Flat network fee'),
    target_arkade_address: words("The user's Arkade address, where it named one").optional(),
  })
  .meta({ id: 'LightningArkadeRecord', description: 'A swap from Lightning to Arkade' });
export type LightningArkadeRecord = z.infer<typeof lightningArkadeRecord>;

export const lightningArkade = directionContract({
  operation: 'createLightningArkade',
  route: route('POST', '/swap/lightning/arkade', {
    summary: 'Create a swap from Lightning to Arkade',
    body: createLightningArkade,
    reply: lightningArkadeRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: (request) => ({ claim_pk: request.claimKey }),
  hashOf: 'preimage',
});
