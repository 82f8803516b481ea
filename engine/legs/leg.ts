import { z } from 'zod';
import type { NetworkKind } from '../domain/chain.ts';

/** A leg of a swap, by its network: no swap has the same network twice. */
export type Leg = NetworkKind;

export const leg = z.enum(['arkade', 'bitcoin', 'evm', 'lightning'] satisfies readonly Leg[]);

/** Where an effect waits: in the queue of its leg, or in that of an order which has no deal, and so no leg, yet. */
export type Queue = Leg | 'order';

export const everyQueue: readonly Queue[] = [...leg.options, 'order'];
