import type { TakerSwap } from '../../engine/contract/taker-swap.ts';

type Paid = Pick<TakerSwap, 'open' | 'paid'>;

/**
 * Something of ours was seen to be under way for it, and has neither arrived nor come back: what a phase says is no
 * proof of that.
 */
export function isUnderWay({ open, paid: { state } }: Paid): boolean {
  return open && state !== 'none' && state !== 'back';
}

/** It stands where we can take it back, whatever the provider does. */
export function canComeBack({ phase, paid: { state } }: Pick<TakerSwap, 'phase' | 'paid'>): boolean {
  return state === 'stands' && phase !== 'claim';
}

/** What was given, as it was seen; what was agreed while nobody saw how much it is. */
export function givenOf({ give, paid }: Pick<TakerSwap, 'give' | 'paid'>): TakerSwap['give'] {
  return paid.amount === null ? give : { ...give, amount: paid.amount };
}

/** What lies locked and comes back, which an exchange may have made of what was given. */
export function comesBackOf(swap: Pick<TakerSwap, 'give' | 'paid' | 'back'>): TakerSwap['give'] {
  return swap.back ?? givenOf(swap);
}

/** Nothing was seen of it, and nobody is asked for it any more. */
function isUnwanted({ open, paid, turn }: TakerSwap): boolean {
  return paid.state === 'none' && (!open || turn.step === 'closed');
}

/** What left: what is seen of it, and of a swap that is given up without any, nothing. */
export function gaveOf(swap: TakerSwap): TakerSwap['give'] {
  return isUnwanted(swap) ? { ...swap.give, amount: '0' } : givenOf(swap);
}

/** What arrives, or did: nothing of a swap that is given up, or is over and did not finish. */
export function gotOf(swap: TakerSwap): TakerSwap['get'] {
  const { open, outcome, get } = swap;
  return outcome === 'finished' || (open && !isUnwanted(swap)) ? get : { ...get, amount: '0' };
}
