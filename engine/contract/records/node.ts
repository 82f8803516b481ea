import { z } from 'zod';
import { count, flag, swapStatus, unixTime, words } from '../wire.ts';

/** What the node says of itself, and every error (facts/clients.md 3 and 10). */

export const errorBody = z
  .object({ error: words('What is wrong and what to do') })
  .meta({ id: 'Error', description: 'Every error' });

export const bulkStatus = z.object({
  statuses: z.array(z.object({ id: words('Swap id'), status: swapStatus })),
  not_found: z.array(words('Swap id')),
});
export type BulkStatus = z.infer<typeof bulkStatus>;

export const medianTimePast = z.object({
  mtp: unixTime('Median time past of the Bitcoin tip'),
  tip_height: count('Height of the Bitcoin tip'),
});
export type MedianTimePast = z.infer<typeof medianTimePast>;

export const version = z.object({
  tag: words('Version'),
  commit_hash: words('Commit that it was built from, or unknown'),
});
export type Version = z.infer<typeof version>;

export const supportAgents = z.object({
  agents: z.array(z.object({ npub: words('Nostr key of somebody who helps users') })),
});
export type SupportAgents = z.infer<typeof supportAgents>;

const serviceHealth = z
  .object({
    healthy: flag('Whether it answers'),
    block_height: count('Height').optional(),
    block_time: unixTime('Time of the last block').optional(),
    error: words('What is wrong').optional(),
  })
  .meta({ id: 'ServiceHealth', description: 'One network' });

/** Answered with 200 when healthy and 503 when not, in one shape. */
export const nodeStatus = z.object({
  healthy: flag('Whether every connected network answers'),
  swaps_paused: flag('Whether new swaps are refused').optional(),
  services: z.object({
    arkade: serviceHealth.optional(),
    bitcoin: serviceHealth.optional(),
    lightning: serviceHealth.optional(),
    polygon: serviceHealth.optional(),
    ethereum: serviceHealth.optional(),
    arbitrum: serviceHealth.optional(),
    rootstock: serviceHealth.optional(),
  }),
});
export type NodeStatus = z.infer<typeof nodeStatus>;

/** Clients read these whether or not the owner connected them (facts/clients.md 10). */
export const alwaysInStatus = ['arkade', 'bitcoin', 'polygon', 'ethereum', 'arbitrum'] as const;

export const proof = z.object({
  proof: words("HMAC-SHA256 in hex, by the owner's token, of the words sluice, nonce and origin with a space between"),
});
export type Proof = z.infer<typeof proof>;

export const liveness = z.object({ live: flag('Always true: who is not live does not answer') });

/** Answered with 200 when ready and 503 when not, in one shape: why not is the owner's to know. */
export const readiness = z.object({
  ready: flag('Whether the networks that are connected answer, and nothing stops new swaps'),
});
export type Readiness = z.infer<typeof readiness>;
