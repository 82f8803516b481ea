import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import type { Sha256 } from '../../domain/hash.ts';
import { descriptionField } from '../description.ts';
import { optional, request } from '../field.ts';
import { bitcoinTargetRecord, commonRecord } from '../records/parts.ts';
import { createToBitcoin, toBitcoinFields, type CreateToBitcoin } from '../requests/to-bitcoin.ts';
import { route } from '../routes/route.ts';
import { sha256Field } from '../scalars.ts';
import { hex0x, sats, unixTime, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/lightning/bitcoin, an extension of the published contract. */
export interface CreateLightningBitcoin extends CreateToBitcoin {
  /** SHA-256 of the client's secret: payment hash of the hold invoice, and by RIPEMD-160 the HTLC's hash. */
  readonly hash: Sha256;
  /** Text of the hold invoice, at most 639 UTF-8 bytes. */
  readonly description: string | null;
}

const createLightningBitcoin = request(
  {
    ...toBitcoinFields,
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
    invoice_description: optional(descriptionField('invoice_description')),
  },
  (wire) => {
    const target = createToBitcoin(wire);
    if (isRefusal(target)) return target;
    const created: CreateLightningBitcoin = {
      ...target,
      hash: wire.hash_lock,
      description: wire.invoice_description ?? null,
    };
    return created;
  },
);

/** What a client of lightning-bitcoin checks before it pays, and claims from. */
export const lightningBitcoinRecord = z
  .object({
    ...commonRecord,
    ...bitcoinTargetRecord,
    bolt11_invoice: words('Hold invoice that the user pays'),
    hash_lock: hex0x(32, "SHA-256 of the client's secret"),
    invoice_expires_at: unixTime('When the invoice can no longer be paid'),
    network_fee_sats: sats('Flat network fee'),
  })
  .meta({ id: 'LightningBitcoinRecord', description: 'A swap from Lightning to Bitcoin' });
export type LightningBitcoinRecord = z.infer<typeof lightningBitcoinRecord>;

export const lightningBitcoin = directionContract({
  operation: 'createLightningBitcoin',
  route: route('POST', '/swap/lightning/bitcoin', {
    summary: 'Create a swap from Lightning to Bitcoin',
    body: createLightningBitcoin,
    reply: lightningBitcoinRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: (request) => ({ claim_pk: request.claimKey }),
  hashOf: 'preimage',
});
