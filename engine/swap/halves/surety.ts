import type { Clocks, Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';

/** Deadlines of the client's lock, which the other half respects. */
export interface Surety {
  /** Our refund is final by then, on the clock that judges our part. */
  readonly back: Unix;
  /** Timelock of the client's lock: from then on the client refunds alone. */
  readonly alone: Unix;
  /** Last moment to begin the claim of the client's lock: half of the margin is left on its own clock. */
  readonly last: Unix;
  /** Past `last`: an unconfirmed claim of the client's is acted on. */
  cannotWait(now: Clocks): boolean;
  /** The warning for the owner once the client's lock may time out before ours is decided; null until then. */
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
