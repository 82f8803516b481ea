import type { LightningEvmRecord } from '../../../contract/directions/lightning-evm.ts';
import { targetView } from '../../halves/evm/fund/view.ts';
import { sourceView } from '../../halves/lightning/hold/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { LightningEvmProgress, LightningEvmTerms } from './terms.ts';

/**
 * The wire record of a lightning-evm swap (facts/clients.md 22). Its fee holds the network fee: the record has no field
 * for that.
 */
export function viewLightningEvm(facts: ViewFacts, t: LightningEvmTerms, p: LightningEvmProgress): LightningEvmRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats + t.networkFeeSats),
    ...sourceView(t, p),
    ...targetView(t, p),
  };
}
