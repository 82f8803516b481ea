import { furthest, type Clocks } from '../../../../domain/time.ts';
import type { Sats } from '../../../../domain/money.ts';
import { safeToReveal } from '../../../../legs/safety/reveal.ts';
import { locktimePassed, refundOpens, revealUntil } from '../../../../legs/timelocks.ts';
import { move, type Event } from '../../../../swap/machine.ts';
import { bitcoinSide, movedBy, signedAs, type Moved } from '../../../facts.ts';
import { vhtlcLeg } from '../../../../swap/rescue.ts';
import { arkadeLeg } from '../../../shape.ts';
import type { ArkadeLeg } from '../../../terms.ts';
import type { ClientClaim, Offer } from '../../claim.ts';
import { boughtBy, claimed, claimOf, resumeClaim, whenClaiming, type ArkadeClaim } from './claiming.ts';
import { claiming, facts, type ArkadeClaimTerms, type Claiming, type LockFacts } from './terms.ts';

type T = ArkadeClaimTerms;

/** The provider locks a VHTLC, and we claim it. */
export const claimOnArkade: ClientClaim<T, ArkadeLeg, LockFacts, Claiming> = {
  leg: 'arkade',
  theirs: 'its VHTLC',
  fields: { target: arkadeLeg, facts, claiming },
  none: { unsafe: null, claim: null, takenBack: false },
  look: 'vhtlc.seen',
  offered,
  claiming: whenClaiming,
  resume: (claim, target, _, isShown) => resumeClaim(claim, target, isShown),
  fate: ({ claim, takenBack }) => (claim !== null ? 'ours' : takenBack ? 'lost' : null),
  unsafe: ({ unsafe }) => unsafe,
  isOffered: ({ unsafe }) => unsafe !== null,
  isHopeless: ({ unsafe }) => unsafe !== null,
  isOver: (_, { target: { vhtlc } }, now) => locktimePassed(vhtlc.refundLocktime, now.bitcoin),
  watches: (_, { target: { vhtlc, script } }) => [{ on: 'vhtlc', terms: vhtlc, script }],
  rescue: (t, { target: leg }, target) =>
    vhtlcLeg('taker', { ...leg, keyIndex: t.keyIndex }, 'coin' in target ? target.coin : null),
  isShown: (p) => p.claimTxid !== null || p.told === true || p.exit === true,
  isByNote: (p) => p.told !== true && p.exit !== true,
  view: {
    get: (t, deal) => bitcoinSide('arkade', deal?.target.amount ?? (t.targetAmount as Sats)),
    to: ({ targetAddress }) => ({ own: true, text: targetAddress }),
    now: (_, { bitcoin }) => furthest(bitcoin).mtp,
    times: ({ policy }, { target: { vhtlc } }) => ({
      until: revealUntil(vhtlc.refundLocktime, policy),
      end: refundOpens(vhtlc.refundLocktime),
    }),
    moves,
    track: [
      { step: 'lock', reachedBy: ['claiming', 'claimed'] },
      { step: 'claim', reachedBy: ['claimed'] },
      { step: 'finished', reachedBy: ['claimed'] },
    ],
    waits: ({ policy }, { target: { vhtlc } }) => ({
      turn: { who: 'provider', step: 'lock', until: revealUntil(vhtlc.refundLocktime, policy) },
    }),
    claimTurn: ({ policy }, { target: { vhtlc } }) => ({
      who: 'node',
      step: 'claim',
      until: revealUntil(vhtlc.refundLocktime, policy),
    }),
  },
};

/** The VHTLC decides, whatever anybody says: it is claimed when it is whole and there is time. */
function offered(claim: ArkadeClaim, target: LockFacts, event: Event, now: Clocks): Offer<LockFacts, Claiming> {
  if (event.is !== 'vhtlc.seen') return 'stay';
  const { t, deal, isOut, isBack } = claim;
  const { vhtlc, amount: targetAmount } = deal.target;
  let why: string | null = null;
  for (const coin of event.coins) {
    // Nobody else has the secret: another life of this node was quicker.
    const txid = claimOf(t, coin);
    if (txid !== null) return boughtBy(txid, coin.outpoint) as Offer<LockFacts, Claiming>;
    if (isBack && !isOut) continue;
    const unsafe = safeToReveal({ coin, targetAmount, refundLocktime: vhtlc.refundLocktime }, now, t.policy);
    // A provider that has our secret already leaves no time to lose.
    if (unsafe === null || (isOut && !coin.spent)) {
      const { progress, effects } = claimed(claim, coin.outpoint);
      return { fact: 'claiming', target: progress, along: { effects } };
    }
    why ??= unsafe.sentence;
  }
  return why === target.unsafe ? 'stay' : move<LockFacts>({ ...target, unsafe: why });
}

function moves(_: T, { claim }: LockFacts, under: Claiming | null): Moved[] {
  return [
    ...movedBy('provider', 'lock', 'arkade', (claim ?? under)?.coin?.txid),
    ...movedBy('you', 'claim', 'arkade', claim?.txid),
    ...signedAs('claim', under?.exit === true ? 'bitcoin' : 'arkade', under?.claimTxid ?? null),
  ];
}
