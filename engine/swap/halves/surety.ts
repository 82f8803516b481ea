import { height, unix, type Clocks, type Locktime } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';
import { latestOn, sureFor, type OursToClaim } from '../../legs/spans.ts';
import { surelyUntil } from '../../legs/timelocks.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';

/** Deadlines of the client's lock, which the other half respects. */
export interface Surety {
  /** Our refund is final by then, on the clock that judges our part; where one judges both, that may be a height. */
  readonly back: Locktime;
  /** Timelock of the client's lock: from then on the client refunds alone. */
  readonly alone: Locktime;
  /** Last moment to begin the claim of the client's lock, on its own clock. */
  readonly last: Locktime;
  /** From `last` on: an unconfirmed claim of the client's is acted on. */
  cannotWait(now: Clocks): boolean;
  /**
   * Until when the client's lock is surely ours, in words for the owner, once it may time out before ours is decided;
   * null until then.
   */
  late(now: Clocks): string | null;
  /** A claim of our coin that may still lose against our refund is acted on from `late` on, and not before. */
  readonly isPatient: boolean;
  /** Parts of sentences for the owner: the client's lock is untouched, is claimed, is refunded. */
  readonly words: { readonly stays: string; readonly taken: string; readonly back: string };
}

/** What our part is given for. */
export interface Backing extends Surety {
  /** The last look before it is given. */
  judge(now: Clocks): Safety;
  /** What must still hold when it is given. */
  readonly onlyIf: OnlyIf;
}

/**
 * The deadlines of a lock that ends at a timelock. `spare`: seconds that a claim of it needs at the least; fewer, and
 * it comes too late where our own refund races a claim, and both legs are the client's.
 */
export function suretyOf(
  lock: OursToClaim,
  spare: number,
  policy: TimeoutPolicy,
): Pick<Surety, 'back' | 'alone' | 'last' | 'cannotWait'> {
  const alone = endOf(lock);
  return {
    back: surelyUntil(alone, policy.margin, policy),
    alone,
    last: surelyUntil(alone, spare, policy),
    cannotWait: isShort(lock, spare, policy),
  };
}

/** From then on the client may have it back, by the clock that judges it. */
export function endOf({ clock, surelyOursUntil }: OursToClaim): Locktime {
  return clock === 'height' ? height(Math.max(0, surelyOursUntil)) : unix(surelyOursUntil);
}

/** Whether no more than these seconds of a lock are surely ours; one whose clock is unread is long enough. */
export function isShort(lock: OursToClaim, spare: number, policy: TimeoutPolicy): (now: Clocks) => boolean {
  const { clock, byChance } = lock;
  if (clock === 'height' && byChance === true) {
    const last = surelyUntil(endOf(lock), spare, policy);
    return (now) => (latestOn(clock, now) ?? 0) >= last;
  }
  return (now) => {
    const left = sureFor(lock, now, policy);
    return left !== null && left <= spare;
  };
}
