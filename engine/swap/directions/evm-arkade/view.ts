import type { EvmArkadeRecord } from '../../../contract/directions/evm-arkade.ts';
import { toHex } from '../../../domain/hex.ts';
import { targetView } from '../../halves/arkade/fund/view.ts';
import { sourceView } from '../../halves/evm/claim/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { EvmArkadeProgress, EvmArkadeTerms } from './terms.ts';

/**
 * The wire record of an evm-arkade swap (facts/clients.md 45). Its fee holds the network fee: the record has no field
 * for that.
 */
export function viewEvmArkade(facts: ViewFacts, t: EvmArkadeTerms, p: EvmArkadeProgress): EvmArkadeRecord {
  const ours = targetView(t, p, t.clientKeyText);
  const { arkade_fund_txid: fund, arkade_claim_txid: claim } = ours;
  return {
    ...common(facts),
    ...sourceView(t, p),
    ...ours,
    target_arkade_address: t.targetArkadeAddress,
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    btc_vhtlc_address: t.address,
    hash_lock: `0x${toHex(t.hash)}`,
    ...(fund === undefined ? {} : { btc_fund_txid: fund }),
    ...(claim === undefined ? {} : { btc_claim_txid: claim }),
  };
}
