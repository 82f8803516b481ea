import { z } from 'zod';
import { directionNames, type DirectionName } from '../domain/chain.ts';
import { basisPoints, wholeSats } from './fields.ts';

const flatSats = wholeSats.max(1_000_000);
const limit = wholeSats.min(1);

/** What is set for one direction alone; what is left out is as for all. */
const ofDirection = z.strictObject({
  feeBps: basisPoints.optional(),
  flatSats: flatSats.optional(),
  minSats: limit.optional(),
  maxSats: limit.optional(),
});

const directions = Object.fromEntries(directionNames.map((name) => [name, ofDirection.optional()])) as Record<
  DirectionName,
  z.ZodOptional<typeof ofDirection>
>;

const inventory = z.strictObject({
  spreadBps: z
    .int()
    .min(0)
    .max(1_000)
    .default(0)
    .describe(
      'Most that is added to the fee of a direction, in basis points, when the side that it pays out on is empty; ' +
        '0 adds nothing. Quotes then show what the node holds.',
    ),
  belowShareBps: z
    .int()
    .min(1)
    .max(5_000)
    .default(2_500)
    .describe(
      'The share of what both sides hold, in basis points, below which the side that is paid out on counts as ' +
        'running dry: the surcharge grows from 0 there to spreadBps at 0.',
    ),
});

/** What swaps cost and may be worth: for all directions, and for one alone where it is set. */
export const terms = z.strictObject({
  feeBps: basisPoints.default(25).describe('The fee of every direction that has none of its own, in basis points.'),
  flatSats: flatSats.default(0).describe('What each swap costs besides, whatever its amount.'),
  minSats: limit
    .default(1_000)
    .describe('The least that a swap pays out; more where dust or the costs of its networks ask for more.'),
  maxSats: limit.default(10_000_000).describe('The most that a swap pays out; less where liquidity or caps are less.'),
  directions: z
    .strictObject(directions)
    .prefault({})
    .describe('Fee and limits of a direction by its name; what is left out is as for all.'),
  inventory: inventory.prefault({}),
  overpaymentToleranceBps: z
    .int()
    .min(0)
    .max(10_000)
    .default(100)
    .describe('How much more than its price a coin of a client may hold, in basis points of the price.'),
  routingShareBps: z
    .int()
    .min(0)
    .max(10_000)
    .default(5_000)
    .describe(
      'Most of its protocol fee that the route of one payment may cost besides the network fee, in basis points: ' +
        'a payee may own the last hops and name their price.',
    ),
  exemptReferralCodes: z
    .array(z.string().trim().min(1).max(64))
    .default([])
    .describe('Referral codes whose swaps pay no fee in basis points; flat fee, spread and a surcharge stay.'),
});
