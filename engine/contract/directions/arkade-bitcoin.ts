import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import type { Sha256 } from '../../domain/hash.ts';
import { request } from '../field.ts';
import { bitcoinTargetRecord, commonRecord, vhtlcRecord } from '../records/parts.ts';
import { createToBitcoin, toBitcoinFields, type CreateToBitcoin } from '../requests/to-bitcoin.ts';
import { route } from '../routes/route.ts';
import { keyField, scriptVersionField, sha256Field, type ClientKey } from '../scalars.ts';
import { hex0x, sats, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/arkade/bitcoin, an extension of the published contract. */
export interface CreateArkadeBitcoin extends CreateToBitcoin {
  /** Sender of the VHTLC, who alone can refund it. */
  readonly refundKey: ClientKey;
  /** SHA-256 of the client's secret: its RIPEMD-160 locks the VHTLC and the HTLC. */
  readonly hash: Sha256;
}

const createArkadeBitcoin = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    refund_pk: keyField('refund_pk', "the user's refund key of the Arkade VHTLC"),
    ...toBitcoinFields,
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
  },
  (wire) => {
    const target = createToBitcoin(wire);
    if (isRefusal(target)) return target;
    const created: CreateArkadeBitcoin = { ...target, refundKey: wire.refund_pk, hash: wire.hash_lock };
    return created;
  },
);

/** What a client of arkade-bitcoin checks before it funds, and claims and refunds from. */
export const arkadeBitcoinRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    arkade_vhtlc_address: words('VHTLC that the user funds'),
    ...bitcoinTargetRecord,
    hash_lock: hex0x(32, "SHA-256 of the client's secret"),
    network_fee_sats: sats('Flat network fee'),
  })
  .meta({ id: 'ArkadeBitcoinRecord', description: 'A swap from Arkade to Bitcoin' });
export type ArkadeBitcoinRecord = z.infer<typeof arkadeBitcoinRecord>;

export const arkadeBitcoin = directionContract({
  operation: 'createArkadeBitcoin',
  route: route('POST', '/swap/arkade/bitcoin', {
    summary: 'Create a swap from Arkade to Bitcoin',
    body: createArkadeBitcoin,
    reply: arkadeBitcoinRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: (request) => ({ claim_pk: request.claimKey, refund_pk: request.refundKey }),
  hashOf: 'preimage',
});
