import { z } from 'zod';
import { wholeSeconds } from './fields.ts';

/** Numbers to live by. Shorter timings than the defaults are accepted on regtest only. */
export const timing = z.strictObject({
  clientLegSeconds: wholeSeconds.default(86_400).describe('Locktime of the leg the client funds.'),
  serviceLegSeconds: wholeSeconds.default(43_200).describe('Locktime of the leg the service funds.'),
  longestLegSeconds: wholeSeconds.default(604_800).describe('Longest client leg that a payout invoice may ask for.'),
  marginSeconds: wholeSeconds
    .default(7_200)
    .describe('Reaction, confirmation and reorganisation, between two timelocks.'),
  fundingWindowSeconds: wholeSeconds.default(1_800).describe('How long a created swap waits for its funding.'),
  fastBlockSeconds: wholeSeconds
    .default(450)
    .describe('Shortest block time to reckon with when a held payment must outlive a locktime.'),
  medianTimeLagSeconds: wholeSeconds
    .default(10_800)
    .describe(
      'Furthest that median time past may trail the clock: the timeouts reckon with it, and beyond it nothing new ' +
        'is begun over Bitcoin (on regtest only if it is set).',
    ),
  maxTipAgeSeconds: z
    .strictObject({
      bitcoin: wholeSeconds
        .default(10_800)
        .describe(
          'Age of the last Bitcoin block beyond which nothing new is begun over Bitcoin (on regtest only if it is ' +
            'set).',
        ),
      evm: wholeSeconds.default(600).describe('The same for EVM chains.'),
    })
    .prefault({}),
  createWaitSeconds: wholeSeconds.default(10).describe('How long a create waits for a network before it answers 503.'),
  bodySeconds: wholeSeconds.default(15).describe('How long a request body may take.'),
});
