import type { Clocks, Unix } from '../../domain/time.ts';
import type { OnlyIf } from '../../legs/only-if.ts';
import type { Safety } from '../../legs/safety/verdict.ts';

/** Of the half that claims: until when what the client gave is surely ours. */
export interface Surety {
  /** By then, of the clock that judges our part, it is to be ours again. */
  readonly back: Unix;
  /** From then on the client takes it back alone. */
  readonly alone: Unix;
  /** From here on of its own clock, should that trail no further, half of the margin is left to take what the client gave. */
  readonly last: Unix;
  /** So little time is left to take what the client gave that its claim of ours is believed as it is. */
  cannotWait(now: Clocks): boolean;
  /** What the client gave is not surely ours any more, in a sentence for the owner; null until then. */
  late(now: Clocks): string | null;
  /** A claim of ours that may still lose against our refund opens nothing before `late`. */
  readonly isPatient: boolean;
  /** In sentences: what stays as it is until it is known who has ours; that we have it; that the client has it again. */
  readonly words: { readonly stays: string; readonly taken: string; readonly back: string };
}

/** What our part is given for. */
export interface Backing extends Surety {
  /** The last look before it is given. */
  judge(now: Clocks): Safety;
  /** What must still hold when it is given. */
  readonly onlyIf: OnlyIf;
}
