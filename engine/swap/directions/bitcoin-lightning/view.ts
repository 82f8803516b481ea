import type { BitcoinLightningRecord } from '../../../contract/directions/bitcoin-lightning.ts';
import { sourceViewByHeight } from '../../halves/bitcoin/claim/view.ts';
import { targetView } from '../../halves/lightning/pay-view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { BitcoinLightningProgress, BitcoinLightningTerms } from './terms.ts';

/** The wire record of a bitcoin-lightning swap. */
export function viewBitcoinLightning(
  facts: ViewFacts,
  t: BitcoinLightningTerms,
  p: BitcoinLightningProgress,
): BitcoinLightningRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    ...targetView(t),
    ...sourceViewByHeight(t, p),
  };
}
