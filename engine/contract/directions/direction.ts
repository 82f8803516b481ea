import type { z } from 'zod';
import type { Route } from '../routes/route.ts';
import type { ClientKey } from '../scalars.ts';

/**
 * Words by which published clients know that a hash has a swap already, and whether another one helps (facts/clients.md
 * 5).
 */
export const usedWords = {
  preimage: 'a swap with this preimage hash exists already',
  invoice: 'a swap with this invoice exists already',
} as const;

/** All that the wire knows of one direction. */
export interface DirectionContract<
  Operation extends string = string,
  Request extends z.ZodType = z.ZodType,
  Record extends z.ZodType = z.ZodType,
> {
  /** Name of the operation that creates a swap. */
  readonly operation: Operation;
  readonly route: Route<null, null, Request, Record>;
  /** The client's keys, by the name of their field. */
  keys(request: z.output<Request>): { readonly [field: string]: ClientKey };
  /** Whose hash the swap is locked with. */
  readonly hashOf: keyof typeof usedWords;
}

export function directionContract<O extends string, Q extends z.ZodType, R extends z.ZodType>(
  of: DirectionContract<O, Q, R>,
): DirectionContract<O, Q, R> {
  return of;
}
