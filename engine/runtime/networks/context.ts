import type { OnlyIf } from '../../legs/only-if.ts';
import type { EffectRow } from '../../store/effects.ts';
import type { Event } from '../../swap/machine.ts';
import type { Clock } from '../clock.ts';
import type { Along, Commits } from '../commit.ts';

/** What the executor of an effect has at hand, whatever its network; its network's own context says what else. */
export interface CommonContext {
  readonly clock: Pick<Clock, 'now' | 'tip'>;
  readonly row: EffectRow;
  /** Gives the swap what came of the effect; the effect is done in the same commit. */
  answer(event: Event, along?: Omit<Along, 'done'>): void;
  /** Gives the swap a fact that was met on the way; the effect stays, unless the swap drops it. */
  tell(event: Event): void;
  /** Saves in one transaction with whatever else is saved in this turn: for what comes many at a time. */
  readonly together: Commits['together'];
  /** Resolves once the rescue bundle has what was noted of the swap; false where that cannot be written. */
  bundled(): Promise<boolean>;
}

/** What an act depends on beyond its own network is asked there: an executor reaches no network but its own. */
export interface Judge {
  /**
   * Judges the conditions of the act now. Null when it may be started, else the reason why it never may. `isBegun`: an
   * earlier try may have given what is given by it; left out where none can have.
   */
  forbidden(onlyIf: OnlyIf, maxTimeoutHeight: number, isBegun?: () => Promise<boolean>): Promise<string | null>;
  /** Throws where a VHTLC of ours that the operator has half is not finished, for nothing pays for it any more. */
  stillWanted(onlyIf: OnlyIf): Promise<void>;
}
