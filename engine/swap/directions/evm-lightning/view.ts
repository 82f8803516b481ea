import type { EvmLightningRecord } from '../../../contract/directions/evm-lightning.ts';
import { sourceView } from '../../halves/evm/claim/view.ts';
import { targetView } from '../../halves/lightning/pay-view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

/** The wire record of an evm-lightning swap (facts/clients.md 22). */
export function viewEvmLightning(facts: ViewFacts, t: EvmLightningTerms, p: EvmLightningProgress): EvmLightningRecord {
  return {
    ...common(facts),
    ...sourceView(t, p),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    ...targetView(t),
    // Only the preimage proves it, and these states alone are reached with it.
    lightning_payment_settled: p.at === 'claiming' || p.at === 'claimed' || p.at === 'lost',
  };
}
