import { isRefusal } from '../../domain/errors.ts';
import type { Preimage } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { sameOutpoint, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { after, minute, type Clocks, type Unix } from '../../domain/time.ts';
import { safeToRefund } from '../../legs/safety.ts';
import { hash160OfSha256, preimageMatches } from '../../legs/secret.ts';
import { broadcastEffect, exitEffect, stands } from '../../swap/exit.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import {
  move,
  type Effect,
  type Event,
  type Machine,
  type Outcome,
  type Step,
  type Watch,
} from '../../swap/machine.ts';
import { leafOf, owed, sameStrays, straysBeside, type Stray } from '../../swap/source.ts';
import { arkadeLightningSentence } from './sentence.ts';
import { shape } from './shape.ts';
import { payerIsOut, type Dealt, type TakeArkadeLightningProgress, type TakeArkadeLightningTerms } from './terms.ts';
import { verifyArkadeLightning } from './verify.ts';

/**
 * The client's half of Arkade to Lightning: we fund a VHTLC, the provider pays the invoice and claims it with the
 * preimage that the payment revealed, which is our proof. Every coin at our script that it did not take is ours to
 * refund: with its signature when it is out of the swap, alone after the locktime.
 *
 * Loses money when wrong: a coin of ours that nobody takes back before it expires; a claim taken for a payment without
 * its preimage.
 */
type T = TakeArkadeLightningTerms;

type P = TakeArkadeLightningProgress;

export function takeArkadeLightningEffects(t: T): Effect[] {
  const body = {
    arkade_htlc_script_version: 1,
    refund_pk: toHex(t.key),
    user_id: t.userId,
    lightning_invoice: t.bolt11,
  };
  return [
    {
      do: 'provider.create',
      provider: t.provider,
      order: { direction: 'arkade-lightning', body, hash: t.hash, keyIndex: t.keyIndex },
    },
  ];
}

function dealtOf(p: Dealt): Dealt {
  return { deal: p.deal, said: p.said, coins: p.coins, proof: p.proof };
}

function whenCreating(t: T, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'provider.created': {
      const deal = verifyArkadeLightning(event.record, t, now);
      return move<P>(
        isRefusal(deal)
          ? { at: 'refused', reason: deal.sentence }
          : { at: 'waiting', deal, said: 'pending', coins: [], proof: null },
      );
    }
    case 'provider.refused':
      return move<P>({ at: 'refused', reason: event.reason });
    case 'clock':
      return now.wall < t.createBefore
        ? 'stay'
        : {
            progress: { at: 'refused', reason: 'The provider did not answer in time.' },
            effects: [],
            supersedes: true,
          };
    default:
      return 'stay';
  }
}

/** How long a provider that declined, or an operator that refused, is left alone. */
const pause = minute;

/** A wall clock that was set back must not make a pause of a minute one of days: coins that wait expire. */
function hasRested(notBefore: Unix | null, { wall }: Clocks): boolean {
  return notBefore === null || wall >= notBefore || wall + pause < notBefore;
}

function lockOpen(p: Dealt, now: Clocks): boolean {
  return safeToRefund({ refundLocktime: p.deal.vhtlc.refundLocktime }, now) === null;
}

function nextOwed(coins: readonly Stray[]): Outpoint | null {
  return coins.find((coin) => !coin.spent)?.outpoint ?? null;
}

/** The coins at our script decide, whatever anybody says. */
function whenCoinsSeen(t: T, p: P & Dealt, event: Event & { is: 'vhtlc.seen' }, now: Clocks): Outcome<P> {
  if (event.coins.length === 0) return 'stay';
  const claim = p.proof === null ? claimIn(t, event.coins) : null;
  const next: Dealt = {
    deal: p.deal,
    said: p.said,
    coins: straysBeside(event.coins, null, p.coins),
    proof: claim === null ? p.proof : { claimTxid: claim.txid },
  };
  const learned = claim === null ? {} : { learned: claim.preimage };
  const changed = claim !== null || !sameStrays(next.coins, p.coins);
  const flag = changed ? alarmOf(t, event.coins) : {};
  const stays = (): Outcome<P> =>
    changed ? { progress: { ...p, ...next }, effects: [], ...learned, ...flag } : 'stay';
  if (p.at === 'asking' || p.at === 'refunding') {
    const taker = takenFromUs(t, p, event.coins, now);
    // What was on its way for a coin that is gone is not wanted any more.
    return taker === null
      ? stays()
      : { progress: nothingOwedOr(next, taker.spentIn), effects: [], supersedes: true, ...learned };
  }
  if (owed(next.coins))
    return p.at === 'funded'
      ? stays()
      : { progress: { at: 'funded', notBefore: null, declined: null, ...next }, effects: [], ...learned };
  if (p.at === 'done' || !event.coins.every((coin) => explained(t, coin))) return stays();
  return { progress: nothingOwedOr(next, event.coins[0]?.spentIn ?? null), effects: [], ...learned };
}

const unexplained =
  'The operator reports a coin of ours as spent by a transaction that fits none of its leaves: stop using this operator.';

/** Gone by a leaf, and where that was the claim, with the preimage that proves the payment. */
function explained(t: T, coin: SeenCoin): boolean {
  const spend = leafOf(coin);
  return coin.spent && spend !== null && (spend.leaf !== 'claim' || preimageMatches(t.hash, spend.preimage) !== null);
}

function alarmOf(t: T, coins: readonly SeenCoin[]): Pick<Step<P>, 'flag' | 'distrust'> {
  const doubtful = coins.filter((coin) => coin.spent && coin.spend !== null && !explained(t, coin));
  if (doubtful.some(({ spend }) => spend !== 'hidden')) return { flag: unexplained, distrust: true };
  return doubtful.length > 0
    ? {
        flag: 'A coin of ours expired and a batch took it: the operator does not show whether it was the provider or this node.',
      }
    : {};
}

/** The provider's claim, believed for its preimage alone. */
function claimIn(t: T, coins: readonly SeenCoin[]): { preimage: Preimage; txid: Txid | null } | null {
  for (const coin of coins) {
    const spend = leafOf(coin);
    const preimage = spend?.leaf === 'claim' ? preimageMatches(t.hash, spend.preimage) : null;
    if (preimage !== null) return { preimage, txid: coin.spentIn ?? coin.settledBy };
  }
  return null;
}

/** The coin that we want back, when something else than our own refund has taken it. */
function takenFromUs(
  t: T,
  p: P & { at: 'asking' | 'refunding' },
  seen: readonly SeenCoin[],
  now: Clocks,
): SeenCoin | null {
  const coin = seen.find((one) => sameOutpoint(one.outpoint, p.coin));
  if (coin === undefined || !explained(t, coin) || !stands(coin, now)) return null;
  const own =
    p.at === 'refunding' &&
    p.refundTxid !== null &&
    (coin.spentIn === p.refundTxid || (p.exit === true && leafOf(coin)?.leaf !== 'claim'));
  return own ? null : coin;
}

function nothingOwedOr(p: Dealt, refundTxid: Txid | null): P {
  return owed(p.coins)
    ? { at: 'funded', notBefore: null, declined: null, ...dealtOf(p) }
    : { at: 'done', refundTxid, over: false, ...dealtOf(p) };
}

function whenWaiting(p: P & { at: 'waiting' }, event: Event, now: Clocks): Outcome<P> {
  if (event.is === 'provider.seen') return event.status === p.said ? 'stay' : move<P>({ ...p, said: event.status });
  return event.is === 'clock' && lockOpen(p, now) ? move<P>({ at: 'lapsed', ...dealtOf(p) }) : 'stay';
}

function whenFunded(t: T, p: P & { at: 'funded' }, event: Event, now: Clocks): Outcome<P> {
  const coin = nextOwed(p.coins);
  const rested = hasRested(p.notBefore, now);
  switch (event.is) {
    case 'provider.seen': {
      const said = event.status;
      if (coin !== null && rested && payerIsOut.has(said) && !lockOpen(p, now)) return ask(t, { ...p, said }, coin);
      return said === p.said ? 'stay' : move<P>({ ...p, said });
    }
    case 'refund.requested':
      if (coin === null) return 'stay';
      return lockOpen(p, now) ? alone(t, p, coin) : ask(t, p, coin);
    case 'clock':
      return coin !== null && rested && lockOpen(p, now) ? alone(t, p, coin) : 'stay';
    default:
      return 'stay';
  }
}

function keyOf(t: T) {
  return { branch: 'taker' as const, index: t.keyIndex };
}

function ask(t: T, p: Dealt, coin: Outpoint): Step<P> {
  const { vhtlc: terms, script, swapId } = p.deal;
  return move<P>(
    { at: 'asking', coin, ...dealtOf(p) },
    { do: 'provider.cosign', provider: t.provider, swapId, terms, script, key: keyOf(t), coin },
  );
}

/** By the refund without receiver: nobody is asked, and what was asked of the provider before is dropped. */
function alone(t: T, p: Dealt, coin: Outpoint): Step<P> {
  return {
    progress: { at: 'refunding', coin, refundTxid: null, ...dealtOf(p) },
    effects: [{ do: 'vhtlc.refund', ...ours(t, p, coin) }],
    supersedes: true,
  };
}

function ours(t: T, p: Dealt, coin: Outpoint) {
  return { terms: p.deal.vhtlc, script: p.deal.script, key: keyOf(t), coin };
}

/** The coin lies on the chain: there our last leaf takes it back without anybody, once its delay is over. */
function exit(t: T, p: P & { at: 'refunding' }, leastRate = 0): Step<P> {
  return move<P>({ ...p, exit: true }, exitEffect({ purpose: 'refund', ...ours(t, p, p.coin) }, leastRate));
}

function whenAsking(t: T, p: P & { at: 'asking' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'refund'
        ? sending({ at: 'refunding', coin: p.coin, refundTxid: null, ...dealtOf(p) }, event.txid)
        : 'stay';
    case 'provider.declined':
      return move<P>({ at: 'funded', notBefore: after(now.wall, pause), declined: event.reason, ...dealtOf(p) });
    case 'vhtlc.refused':
      return refused(t, { at: 'refunding', coin: p.coin, refundTxid: null, ...dealtOf(p) }, event, now);
    case 'clock':
      // The provider may be gone for good; from the locktime on it is not needed.
      return lockOpen(p, now) ? alone(t, p, p.coin) : 'stay';
    default:
      return 'stay';
  }
}

function sending(p: P & { at: 'refunding' }, txid: Txid): Step<P> {
  return move<P>({ ...p, refundTxid: txid }, { do: 'vhtlc.submit', purpose: 'refund', txid });
}

function whenRefunding(t: T, p: P & { at: 'refunding' }, event: Event, now: Clocks): Outcome<P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'refund' && p.refundTxid === null ? sending(p, event.txid) : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'refund'
        ? move<P>(p, { do: 'vhtlc.finalize', purpose: 'refund', txid: event.txid })
        : 'stay';
    case 'vhtlc.final':
      return event.purpose === 'refund' ? refunded(p, event.txid) : 'stay';
    case 'vhtlc.refused':
      return refused(t, p, event, now);
    case 'chain.prepared':
      return p.exit === true && event.purpose === 'refund'
        ? move<P>({ ...p, refundTxid: event.txid }, broadcastEffect(p.coin, event))
        : 'stay';
    case 'chain.stuck':
      return p.exit === true ? exit(t, p, event.leastRate) : 'stay';
    case 'chain.final':
      return p.exit === true ? refunded(p, event.txid) : 'stay';
    case 'chain.refused':
      // Buried and not by a transaction that we know: the watch reads whose it is.
      return p.exit === true
        ? event.why === 'spent'
          ? move<P>({ ...p, refundTxid: null })
          : { ...exit(t, p), flag: `The Bitcoin node refused our refund: ${event.reason}.` }
        : 'stay';
    default:
      return 'stay';
  }
}

function refunded(p: P & { at: 'refunding' }, txid: Txid): Step<P> {
  const coins = p.coins.map((coin) => (sameOutpoint(coin.outpoint, p.coin) ? { ...coin, spent: true } : coin));
  return move<P>(nothingOwedOr({ ...dealtOf(p), coins }, txid));
}

function refused(t: T, p: P & { at: 'refunding' }, event: Event & { is: 'vhtlc.refused' }, now: Clocks): Outcome<P> {
  if (event.purpose !== 'refund') return 'stay';
  // The watch tells by whom: the provider's claim, or an earlier refund of ours.
  if (event.why === 'spent')
    return p.refundTxid !== null && event.txid === p.refundTxid ? move<P>({ ...p, refundTxid: null }) : 'stay';
  if (event.why === 'recoverable') return move<P>(p, { do: 'vhtlc.settle', purpose: 'refund', ...ours(t, p, p.coin) });
  if (event.why === 'unrolled') return exit(t, { ...p, refundTxid: null });
  const back: P = { at: 'funded', notBefore: after(now.wall, pause), declined: event.reason, ...dealtOf(p) };
  return { progress: back, effects: [], flag: `The operator refused our refund: ${event.reason}.` };
}

function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
  if (p.at === 'creating') return whenCreating(t, event, now);
  if (p.at === 'refused') return 'stay';
  if (event.is === 'vhtlc.seen') return whenCoinsSeen(t, p, event, now);
  switch (p.at) {
    case 'waiting':
      return whenWaiting(p, event, now);
    case 'funded':
      return whenFunded(t, p, event, now);
    case 'asking':
      return whenAsking(t, p, event, now);
    case 'refunding':
      return whenRefunding(t, p, event, now);
    case 'done':
      return event.is === 'clock' && !p.over && lockOpen(p, now) ? move<P>({ ...p, over: true }) : 'stay';
    case 'lapsed':
      return 'stay';
  }
}

function watches(t: T, p: P): Watch[] {
  if (p.at === 'creating' || p.at === 'refused') return [];
  const vhtlc: Watch = { on: 'vhtlc', terms: p.deal.vhtlc, script: p.deal.script };
  const queue: Watch = { on: 'queue', script: p.deal.script, key: keyOf(t), always: p.at === 'refunding' };
  const provider: Watch = { on: 'provider', provider: t.provider, swapId: p.deal.swapId };
  switch (p.at) {
    case 'waiting':
      return [vhtlc, provider];
    case 'funded':
      return [vhtlc, queue, provider];
    case 'asking':
    case 'refunding':
      return [vhtlc, queue];
    default:
      return [vhtlc];
  }
}

function deadline(t: T, p: P): Unix | null {
  switch (p.at) {
    case 'creating':
      return t.createBefore;
    case 'waiting':
    case 'funded':
    case 'asking':
      return p.deal.vhtlc.refundLocktime;
    case 'done':
      return p.over ? null : p.deal.vhtlc.refundLocktime;
    default:
      return null;
  }
}

/** What a provider may say while our coin lies there; anything else is not repeated to people. */
const believable: ReadonlySet<SwapStatus> = new Set([
  'clientfundingseen',
  'clientfunded',
  'serverfunded',
  'clientredeemed',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
]);

function status(p: P): SwapStatus {
  if ('proof' in p && p.proof !== null) return 'serverredeemed';
  switch (p.at) {
    case 'creating':
      return 'pending';
    case 'waiting':
      return p.said === 'expired' ? 'expired' : 'pending';
    case 'refused':
    case 'lapsed':
      return 'expired';
    case 'funded':
    case 'asking':
    case 'refunding':
      return believable.has(p.said) ? p.said : 'clientfunded';
    case 'done':
      return 'clientrefunded';
  }
}

function open(_: T, p: P): boolean {
  if (p.at === 'done') return !p.over;
  return p.at !== 'refused' && p.at !== 'lapsed';
}

export const takeArkadeLightning: Machine<T, P> = {
  name: 'take-arkade-lightning',
  shape,
  step,
  watches,
  deadline,
  status,
  open,
  reserves: () => false,
  untold: () => false,
  hash160: (t) => hash160OfSha256(t.hash),
  nextAction: (_, p) => arkadeLightningSentence(p),
};
