import type { ArkadeEvmRecord } from '../../../contract/directions/arkade-evm.ts';
import { toHex } from '../../../domain/hex.ts';
import { sourceView, takenBy } from '../../halves/arkade/claim/view.ts';
import { targetView } from '../../halves/evm/fund/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms } from './terms.ts';

/**
 * The wire record of an arkade-evm swap (facts/clients.md 22). Its fee holds the network fee: the record has no field
 * for that.
 */
export function viewArkadeEvm(facts: ViewFacts, t: ArkadeEvmTerms, p: ArkadeEvmProgress): ArkadeEvmRecord {
  const { fund, claim } = takenBy(p);
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    ...sourceView(t, p),
    btc_vhtlc_address: t.address,
    ...(fund === null ? {} : { btc_fund_txid: fund }),
    ...(claim === null ? {} : { btc_claim_txid: claim }),
    ...targetView(t, p),
    hash_lock: `0x${toHex(t.hash)}`,
  };
}
