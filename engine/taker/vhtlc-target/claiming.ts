import type { Sha256 } from '../../domain/hash.ts';
import { sameOutpoint, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import { unix, type Clocks } from '../../domain/time.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { revealMargin } from '../../legs/timelocks.ts';
import { preimageMatches } from '../../legs/secret.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import { broadcastEffect, exitEffect, stands, stillOurs } from '../../swap/exit.ts';
import { move, type Effect, type Event, type Outcome, type Step } from '../../swap/machine.ts';
import { leafOf } from '../../swap/source.ts';
import type { ArkadeLeg } from '../terms.ts';

/*
 * The claim of a VHTLC that the provider locked for us, in every direction that ends on Arkade. From the moment at which the secret left
 * us nothing but the coin's end stops it.
 */

/** What of the terms and of the deal a claim hangs on. */
export interface ClaimTerms {
  readonly keyIndex: number;
  readonly hash: Sha256;
  readonly policy: TimeoutPolicy;
}

export interface Locked {
  readonly deal: { readonly target: ArkadeLeg };
}

/** `halted`: the operator refused the claim, or called the coin spent; the next look at it tries again. */
export interface Claiming extends Locked {
  readonly coin: Outpoint;
  readonly claimTxid: Txid | null;
  readonly halted: boolean;
  /** The coin left the operator, and `claimTxid` is a transaction on the chain. */
  readonly exit?: true;
}

/** What a direction makes of its claim. */
export interface Ends<C extends Claiming, P> {
  claimed(p: C, txid: Txid): Step<P>;
  /** Nothing was sent, and the secret is still ours alone. */
  unsent(p: C, reason: string): Step<P>;
  /** The provider took its coins back although the secret had left us. */
  lost(p: C): Step<P>;
  /** The secret is public already, so that no claim is held back for want of time. */
  readonly shown: (p: C) => boolean;
}

function ours(t: ClaimTerms, { deal: { target } }: Locked, coin: Outpoint) {
  return { terms: target.vhtlc, script: target.script, key: { branch: 'taker' as const, index: t.keyIndex }, coin };
}

export function claimEffect(t: ClaimTerms, p: Locked, coin: Outpoint): Effect {
  return { do: 'vhtlc.claim', ...ours(t, p, coin) };
}

/** The secret has left us and the coin lies on the chain: there it is claimed without the operator. */
function exit<C extends Claiming>(t: ClaimTerms, p: C, leastRate = 0): Step<C> {
  return move<C>({ ...p, exit: true }, exitEffect({ purpose: 'claim', ...ours(t, p, p.coin) }, leastRate));
}

/** Signed and not sent: saved first, and judged once more at the moment of sending, however long the node slept. */
function submitEffect(t: ClaimTerms, { deal, coin }: Claiming, txid: Txid, isShown: boolean): Effect {
  const { vhtlc, script, amount: targetAmount } = deal.target;
  const { refundLocktime } = vhtlc;
  const submit = { do: 'vhtlc.submit', purpose: 'claim', txid } as const;
  if (isShown) return submit;
  return {
    ...submit,
    onlyIf: {
      notAfter: unix(refundLocktime - revealMargin(t.policy)),
      reveal: { script, outpoint: coin, targetAmount, refundLocktime, policy: t.policy },
    },
  };
}

export function whenClaiming<C extends Claiming, P>(
  t: ClaimTerms,
  p: C,
  event: Event,
  now: Clocks,
  ends: Ends<C, P>,
): Outcome<C | P> {
  switch (event.is) {
    case 'vhtlc.prepared':
      return event.purpose === 'claim'
        ? move<C>({ ...p, claimTxid: event.txid }, submitEffect(t, p, event.txid, ends.shown(p)))
        : 'stay';
    case 'vhtlc.accepted':
      return event.purpose === 'claim'
        ? move<C>(p, { do: 'vhtlc.finalize', purpose: 'claim', txid: event.txid })
        : 'stay';
    case 'vhtlc.final':
      return event.purpose === 'claim' ? ends.claimed(p, event.txid) : 'stay';
    case 'vhtlc.refused':
      return event.purpose === 'claim' ? whenRefused(t, p, event, ends) : 'stay';
    case 'vhtlc.seen':
      return whenSeen(t, p, event.coins, now, ends);
    default:
      return p.exit === true ? whenExiting(t, p, event, ends) : 'stay';
  }
}

function whenExiting<C extends Claiming, P>(t: ClaimTerms, p: C, event: Event, ends: Ends<C, P>): Outcome<C | P> {
  switch (event.is) {
    case 'onchain.prepared':
      return event.purpose === 'claim'
        ? move<C>({ ...p, claimTxid: event.txid }, broadcastEffect(p.coin, event))
        : 'stay';
    case 'onchain.stuck':
      return exit(t, p, event.leastRate);
    case 'onchain.final':
      return ends.claimed(p, event.txid);
    case 'onchain.refused':
      // Buried and not by a transaction that we know: the watch reads whose it is.
      return event.why === 'spent'
        ? move<C>({ ...p, claimTxid: null })
        : { ...exit(t, p), flag: `The Bitcoin node refused our claim: ${event.reason}.` };
    default:
      return 'stay';
  }
}

function whenRefused<C extends Claiming, P>(
  t: ClaimTerms,
  p: C,
  event: Event & { is: 'vhtlc.refused' },
  ends: Ends<C, P>,
): Outcome<C | P> {
  const notSent = event.txid === null || event.why === 'late';
  if (event.why === 'spent') return p.halted ? 'stay' : move<C>({ ...p, halted: true }); // the watch tells by whom, or that it was not
  if (notSent && !ends.shown(p)) return ends.unsent(p, event.reason);
  if (event.why === 'recoverable') return move<C>(p, { do: 'vhtlc.settle', purpose: 'claim', ...ours(t, p, p.coin) });
  if (event.why === 'unrolled') return exit(t, { ...p, claimTxid: null });
  return {
    progress: { ...p, claimTxid: null, halted: true },
    effects: [],
    flag: `The operator refused our claim: ${event.reason}.`,
  };
}

function whenSeen<C extends Claiming, P>(
  t: ClaimTerms,
  p: C,
  coins: readonly SeenCoin[],
  now: Clocks,
  ends: Ends<C, P>,
): Outcome<C | P> {
  const coin = coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  if (coin === undefined) return 'stay';
  if (p.halted && stillOurs(coin, p.claimTxid)) return move<C>({ ...p, halted: false }, claimEffect(t, p, p.coin));
  if (!coin.spent) return 'stay';
  if (coin.spend === null || coin.spend === 'hidden' || !stands(coin, now)) return 'stay';
  // The operator has our secret from our claim: shown without our signature it says nothing of the coin.
  const unsigned =
    coin.spend !== 'unknown' &&
    coin.spend.leaf === 'claim' &&
    coin.spend.unsigned === true &&
    coin.spentIn !== p.claimTxid;
  if (coin.spend === 'unknown' || unsigned)
    return {
      progress: p,
      effects: [],
      distrust: true,
      flag: 'The operator reports the coin that we claim as spent by a transaction that fits none of its leaves.',
    };
  if (coin.spend.leaf !== 'claim') return { ...ends.lost(p), supersedes: true };
  // Accepted is not final: our own finalize goes on.
  if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return 'stay';
  const txid = claimOf(t, coin);
  return txid === null ? 'stay' : { ...ends.claimed(p, txid), supersedes: true };
}

/** The transaction by which this coin was claimed with our secret and signature; null when it was not. */
export function claimOf(t: Pick<ClaimTerms, 'hash'>, coin: SeenCoin): Txid | null {
  const spend = leafOf(coin);
  if (
    !coin.spent ||
    spend?.leaf !== 'claim' ||
    spend.unsigned === true ||
    preimageMatches(t.hash, spend.preimage) === null
  )
    return null;
  return coin.settledBy ?? coin.spentIn;
}
