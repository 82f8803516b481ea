import type { ArkadeLightningRecord } from '../../../contract/directions/arkade-lightning.ts';
import { sourceView } from '../../halves/arkade/claim/view.ts';
import { targetView } from '../../halves/lightning/pay-view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './terms.ts';

/** The wire record of an arkade-lightning swap (facts/clients.md 19). */
export function viewArkadeLightning(
  facts: ViewFacts,
  t: ArkadeLightningTerms,
  p: ArkadeLightningProgress,
): ArkadeLightningRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    ...sourceView(t, p),
    arkade_vhtlc_address: t.address,
    ...targetView(t),
  };
}
