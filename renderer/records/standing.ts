import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { Tone } from '../parts/status.tsx';
import { words } from '../words/words.ts';

/** How a swap stands among others: its shape and its word. */
export interface StatusBadge {
  readonly tone: Tone;
  readonly word: string;
}

/** Its payment is wanted still: nothing of it was seen, and nothing of it came that could not be locked. */
export function isAsked({ phase, paid, reason }: Pick<TakerSwap, 'phase' | 'paid' | 'reason'>): boolean {
  return phase === 'pay' && paid.state === 'none' && reason !== 'not-locked';
}

const comingBack: ReadonlySet<TakerSwap['turn']['step']> = new Set([
  'sign-refund',
  'await-refund',
  'refund',
  'payment-returns',
]);

/** Whether what was paid is on its way back, and no longer to what was wanted. */
export function isComingBack({ open, phase, turn }: TakerSwap): boolean {
  return open && (phase === 'refund' || comingBack.has(turn.step));
}

/** What is not seen to stand is not said to come back, nor what left to be nothing: what became of it is looked for. */
export function stepOf({ open, phase, turn, paid }: TakerSwap): TakerSwap['turn']['step'] {
  const unseen = phase === 'refund' && paid.state !== 'stands';
  const unwanted = open && turn.step === 'closed' && paid.state !== 'none';
  return unseen || unwanted ? 'look' : turn.step;
}

export function standingOf(swap: TakerSwap): StatusBadge {
  const { open, outcome, attention } = swap;
  const { standings } = words.activity;
  if (!open) {
    if (outcome === 'finished') return { tone: 'safe', word: standings.finished };
    if (outcome === 'returned') return { tone: 'safe', word: standings.returned };
    if (outcome === 'lost') return { tone: 'danger', word: standings.lost };
    return { tone: 'off', word: outcome === 'refused' ? standings.refused : standings.unpaid };
  }
  if (attention === 'danger') return { tone: 'danger', word: standings.danger };
  if (attention === 'needs-you') return { tone: 'need', word: isAsked(swap) ? standings.pay : standings.needsYou };
  if (swap.paid.state === 'none' && swap.turn.step === 'closed') return { tone: 'off', word: standings.unpaid };
  return { tone: 'wait', word: isComingBack(swap) ? standings.comingBack : standings.inProgress };
}
