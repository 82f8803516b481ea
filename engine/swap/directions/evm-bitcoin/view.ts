import type { Records } from '../../../contract/directions/directions.ts';
import { xOnlyOf } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import { bitcoinOn } from '../../../domain/token.ts';
import { sourceView } from '../../halves/evm/claim/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

/** Our coin, once somebody shows it: before that it may never be sent. */
function outputOf(p: EvmBitcoinProgress): Outpoint | null {
  if (p.at === 'refunded') return p.returned?.output ?? null;
  return p.at !== 'funding' && 'output' in p ? p.output : null;
}

/**
 * The wire record of an evm-bitcoin swap (facts/clients.md 22). The hash of the Bitcoin side is bare hex, its keys are
 * x-only.
 */
export function viewEvmBitcoin(facts: ViewFacts, t: EvmBitcoinTerms, p: EvmBitcoinProgress): Records['evm-bitcoin'] {
  const output = outputOf(p);
  return {
    ...common(facts),
    ...sourceView(t, p),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    target_amount: t.targetAmount.toString(),
    target_token: bitcoinOn('Bitcoin'),
    btc_hash_lock: toHex(t.htlc.hash),
    evm_hash_lock: `0x${toHex(t.hash)}`,
    btc_htlc_address: t.address,
    btc_htlc_script_version: 1,
    btc_refund_locktime: t.htlc.refundLocktime,
    btc_server_refund_pk: toHex(xOnlyOf(t.htlc.refunder)),
    btc_user_claim_pk: toHex(xOnlyOf(t.htlc.claimer)),
    ...(t.targetAddress === null ? {} : { target_btc_address: t.targetAddress }),
    ...(output === null ? {} : { btc_fund_txid: output.txid, btc_fund_vout: output.vout }),
    ...('redeem' in p && p.redeem !== undefined ? { btc_claim_txid: p.redeem.txid } : {}),
  };
}
