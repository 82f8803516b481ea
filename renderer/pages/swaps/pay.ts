import type { TakerSwap } from '../../../engine/contract/taker-swap.ts';

/** What is to be paid for a swap, and where to. */
export type Pay = NonNullable<TakerSwap['pay']>;
