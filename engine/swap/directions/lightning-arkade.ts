import { z } from 'zod';
import type { LightningArkadeRecord } from '../../contract/directions/lightning-arkade.ts';
import { safeToLock } from '../../legs/safety/lock.ts';
import { fieldsShape, type ValueOf } from '../../legs/shape.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import { targetTerms } from '../halves/arkade/fund/terms.ts';
import { targetView } from '../halves/arkade/fund/view.ts';
import { claimOnLightning } from '../halves/lightning/hold/half.ts';
import { holdTerms, holdOf } from '../halves/lightning/hold/terms.ts';
import { sourceView } from '../halves/lightning/hold/view.ts';
import { providerOf, type ProgressOf } from '../provider/machine.ts';
import { common, type ViewFacts } from '../view.ts';

/**
 * Lightning to Arkade. The client pays a hold invoice, the service locks a VHTLC under the same hash, the client claims
 * it and so reveals the preimage, the service settles the held payment (facts/clients.md 2, facts/timelocks.md 6).
 *
 * Loses money when wrong: a VHTLC locked for a payment that is not held, or held for less time than the VHTLC lives; a
 * hold invoice cancelled while the VHTLC can still be claimed; a preimage seen and not used.
 */
const fields = {
  ...holdTerms,
  ...targetTerms,
  /** The client's claim key as it was sent, for the record. */
  clientKeyText: z.string(),
};

export const lightningArkade = providerOf({
  name: 'lightning-arkade',
  terms: fieldsShape(fields),
  claim: claimOnLightning,
  fund: fundOnArkade,
  judge: (t, held, now) =>
    safeToLock({ held, sourceAmount: t.sourceAmount, vhtlcRefundLocktime: t.vhtlc.refundLocktime }, now, t.policy),
  onlyIf: (t) => ({
    notAfter: t.lockBefore,
    held: { ...holdOf(t), vhtlcRefundLocktime: t.vhtlc.refundLocktime },
  }),
  notes: ['invoice', 'payment'],
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: () => null },
});
export type LightningArkadeTerms = ValueOf<typeof fields>;
export type LightningArkadeProgress = ProgressOf<typeof lightningArkade>;

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
    ...common(facts, t),
    ...sourceView(t, p),
    ...targetView(t, p, t.clientKeyText),
    ...(t.targetArkadeAddress === null ? {} : { target_arkade_address: t.targetArkadeAddress }),
    arkade_vhtlc_address: t.address,
  };
}
