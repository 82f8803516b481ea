import type { Records } from '../../../contract/directions/directions.ts';
import { xOnlyOf } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { coinView } from '../../halves/bitcoin/fund/view.ts';
import { sourceView } from '../../halves/evm/claim/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

/**
 * The wire record of an evm-bitcoin swap (facts/clients.md 22). The hash of the Bitcoin side is bare hex, its keys are
 * x-only.
 */
export function viewEvmBitcoin(facts: ViewFacts, t: EvmBitcoinTerms, p: EvmBitcoinProgress): Records['evm-bitcoin'] {
  return {
    ...common(facts),
    ...sourceView(t, p),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Bitcoin'),
    btc_hash_lock: toHex(t.htlc.hash),
    evm_hash_lock: `0x${toHex(t.hash)}`,
    btc_htlc_address: t.htlcAddress,
    btc_htlc_script_version: 1,
    btc_refund_locktime: t.htlc.refundLocktime,
    btc_server_refund_pk: toHex(xOnlyOf(t.htlc.refunder)),
    btc_user_claim_pk: toHex(xOnlyOf(t.htlc.claimer)),
    ...(t.targetAddress === null ? {} : { target_btc_address: t.targetAddress }),
    ...coinView(p),
  };
}
