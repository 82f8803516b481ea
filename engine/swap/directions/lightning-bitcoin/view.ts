import type { LightningBitcoinRecord } from '../../../contract/directions/lightning-bitcoin.ts';
import { targetView } from '../../halves/bitcoin/fund/view.ts';
import { sourceView } from '../../halves/lightning/hold/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { LightningBitcoinProgress, LightningBitcoinTerms } from './terms.ts';

/** The wire record of a lightning-bitcoin swap. */
export function viewLightningBitcoin(
  facts: ViewFacts,
  t: LightningBitcoinTerms,
  p: LightningBitcoinProgress,
): LightningBitcoinRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    ...sourceView(t, p),
    ...targetView(t, p),
  };
}
