import { sameOutpoint, type Outpoint, type Txid } from '../../../../domain/outpoint.ts';
import { unix, type Clocks } from '../../../../domain/time.ts';
import type { SeenCoin } from '../../../../legs/arkade/events.ts';
import type { OnlyIf } from '../../../../legs/only-if.ts';
import { preimageMatches } from '../../../../legs/secret.ts';
import { revealMargin } from '../../../../legs/timelocks.ts';
import { stands } from '../../../../swap/halves/arkade/exit.ts';
import { takingAnew, whenCoinSeen, whileTaking, type Taker } from '../../../../swap/halves/arkade/taking.ts';
import { leafOf } from '../../../../swap/halves/extra-coins.ts';
import type { Event, Resumption, Step } from '../../../../swap/machine.ts';
import type { ArkadeLeg } from '../../../terms.ts';
import type { Claim, ClaimAnswer } from '../../claim.ts';
import type { ArkadeClaimTerms, Claiming, LockFacts } from './terms.ts';

/*
 * The provider's VHTLC is claimed with our secret. From the moment at which the secret left us nothing but the coin's
 * end stops it.
 *
 * Loses money when wrong: the secret given away for a VHTLC that is short, gone, about to expire or about to be taken
 * back; a claim given up once the secret has left us.
 */

type T = ArkadeClaimTerms;
type Answer = ClaimAnswer<LockFacts, Claiming>;
type End = Exclude<Answer, 'stay' | Step<Claiming>>;

export type ArkadeClaim = Claim<T, ArkadeLeg>;

function oursOf({ keyIndex: index }: Pick<T, 'keyIndex'>, { vhtlc, script }: ArkadeLeg, coin: Outpoint) {
  return { terms: vhtlc, script, key: { branch: 'taker' as const, index }, coin };
}

/** The claim of a coin begins. */
export function claimed(claim: ArkadeClaim, coin: Outpoint): Step<Claiming> {
  const p: Claiming = { coin, claimTxid: null };
  return { progress: p, effects: takingAnew(takerOf(claim), p) };
}

export function boughtBy(txid: Txid, coin: Outpoint | null): End {
  return { fact: 'bought', target: { unsafe: null, claim: { txid, coin }, takenBack: false } };
}

/** Nothing was sent, and the secret is still ours alone. */
function unclaimed(unsafe: string): End & { fact: 'unclaimed' } {
  return { fact: 'unclaimed', target: { unsafe, claim: null, takenBack: false } };
}

function takerOf(claim: ArkadeClaim): Taker<Claiming, End> {
  const { t, deal } = claim;
  return {
    purpose: 'claim',
    ours: ({ coin }) => oursOf(t, deal.target, coin),
    sent: ({ claimTxid }) => claimTxid,
    withSent: (p, claimTxid) => ({ ...p, claimTxid }),
    onlyIf: (p) => (isShown(claim, p) ? undefined : stillSafe(claim, p)),
    taken: ({ coin }, txid) => boughtBy(txid, coin),
    refused: (p, { txid, why, reason }) =>
      (txid === null || why === 'late') && !isShown(claim, p) ? unclaimed(reason) : null,
    denied: 'The operator reports the coin that we claim as spent by a transaction that fits none of its leaves.',
  };
}

/**
 * What was signed and is not known to have been sent is judged as any first showing (facts/faults.md 295), and is no
 * claim on its way: by one the coin would be claimed on the chain whatever the time is (facts/faults.md 311).
 */
export function resumeClaim(claim: ArkadeClaim, p: Claiming, mayBeShown: boolean): Resumption<Claiming> {
  const isUnsent = !mayBeShown && !isShown(claim, p) && p.exit !== true;
  const progress: Claiming = mayBeShown ? { ...p, told: true } : isUnsent ? { ...p, claimTxid: null } : p;
  return { progress, effects: takingAnew(takerOf(claim), progress) };
}

function isShown({ isOut }: ArkadeClaim, p: Claiming): boolean {
  return p.told === true || isOut;
}

/**
 * What came back from the operator was with it, and our secret in it: from then on no claim is held back, and none
 * given up.
 */
function withTold(p: Claiming, event: Event): Claiming {
  const isBack = event.is === 'vhtlc.refused' && event.purpose === 'claim' && event.txid !== null;
  return isBack && event.why !== 'late' && p.told !== true ? { ...p, told: true } : p;
}

/** Signed and not sent: saved first, and judged once more at the moment of sending, however long the node slept. */
function stillSafe({ t: { policy }, deal, limit }: ArkadeClaim, { coin }: Claiming): OnlyIf {
  const { vhtlc, script, amount: targetAmount } = deal.target;
  const { refundLocktime } = vhtlc;
  return {
    notAfter: unix(refundLocktime - revealMargin(policy)),
    reveal: { script, outpoint: coin, targetAmount, refundLocktime, policy },
    ...limit,
  };
}

export function whenClaiming(claim: ArkadeClaim, p: Claiming, event: Event, now: Clocks): Answer {
  return event.is === 'vhtlc.seen'
    ? whenSeen(claim, p, event.coins, now)
    : (whileTaking(takerOf(claim), withTold(p, event), event) ?? 'stay');
}

function whenSeen(claim: ArkadeClaim, p: Claiming, coins: readonly SeenCoin[], now: Clocks): Answer {
  const coin = coins.find((seen) => sameOutpoint(seen.outpoint, p.coin));
  if (coin === undefined) return 'stay';
  const step = whenCoinSeen(takerOf(claim), p, coin, now);
  if (step !== null) return isOwnYet(claim, p) && showsSecret(step) ? givenUp(coin, step) : step;
  const spend = leafOf(coin);
  if (!coin.spent || spend === null || !stands(coin, now)) return 'stay';
  if (spend.leaf !== 'claim')
    return {
      fact: 'spoiled',
      isShown: true,
      target: { unsafe: null, claim: null, takenBack: true },
      along: { supersedes: true },
    };
  // Accepted is not final: our own finalize goes on.
  if (p.claimTxid !== null && (p.exit === true || coin.spentIn === p.claimTxid)) return 'stay';
  const txid = claimOf(claim.t, coin);
  return txid === null ? 'stay' : { ...boughtBy(txid, p.coin), along: { supersedes: true } };
}

/** Nothing was signed, so that nobody but us has the secret. */
function isOwnYet(claim: ArkadeClaim, p: Claiming): boolean {
  return p.claimTxid === null && p.exit !== true && !isShown(claim, p);
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
function givenUp({ unrolled }: SeenCoin, { flag, distrust }: Step<unknown>): End {
  return {
    ...unclaimed(unrolled ? 'the VHTLC was brought to the chain' : 'the operator calls the VHTLC spent'),
    along: {
      supersedes: true,
      ...(flag === undefined ? {} : { flag }),
      ...(distrust === undefined ? {} : { distrust }),
    },
  };
}

/** The transaction by which this coin was claimed with our secret and signature; null when it was not. */
export function claimOf({ hash }: Pick<T, 'hash'>, coin: SeenCoin): Txid | null {
  const spend = leafOf(coin);
  if (
    !coin.spent ||
    spend?.leaf !== 'claim' ||
    spend.unsigned === true ||
    preimageMatches(hash, spend.preimage) === null
  )
    return null;
  return coin.settledBy ?? coin.spentIn;
}
