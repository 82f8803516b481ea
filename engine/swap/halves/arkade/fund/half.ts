import type { RescueLeg } from '../../../../legs/rescue.ts';
import type { FundHalf } from '../../fund.ts';
import type { Watch } from '../../../machine.ts';
import { vhtlcLeg } from '../../../rescue.ts';
import { lossOf } from '../../../ledger.ts';
import { whenLocked } from './locked.ts';
import { lockEffect, lockFound, submitEffect, whenLocking, whenReady } from './locking.ts';
import { leftOver, raceOver, resumeRace, whenLost } from './race.ts';
import { resumeRefund, whenRefunding } from './refunding.ts';
import { arkadeFund, revealedOf, type ArkadeFund, type Revealed, type Stage, type TargetTerms } from './terms.ts';

type Any = Stage | (Revealed & { readonly at: 'claiming' | 'claimed' | 'lost' }) | { readonly at: 'stopped' };

/** We lock a VHTLC, and the client claims it. */
export const fundOnArkade: FundHalf<TargetTerms, ArkadeFund> = {
  leg: 'arkade',
  fields: arkadeFund,
  standing(t, p, event, now, backing) {
    switch (p.at) {
      case 'funded':
        return whenReady(t, event, now, backing);
      case 'locking':
        return whenLocking(t, p, event, now, backing);
      case 'locked':
        return whenLocked(t, p, event, now, backing);
      case 'refunding':
        return whenRefunding(t, p, event, now, backing);
    }
  },
  resume(t, p, backing) {
    switch (p.at) {
      case 'funded':
        return [lockEffect(t)];
      case 'locking':
        return [submitEffect(p, backing)];
      case 'locked':
        return [];
      case 'refunding':
        return resumeRefund(t, p);
    }
  },
  resumeRevealed: resumeRace,
  revealed: (t, p, event, now, surety) => raceOver(t, p, event, now, surety) ?? leftOver(t, p, event, now, surety),
  kept: revealedOf,
  onceClaimed: (p) => p,
  lost: whenLost,
  loss: (t) => lossOf('arkade', t),
  begin: lockEffect,
  doubted: (t, _, event, __, holds) => (event.is === 'vhtlc.seen' ? lockFound(t, event, holds) : null),
  forbidsRefund: () => false,
  isPayment: false,
  outlasts: false,
  watches(t, state) {
    const p = state as Any;
    const { vhtlc, script, keyIndex: index } = t;
    const coins: Watch = { on: 'vhtlc', terms: vhtlc, script };
    switch (p.at) {
      case 'funded':
        return [];
      case 'locking':
        return [coins];
      case 'locked':
      case 'refunding': {
        // The client may claim through a batch: of an expired coin that shows in the queue alone, and our refund would
        // push it aside.
        const always = p.at === 'refunding';
        return [coins, { on: 'queue', script, key: { branch: 'swap', index }, always, coins: [p.lock] }];
      }
      case 'stopped':
        return [coins];
      default:
        return p.racing === undefined ? [] : [coins];
    }
  },
  deadline: (t, { at }) => (at === 'locked' || at === 'refunding' ? t.vhtlc.refundLocktime : null),
  open: ({ racing }) => racing !== undefined,
  reserves: ({ at }) => at === 'funded',
  action(p) {
    switch (p.at) {
      case 'funded':
        return 'we lock the VHTLC';
      case 'locking':
        return 'the operator takes our VHTLC';
      case 'locked':
        return 'the client claims the VHTLC';
      case 'refunding':
        return 'we take our VHTLC back';
    }
  },
  afterwards: () => null,
  rescue: (t, p) => ('at' in p && p.at === 'funded' ? null : ourLeg(t)),
  isPaidBack: ({ bothLegs }) => bothLegs === true,
  afterReturn: () => null,
  rescueBack: (t, p) => ('racing' in p && p.racing === true ? ourLeg(t) : null),
  resend: () => null,
};

/** Nobody but this swap pays its script, so that the coin is found without its name. */
function ourLeg(t: TargetTerms): RescueLeg {
  return vhtlcLeg('swap', { vhtlc: t.vhtlc, keyIndex: t.keyIndex, amount: t.targetAmount }, null);
}
