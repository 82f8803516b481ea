import { safeToLockOnEvm } from '../../../legs/safety/lock.ts';
import { shapeOf } from '../../../legs/shape.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import { fundOnEvm } from '../../halves/evm/fund/half.ts';
import type { EvmFund } from '../../halves/evm/fund/terms.ts';
import { providerOf } from '../../provider/machine.ts';
import { claimOnArkade } from '../../halves/arkade/claim/half.ts';
import type { ArkadeClaim } from '../../halves/arkade/claim/terms.ts';
import { terms, type ArkadeEvmTerms } from './terms.ts';

/** What the lock hangs on, at the create and at each act. */
function lockFacts(t: ArkadeEvmTerms) {
  const { sourceAmount, network, vhtlc } = t;
  return { sourceAmount, refundLocktime: vhtlc.refundLocktime, network, timelock: lockEnd(t) };
}

/**
 * The client funds a VHTLC, we lock on an EVM chain, and the secret that the client's claim there shows claims the
 * VHTLC.
 */
export const arkadeEvm = providerOf<ArkadeEvmTerms, ArkadeClaim, EvmFund>({
  name: 'arkade-evm',
  terms: shapeOf(terms),
  claim: claimOnArkade,
  fund: fundOnEvm,
  judge: (t, coin, now) => safeToLockOnEvm({ coin, ...lockFacts(t) }, now, t.policy),
  onlyIf: (t, { coin: outpoint }) => ({
    notAfter: t.lockBefore,
    backing: { script: t.script, outpoint, policy: t.policy, ...lockFacts(t) },
  }),
  notes: ['payment', 'refund'],
  hash160: (t) => t.vhtlc.hash,
  unfunded: { locktime: ({ vhtlc }) => vhtlc.refundLocktime, script: ({ script }) => script },
});
