import { z } from 'zod';
import type { Hash160 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import { request } from '../field.ts';
import { commonRecord, vhtlcRecord } from '../records/parts.ts';
import { arkadeAddress, common, commonFields, type CreateCommon } from '../requests/common.ts';
import { route } from '../routes/route.ts';
import { hash160Field, keyField, satsField, scriptVersionField, type ClientKey } from '../scalars.ts';
import { count, hex, publicKey, sats, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/bitcoin/arkade. */
export interface CreateBitcoinArkade extends CreateCommon {
  readonly claimKey: ClientKey;
  /** Refunds the on-chain HTLC. */
  readonly refundKey: ClientKey;
  /** HASH160 of the secret, for both legs. */
  readonly hash: Hash160;
  /** What the user receives on Arkade. */
  readonly receive: Sats;
  /** Null where another door opens the swap, whose clients name none. */
  readonly targetAddress: string | null;
}

const createBitcoinArkade = request(
  {
    arkade_htlc_script_version: scriptVersionField('arkade_htlc_script_version'),
    btc_htlc_script_version: scriptVersionField('btc_htlc_script_version'),
    claim_pk: keyField('claim_pk', "the user's claim key for the Arkade VHTLC"),
    hash_lock: hash160Field('hash_lock', "RIPEMD-160 of SHA-256 of the client's secret (20 bytes)"),
    refund_pk: keyField('refund_pk', "the user's refund key for the on-chain HTLC"),
    sats_receive: satsField('sats_receive', 'the amount the user wants on Arkade'),
    target_arkade_address: arkadeAddress('target_arkade_address'),
    ...commonFields,
  },
  (wire) => {
    const created: CreateBitcoinArkade = {
      ...common(wire),
      claimKey: wire.claim_pk,
      refundKey: wire.refund_pk,
      hash: wire.hash_lock,
      receive: wire.sats_receive,
      targetAddress: wire.target_arkade_address,
    };
    return created;
  },
);

/**
 * Record of on-chain Bitcoin to Arkade (facts/clients.md 20). `hash_lock` echoes the 20 bytes of the request, and
 * `btc_htlc_witness_script` lets the user refund without this node.
 */
export const bitcoinArkadeRecord = z
  .object({
    ...commonRecord,
    ...vhtlcRecord,
    arkade_vhtlc_address: words('VHTLC that the service funds'),
    btc_htlc_address: words('On-chain HTLC that the user funds'),
    btc_htlc_script_version: count('Version of the on-chain HTLC script'),
    btc_funding_confirmations: count(
      "Confirmations of the user's coin before the service acts; 1 where a service does not say it",
    ).optional(),
    btc_htlc_witness_script: words('Script behind btc_htlc_address, hex').optional(),
    btc_refund_locktime: count(
      'When the user can refund on chain, unix seconds; a block height where btc_htlc_script_version is 2',
    ),
    btc_server_claim_pk: publicKey("The service's claim key, the first of the aggregate; version 2 alone").optional(),
    btc_user_refund_pk: publicKey("The user's refund key, the second of the aggregate; version 2 alone").optional(),
    hash_lock: hex(20, 'HASH160 of the secret, as it was sent'),
    sats_receive: sats('What the user receives on Arkade'),
    asset_amount: sats('Deprecated, use source_amount'),
    server_vhtlc_pk: publicKey("The service's key"),
    target_arkade_address: words("The user's Arkade address, where it named one").optional(),
    btc_claim_txid: words('Transaction that claimed the bitcoin').optional(),
    btc_fund_txid: words('Transaction that funded the on-chain HTLC').optional(),
  })
  .meta({ id: 'BitcoinArkadeRecord', description: 'A swap from Bitcoin to Arkade' });
export type BitcoinArkadeRecord = z.infer<typeof bitcoinArkadeRecord>;

export const bitcoinArkade = directionContract({
  operation: 'createBitcoinArkade',
  route: route('POST', '/swap/bitcoin/arkade', {
    summary: 'Create a swap from Bitcoin to Arkade',
    body: createBitcoinArkade,
    reply: bitcoinArkadeRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: (request) => ({ claim_pk: request.claimKey, refund_pk: request.refundKey }),
  hashOf: 'preimage',
});
