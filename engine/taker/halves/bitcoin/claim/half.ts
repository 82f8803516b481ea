import { furthest, type Clocks } from '../../../../domain/time.ts';
import type { Sats } from '../../../../domain/money.ts';
import { locktimeOf } from '../../../../legs/onchain/locktime.ts';
import { claimUntil, locktimePassed, refundOpens } from '../../../../legs/timelocks.ts';
import { foreignAmong, whenForeign } from '../../../../swap/halves/bitcoin/foreign.ts';
import { move, type Watch } from '../../../../swap/machine.ts';
import { bitcoinSide, movedBy, signedAs, type Moved } from '../../../facts.ts';
import { ourHtlc } from '../rescue.ts';
import { bitcoinLeg } from '../../../shape.ts';
import type { BitcoinLeg } from '../../../terms.ts';
import type { ClientClaim, Offer } from '../../claim.ts';
import { claimed, resumeClaim, spoiled, whenClaiming } from './claiming.ts';
import { anyOf, claimedCoin, coinOf, judge, offered, sameCoin, type Seen } from './coins.ts';
import type { BitcoinClaim } from './effects.ts';
import { claiming, facts, type BitcoinClaimTerms, type Claiming, type LockFacts, type PayoutCoin } from './terms.ts';

type T = BitcoinClaimTerms;
type Answer = Offer<LockFacts, Claiming>;

/** The provider pays an HTLC on the Bitcoin chain, and we claim it. */
export const claimOnBitcoin: ClientClaim<T, BitcoinLeg, LockFacts, Claiming> = {
  leg: 'bitcoin',
  theirs: 'its bitcoin',
  fields: { target: bitcoinLeg, facts, claiming },
  none: { coin: null, unsafe: null, claimTxid: null, takenBack: false },
  look: 'htlc.seen',
  offered: (claim, target, event, now) => (event.is === 'htlc.seen' ? whenSeen(claim, target, event, now) : 'stay'),
  claiming: whenClaiming,
  resume: (claim, target, _, isShown) => resumeClaim(claim, target, isShown),
  fate: ({ claimTxid, takenBack }) => (claimTxid !== null ? 'ours' : takenBack ? 'lost' : null),
  unsafe: ({ unsafe }) => unsafe,
  isOffered: ({ coin }) => coin !== null,
  isHopeless: ({ unsafe }) => unsafe !== null,
  isOver: (_, { target: { htlc } }, now) => locktimePassed(locktimeOf(htlc), now.bitcoin),
  watches: (_, { target: { htlc: terms, script, since, amount } }, { coin }): Watch[] => [
    { on: 'htlc', terms, script, since, agreed: { least: amount, most: amount }, coins: coin === null ? [] : [coin] },
  ],
  deadline: ({ together }) => together?.until ?? null,
  rescue: (t, { target: leg }, { coin }) => ourHtlc(t, leg, coin),
  isShown: ({ shown, spends }) => shown || spends.length > 0,
  isByNote: ({ shown }) => !shown,
  view: {
    get: (t, deal) => bitcoinSide('bitcoin', deal?.target.amount ?? (t.targetAmount as Sats)),
    to: () => ({ own: true, text: null }),
    now: (_, { bitcoin }) => furthest(bitcoin).mtp,
    times: ({ policy }, { target: { htlc } }) => ({
      until: claimUntil(locktimeOf(htlc), policy),
      end: refundOpens(locktimeOf(htlc)),
    }),
    moves,
    track: [
      { step: 'lock', reachedBy: ['claiming', 'claimed'] },
      { step: 'confirm-lock', reachedBy: ['claiming', 'claimed'] },
      { step: 'claim', reachedBy: ['claimed'] },
      { step: 'finished', reachedBy: ['claimed'] },
    ],
    waits({ policy }, { target: { htlc } }, { coin }) {
      const until = claimUntil(locktimeOf(htlc), policy);
      return {
        turn: coin === null ? { who: 'provider', step: 'lock', until } : { who: 'nobody', step: 'confirm-lock', until },
      };
    },
    claimTurn: (_, { target: { htlc } }) => ({ who: 'node', step: 'claim', until: locktimeOf(htlc) }),
  },
};

/** The provider's coin decides, whatever anybody says. */
function whenSeen(claim: BitcoinClaim, target: LockFacts, seen: Seen, now: Clocks): Answer {
  const { t, deal, isOut, isBack } = claim;
  const { target: leg } = deal;
  if (isOut) return whenSecretIsOut(claim, target, seen);
  // Another life of this node was quicker: nobody else has the secret.
  const own = claimedCoin(leg, seen);
  if (own !== null) return begun(claim, coinOf(own), true);
  const foreign = whenForeign(target, foreignAmong(seen.coins));
  if (foreign !== null) return foreign;
  const coin = isBack ? null : offered(leg, seen);
  if (coin === null)
    return target.coin === null && target.unsafe === null
      ? 'stay'
      : move<LockFacts>({ ...target, coin: null, unsafe: null });
  const unsafe = judge(t, leg, coin, seen, now);
  if (unsafe === null) return begun(claim, coinOf(coin), false);
  const next = { coin: coinOf(coin), unsafe: unsafe.unsafe === 'never' ? unsafe.sentence : null };
  return sameCoin(next.coin, target.coin) && next.unsafe === target.unsafe
    ? 'stay'
    : move<LockFacts>({ ...target, ...next });
}

function begun(claim: BitcoinClaim, coin: PayoutCoin, shown: boolean): Answer {
  const { progress, ...along } = claimed(claim, coin, shown);
  return { fact: 'claiming', target: progress, along };
}

/** The provider has our lock: whatever is at the HTLC is ours, and its refund wins only when it is buried. */
function whenSecretIsOut(claim: BitcoinClaim, target: LockFacts, seen: Seen): Answer {
  const { target: leg } = claim.deal;
  const { height, mtp } = seen;
  const coin = anyOf(leg, seen);
  if (coin !== null) return begun(claim, coinOf(coin), true);
  return locktimePassed(locktimeOf(leg.htlc), { mtp, height }) ? (spoiled(target.coin, true) as Answer) : 'stay';
}

function moves(_: T, { coin, claimTxid }: LockFacts, under: Claiming | null): Moved[] {
  return [
    ...movedBy('provider', 'lock', 'bitcoin', (under?.coin ?? coin)?.outpoint.txid),
    ...movedBy('you', 'claim', 'bitcoin', claimTxid),
    ...signedAs('claim', 'bitcoin', under?.spends.at(-1) ?? null),
  ];
}
