import type { DirectionName } from '../../engine/domain/chain.ts';

/**
 * What each measure is held to, in milliseconds where nothing else is said. `share` is our own share: what is left
 * above the awaited answers of the networks.
 */
export const aims = {
  /** B1. */
  create: { share: { p50: 3, p99: 15 } },
  /** B3: from a preimage that can be seen to our claim. */
  claim: { share: { p50: 15, p99: 40 } },
  /** B3 where the preimage is in a block of an EVM chain: from that block, of two seconds, to our claim. */
  claimFromBlock: { p99: 2_100 },
  /** B4. */
  start: { everySwapLookedAt: 3_000 },
  /** B5. */
  kills: { violations: 0, recovery: { p95: 3_000 } },
  /** B6: of the last claim by what the networks alone take. */
  burst: { processorPerClaim: 20, toNetworks: 1.3, stall: { worst: 20 } },
  /** B7. */
  status: { p99: 50 },
  /** B8: the share of a core, by whether anything is open. */
  idle: {
    nothingOpen: { processorShare: 0.02, residentMiB: 220, requestsPerMinute: 40 },
    manyOpen: { processorShare: 0.05, residentMiB: 300, requestsPerMinute: 40 },
  },
  /** B9. */
  outage: { allJudged: 10_000 },
  /** B10: what was lost, and what was paid by what hindsight pays. */
  fees: { lost: 0, overpay: 1.6 },
  /** B11. */
  pressure: { lag: { p99: 50 }, ownerRead: { p99: 100 } },
  /** B12: of a swap's life, and of an hour of them. */
  disk: { kilobytes: 150, syncs: 6 },
  memory: { grownMiB: 8 },
} as const;

/**
 * Those with a hold invoice, or a look at what the Lightning node has of the payment. From Arkade to Lightning has such
 * a look as well, and is held to less all the same.
 */
const withLightning: readonly DirectionName[] = [
  'lightning-arkade',
  'lightning-evm',
  'lightning-bitcoin',
  'evm-lightning',
  'bitcoin-lightning',
];

/** B2: processor time of a create, sixteen at once. */
export function processorAim(direction: DirectionName): { processorPerCreate: number } {
  return { processorPerCreate: withLightning.includes(direction) ? 5 : 3 };
}
