import type { LightningArkadeRecord } from '../../../contract/directions/lightning-arkade.ts';
import { targetView } from '../../halves/arkade/fund/view.ts';
import { sourceView } from '../../halves/lightning/hold/view.ts';
import { common, type ViewFacts } from '../../view.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from './terms.ts';

/**
 * The wire record of a lightning-arkade swap (facts/clients.md 19). A wrong field here makes a client derive another
 * address and refuse to pay.
 */
export function viewLightningArkade(
  facts: ViewFacts,
  t: LightningArkadeTerms,
  p: LightningArkadeProgress,
): LightningArkadeRecord {
  return {
    ...common(facts),
    fee_sats: Number(t.feeSats),
    network_fee_sats: Number(t.networkFeeSats),
    ...sourceView(t, p),
    ...targetView(t, p, t.clientKeyText),
    ...(t.targetArkadeAddress === null ? {} : { target_arkade_address: t.targetArkadeAddress }),
    arkade_vhtlc_address: t.address,
  };
}
