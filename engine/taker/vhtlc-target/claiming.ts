import type { Sha256 } from '../../domain/hash.ts';
import { sameOutpoint, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import { unix, type Clocks } from '../../domain/time.ts';
import type { SeenCoin } from '../../legs/arkade/events.ts';
import { revealMargin } from '../../legs/timelocks.ts';
import { preimageMatches } from '../../legs/secret.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import { stands } from '../../swap/halves/arkade/exit.ts';
import type { Effect, Event, Outcome, Step } from '../../swap/machine.ts';
import { leafOf } from '../../swap/halves/extra-coins.ts';
import { whenCoinSeen, whileTaking, type Taker } from '../../swap/halves/arkade/taking.ts';
import type { ArkadeLeg } from '../terms.ts';

/*
 * The claim of a VHTLC that the provider locked for us, in every direction that ends on Arkade. From the moment at
 * which the secret left us nothing but the coin's end stops it.
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

/**
 * `exit`: the coin left the operator, and `claimTxid` is a transaction on the chain. `halted`: the operator called it
 * spent when we came for it. `told`: the operator has had our secret, and refused the claim all the same.
 */
export interface Claiming extends Locked {
  readonly coin: Outpoint;
  readonly claimTxid: Txid | null;
  readonly exit?: true;
  readonly halted?: true;
  readonly told?: true;
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

function takingOf<C extends Claiming, P>(t: ClaimTerms, ends: Ends<C, P>): Taker<C, Step<P>> {
  return {
    purpose: 'claim',
    ours: (p) => ours(t, p, p.coin),
    sent: (p) => p.claimTxid,
    withSent: (p, claimTxid) => ({ ...p, claimTxid }),
    onlyIf: (p) => (isShown(p, ends) ? undefined : stillSafe(t, p)),
    taken: (p, txid) => ends.claimed(p, txid),
    refused: (p, { txid, why, reason }) =>
      (txid === null || why === 'late') && !isShown(p, ends) ? ends.unsent(p, reason) : null,
    denied: 'The operator reports the coin that we claim as spent by a transaction that fits none of its leaves.',
  };
}

function isShown<C extends Claiming, P>(p: C, ends: Ends<C, P>): boolean {
  return p.told === true || ends.shown(p);
}

/**
 * What came back from the operator was with it, and our secret in it: from then on no claim is held back, and none
 * given up.
 */
function withTold<C extends Claiming>(p: C, event: Event): C {
  const isBack = event.is === 'vhtlc.refused' && event.purpose === 'claim' && event.txid !== null;
  return isBack && event.why !== 'late' && p.told !== true ? { ...p, told: true } : p;
}

/** Signed and not sent: saved first, and judged once more at the moment of sending, however long the node slept. */
function stillSafe(t: ClaimTerms, { deal, coin }: Claiming): OnlyIf {
  const { vhtlc, script, amount: targetAmount } = deal.target;
  const { refundLocktime } = vhtlc;
  return {
    notAfter: unix(refundLocktime - revealMargin(t.policy)),
    reveal: { script, outpoint: coin, targetAmount, refundLocktime, policy: t.policy },
  };
}

export function whenClaiming<C extends Claiming, P>(
  t: ClaimTerms,
  p: C,
  event: Event,
  now: Clocks,
  ends: Ends<C, P>,
): Outcome<C | P> {
  return event.is === 'vhtlc.seen'
    ? whenSeen(t, p, event.coins, now, ends)
    : (whileTaking(takingOf(t, ends), withTold(p, event), event) ?? 'stay');
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
  const step = whenCoinSeen(takingOf(t, ends), p, coin, now);
  if (step !== null) return isOwnYet(p, ends) && showsSecret(step) ? givenUp(p, coin, step, ends) : step;
  const spend = leafOf(coin);
  if (!coin.spent || spend === null || !stands(coin, now)) return 'stay';
  if (spend.leaf !== 'claim') return { ...ends.lost(p), supersedes: true };
  // Accepted is not final: our own finalize goes on.
  if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return 'stay';
  const txid = claimOf(t, coin);
  return txid === null ? 'stay' : { ...ends.claimed(p, txid), supersedes: true };
}

/** Nothing was signed, so that nobody but us has the secret. */
function isOwnYet<C extends Claiming, P>(p: C, ends: Ends<C, P>): boolean {
  return p.claimTxid === null && p.exit !== true && !isShown(p, ends);
}

/**
 * Through a batch and on the chain it leaves us whatever the time is: only what is sent to the operator is judged at
 * that moment.
 */
function showsSecret({ effects }: Step<unknown>): boolean {
  return effects.some((effect) => effect.do === 'vhtlc.exit' || effect.do === 'vhtlc.settle');
}

/**
 * Called spent, or brought to the chain, before the secret was out: no such VHTLC is claimed, and what was given for it
 * comes back (facts/faults.md 103).
 */
function givenUp<C extends Claiming, P>(p: C, coin: SeenCoin, step: Step<unknown>, ends: Ends<C, P>): Step<P> {
  const { flag, distrust } = step;
  const reason = coin.unrolled ? 'the VHTLC was brought to the chain' : 'the operator calls the VHTLC spent';
  return {
    ...ends.unsent(p, reason),
    supersedes: true,
    ...(flag === undefined ? {} : { flag }),
    ...(distrust === undefined ? {} : { distrust }),
  };
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
