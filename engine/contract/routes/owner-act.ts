import { acted } from '../owner/swaps.ts';
import { request } from '../field.ts';
import { swapId } from './route.ts';

/** The body of a request that says nothing. */
export const nothing = request({}, () => ({}));

/** What the owner has done with one swap. */
export const act = {
  params: swapId,
  body: nothing,
  reply: acted,
  refusals: [400, 401, 403, 404, 503],
  judged: 'owner',
} as const;
