import { z } from 'zod';
import { isRefusal } from '../../domain/errors.ts';
import { request } from '../field.ts';
import { commonRecord, evmTargetRecord } from '../records/parts.ts';
import { createToEvm, toEvmFields, type CreateToEvm } from '../requests/to-evm.ts';
import { route } from '../routes/route.ts';
import { keyField, scriptVersionField, type ClientKey } from '../scalars.ts';
import { count, hex, hex0x, publicKey, unixTime, words } from '../wire.ts';
import { directionContract } from './direction.ts';

/** POST /swap/bitcoin/evm. */
export interface CreateBitcoinEvm extends CreateToEvm {
  /** Refunds the Taproot HTLC by its x coordinate. */
  readonly refundKey: ClientKey;
}

const createBitcoinEvm = request(
  {
    btc_htlc_script_version: scriptVersionField('btc_htlc_script_version'),
    refund_pk: keyField('refund_pk', "the user's refund key for the on-chain HTLC"),
    ...toEvmFields,
  },
  (wire) => {
    const target = createToEvm(wire);
    if (isRefusal(target)) return target;
    const created: CreateBitcoinEvm = { ...target, refundKey: wire.refund_pk };
    return created;
  },
);

/**
 * Record of on-chain Bitcoin to EVM. `btc_hash_lock` is bare hex: a prefix breaks published clients. There is no
 * `hash_lock` in it (facts/clients.md 48).
 */
export const bitcoinEvmRecord = z
  .object({
    ...commonRecord,
    ...evmTargetRecord,
    btc_hash_lock: hex(20, 'RIPEMD-160 of the EVM hash lock'),
    evm_hash_lock: hex0x(32, "SHA-256 of the client's secret"),
    btc_htlc_address: words('Taproot HTLC that the user funds'),
    btc_htlc_script_version: count('Version of the Taproot HTLC script'),
    btc_funding_confirmations: count(
      "Confirmations of the user's coin before the service acts; 1 where a service does not say it",
    ).optional(),
    btc_refund_locktime: unixTime('When the user can refund on chain'),
    btc_server_pk: publicKey("The service's key that claims the HTLC"),
    btc_claim_txid: words('Transaction that claimed the bitcoin').optional(),
    btc_fund_txid: words('Transaction that funded the HTLC').optional(),
    target_evm_address: words('Where the tokens go after the claim').optional(),
  })
  .meta({ id: 'BitcoinEvmRecord', description: 'A swap from Bitcoin to an EVM token' });
export type BitcoinEvmRecord = z.infer<typeof bitcoinEvmRecord>;

export const bitcoinEvm = directionContract({
  operation: 'createBitcoinEvm',
  route: route('POST', '/swap/bitcoin/evm', {
    summary: 'Create a swap from Bitcoin to an EVM token',
    body: createBitcoinEvm,
    reply: bitcoinEvmRecord,
    refusals: [400, 401, 409, 500, 503],
  }),
  keys: (request) => ({ refund_pk: request.refundKey }),
  hashOf: 'preimage',
});
