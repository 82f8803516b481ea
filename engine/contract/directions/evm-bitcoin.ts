import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Sats, TokenAmount } from '../../domain/money.ts';
import { optional, request } from '../field.ts';
import { commonRecord, evmSourceRecord } from '../records/parts.ts';
import { bitcoinAddress, pin, type Pinned } from '../requests/common.ts';
import { createFromEvm, fromEvmFields, type CreateFromEvm } from '../requests/from-evm.ts';
import { route } from '../routes/route.ts';
import { keyField, satsField, scriptVersionField, sha256Field, unitsField, type ClientKey } from '../scalars.ts';
import { count, hex, hex0x, unixTime, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/evm/bitcoin. */
export interface CreateEvmBitcoin extends CreateFromEvm {
  /** Claims the Taproot HTLC by its x coordinate. */
  readonly claimKey: ClientKey;
  readonly hash: Sha256;
  readonly amount: Pinned<TokenAmount, Sats>;
  readonly targetAddress: string | null;
}

const createEvmBitcoin = request(
  {
    btc_htlc_script_version: scriptVersionField('btc_htlc_script_version'),
    claim_pk: keyField('claim_pk', "the user's Bitcoin key that claims the Taproot HTLC"),
    hash_lock: sha256Field('hash_lock', "SHA-256 of the client's secret"),
    amount_in: optional(unitsField('amount_in', 'the source amount')),
    amount_out: optional(satsField('amount_out', 'the bitcoin to receive')),
    target_address: optional(bitcoinAddress('target_address')),
    ...fromEvmFields,
  },
  (wire) => {
    const source = createFromEvm(wire);
    if (isRefusal(source)) return source;
    const amount = pin(['amount_in', 'amount_out'], wire.amount_in, wire.amount_out);
    if (isRefusal(amount)) return amount;
    const created: CreateEvmBitcoin = {
      ...source,
      claimKey: wire.claim_pk,
      hash: wire.hash_lock,
      amount,
      targetAddress: wire.target_address ?? null,
    };
    return created;
  },
);

/** Record of EVM to Bitcoin. `btc_hash_lock` is bare hex: a prefix breaks published clients. */
export const evmBitcoinRecord = z
  .object({
    ...commonRecord,
    ...evmSourceRecord,
    btc_hash_lock: hex(20, 'RIPEMD-160 of the EVM hash lock'),
    evm_hash_lock: hex0x(32, "SHA-256 of the client's secret"),
    btc_htlc_address: words('Taproot HTLC that the service funds'),
    btc_htlc_script_version: count('Version of the Taproot HTLC script'),
    btc_refund_locktime: unixTime('When the service can refund'),
    btc_server_refund_pk: hex(32, "The service's x-only refund key"),
    btc_user_claim_pk: hex(32, "The user's x-only claim key"),
    btc_claim_txid: words('Transaction that claimed the bitcoin').optional(),
    btc_fund_txid: words('Transaction that funded the HTLC').optional(),
    btc_fund_vout: count('Output of that transaction').optional(),
    target_btc_address: words("The user's Bitcoin address").optional(),
  })
  .meta({ id: 'EvmBitcoinRecord', description: 'A swap from an EVM token to Bitcoin' });

export const evmBitcoin = directionContract({
  operation: 'createEvmBitcoin',
  route: route('POST', '/swap/evm/bitcoin', {
    summary: 'Create a swap from an EVM token to Bitcoin',
    body: createEvmBitcoin,
    reply: evmBitcoinRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: (request) => ({ claim_pk: request.claimKey }),
  hashOf: 'preimage',
});
