import { z } from 'zod';
import { count, swapStatus, unixTime, words } from '../wire.ts';
import { at, direction } from './fields.ts';
import { ownerStatus } from './status.ts';

/** What `/owner/events` sends. Beyond `type`, an event carries what a screen needs to decide whether to reload. */
export const ownerEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('swap'), id: words('Swap id'), direction, status: swapStatus, at }),
  z.object({ type: z.literal('status'), status: ownerStatus }),
  z.object({
    type: z.literal('alert'),
    time: unixTime('When'),
    severity: z.enum(['info', 'warn', 'act']),
    sentence: words('What happened and what to do'),
    swap_id: words('Swap id').optional(),
    count: count('How often it happened by now; left out the first time').optional(),
  }),
  z.object({
    type: z.literal('taker'),
    id: words('Id of a swap in which this node is the client'),
    status: swapStatus,
    at,
  }),
  z.object({ type: z.literal('balance'), network: words('Network whose balance changed') }),
]);
export type OwnerEvent = z.infer<typeof ownerEvent>;
