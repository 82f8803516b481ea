import { toHex } from '../../domain/hex.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { after, minute, seconds, type Clocks, type Unix } from '../../domain/time.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { locktimePassed } from '../../legs/timelocks.ts';
import { move, type Effect, type Event, type Machine, type Outcome, type Watch } from '../../swap/machine.ts';
import { clientMachine, repeated } from '../client.ts';
import { createAt, unpaidStatus, whenCreating } from '../opening.ts';
import { whenClaiming, whenLockSeen } from './awaiting.ts';
import { hasOurs, isShown, paidCoins, sameCoins } from './coins.ts';
import { nextRefund, whenRefunding } from './refunding.ts';
import { rescue } from './rescue.ts';
import { rest } from './rest.ts';
import { shape } from './shape.ts';
import { bitcoinArkadeSteps } from './steps.ts';
import { dealtOf, type Dealt, type TakeBitcoinArkadeProgress, type TakeBitcoinArkadeTerms } from './terms.ts';
import { verifyBitcoinArkade } from './verify.ts';

/**
 * The client's half of Bitcoin to Arkade: we pay an HTLC on the chain, the provider locks a VHTLC under the same hash,
 * we claim it and so show the secret, by which the provider has the bitcoin. What it does not take comes back to us
 * after the locktime, without anybody.
 *
 * Loses money when wrong: the secret given away for a VHTLC that is short, gone, about to expire or about to be taken
 * back; a coin at the address that nobody takes back.
 */
type T = TakeBitcoinArkadeTerms;
type P = TakeBitcoinArkadeProgress;

export function takeBitcoinArkadeEffects(t: T): Effect[] {
  const key = toHex(t.key);
  const body = {
    arkade_htlc_script_version: 1,
    btc_htlc_script_version: 1,
    claim_pk: key,
    refund_pk: key,
    hash_lock: toHex(hash160OfSha256(t.hash)),
    sats_receive: Number(t.targetAmount),
    target_arkade_address: t.targetAddress,
    user_id: t.userId,
  };
  return createAt(t, 'bitcoin-arkade', body);
}

type Watched = P & { at: 'waiting' | 'funded' | 'claiming' | 'claimed' | 'done' | 'lost' };

const unasked =
  'The provider takes the bitcoin with a secret that this node has not given away yet: the VHTLC is claimed as ' +
  'soon as it is there.';

/** The coins at our HTLC, whoever paid them. */
function whenPaid(p: Watched, event: Event & { is: 'htlc.seen' }): Outcome<P> {
  const coins = paidCoins(p.deal, event);
  if (sameCoins(coins, p.coins)) return 'stay';
  const next: Dealt = { ...dealtOf(p), coins };
  if (p.at === 'claiming' || p.at === 'claimed' || p.at === 'lost') return move<P>({ ...p, coins });
  const flag = isShown(next) && !isShown(p) ? { flag: unasked } : {};
  const progress = rest(next);
  return {
    ...move<P>(p.at === 'funded' && progress.at === 'funded' ? { ...progress, why: p.why } : progress),
    ...flag,
  };
}

/**
 * Only a look after the locktime says that nothing is left, no clock: a node that slept over it may have been paid
 * meanwhile.
 */
function whenLooked(p: Exclude<Watched, { at: 'claiming' }>, mtp: Unix, now: Clocks): Outcome<P> {
  if (!locktimePassed(p.deal.source.htlc.refundLocktime, { mtp }) || hasOurs(p) || isLooking(p, now)) return 'stay';
  switch (p.at) {
    case 'waiting':
      return move<P>({ at: 'lapsed', ...dealtOf(p) });
    case 'funded':
      return {
        progress: rest({ ...dealtOf(p), payout: 'lost' }),
        effects: [],
        flag:
          'The provider took the bitcoin with our secret, and there is no VHTLC of it to claim: it owes you the ' +
          'swap.',
      };
    default:
      return p.over ? 'stay' : move<P>({ ...p, over: true });
  }
}

/** How long an address is looked at again whose swap was over. */
const lookFor = seconds(10 * minute);

/** A wall clock that was set back must not make a look of minutes one of days. */
function isLooking({ lookUntil }: Dealt, { wall }: Clocks): boolean {
  return lookUntil !== null && wall < lookUntil && lookUntil <= wall + lookFor;
}

/**
 * What lies there is taken back at once where it can be; an address that is not watched any more is watched for a
 * while.
 */
function whenAsked(
  t: T,
  p: Exclude<P, { at: 'creating' | 'refused' | 'refunding' | 'claiming' }>,
  now: Clocks,
): Outcome<P> {
  const refund = nextRefund(t, p, now);
  if (refund !== null || open(t, p)) return refund ?? 'stay';
  return move<P>(rest({ ...dealtOf(p), lookUntil: after(now.wall, lookFor) }));
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  if (p.at === 'creating')
    return whenCreating(t, event, now, {
      verify: (record) => verifyBitcoinArkade(record, t, now),
      begin: (deal): P => ({ at: 'waiting', deal, said: 'pending', coins: [], payout: null, lookUntil: null }),
    });
  if (p.at === 'refused') return 'stay';
  if (p.at === 'lapsed') return event.is === 'refund.requested' ? whenAsked(t, p, now) : 'stay';
  if (event.is === 'provider.seen') return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
  if (p.at === 'refunding') return whenRefunding(t, p, event, now);
  const paid = event.is === 'htlc.seen' ? whenPaid(p, event) : 'stay';
  if (paid !== 'stay') return paid;
  if (p.at === 'claiming') return whenClaiming(t, p, event, now);
  if (event.is === 'htlc.seen') return whenLooked(p, event.mtp, now);
  if (event.is === 'clock') return nextRefund(t, p, now) ?? 'stay';
  if (event.is === 'refund.requested') return whenAsked(t, p, now);
  if (event.is === 'cancel.requested')
    return p.at === 'waiting' && p.coins.length === 0 && p.cancelled !== true
      ? move<P>({ ...p, cancelled: true })
      : 'stay';
  const awaits = p.at === 'waiting' || p.at === 'funded';
  return awaits && event.is === 'vhtlc.seen' ? whenLockSeen(t, p, event.coins, now) : 'stay';
}

function watches(t: T, p: P): Watch[] {
  if (p.at === 'creating' || p.at === 'refused' || p.at === 'lapsed') return [];
  const { source, target, swapId } = p.deal;
  const htlc: Watch = {
    on: 'htlc',
    terms: source.htlc,
    script: source.script,
    since: source.since,
    agreed: { least: source.amount, most: source.amount },
    coins: p.coins.map(({ outpoint, amount }) => ({ outpoint, amount })),
  };
  const vhtlc: Watch = { on: 'vhtlc', terms: target.vhtlc, script: target.script };
  const provider: Watch = { on: 'provider', provider: t.provider, swapId };
  return p.at === 'waiting' || p.at === 'funded' || p.at === 'claiming' ? [htlc, vhtlc, provider] : [htlc];
}

/** What lies there waits for the locktime; an address that is looked at again, for the end of the look. */
function unlockedAt(p: Dealt): Unix {
  const { refundLocktime } = p.deal.source.htlc;
  return hasOurs(p) ? refundLocktime : (p.lookUntil ?? refundLocktime);
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'creating':
      return t.createBefore;
    case 'waiting':
    case 'funded':
      return unlockedAt(p);
    case 'claimed':
    case 'done':
    case 'lost':
      return p.over ? null : unlockedAt(p);
    default:
      return null;
  }
}

/** What a provider may say while our coin lies there; anything else is not repeated to people. */
const believable: ReadonlySet<SwapStatus> = new Set([
  'serverfunded',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
  'clientfundedserverrefunded',
]);

function status(p: P): SwapStatus {
  switch (p.at) {
    case 'creating':
    case 'waiting':
    case 'refused':
    case 'lapsed':
      return unpaidStatus(p);
    case 'funded':
      return repeated(p.said, believable, p.coins.some(({ mined }) => mined) ? 'clientfunded' : 'clientfundingseen');
    case 'claiming':
      return 'clientredeeming';
    case 'claimed':
      return isShown(p) ? 'serverredeemed' : 'clientredeemed';
    case 'refunding':
      if (p.payout === null) return 'clientfunded';
      return p.payout === 'lost' ? 'clientfundedserverrefunded' : 'clientredeemed';
    case 'done':
      return 'clientrefunded';
    case 'lost':
      return 'clientfundedserverrefunded';
  }
}

function open(_: T, p: P): boolean {
  if (p.at === 'claimed' || p.at === 'done' || p.at === 'lost') return !p.over;
  return p.at !== 'refused' && p.at !== 'lapsed';
}

export const takeBitcoinArkade: Machine<T, P> = clientMachine(
  { name: 'take-bitcoin-arkade', shape, step, watches, deadline, status, open, rescue },
  bitcoinArkadeSteps,
);
