import { seconds, type Seconds } from '../domain/time.ts';

/**
 * The numbers of facts/timelocks.md, shorter on regtest only. `config.ts` owns the values and
 * asserts `policyFaults` at boot.
 */
export interface TimeoutPolicy {
  /** Least life of the leg that the client funds, from creation. */
  readonly clientLeg: Seconds;
  /** Life of the leg that the service funds, from creation. */
  readonly serverLeg: Seconds;
  /** How long a swap waits for the client's money. */
  readonly fundingWindow: Seconds;
  /** Reaction, confirmation and reorganisation: added wherever one leg must outlive another. */
  readonly margin: Seconds;
  /** Longest life of a payout's leg: an invoice that needs more is refused. */
  readonly longestLeg: Seconds;
  /** Blocks that a route may take on top of the invoice's final CLTV delta. */
  readonly routeBlocks: number;
  /**
   * Blocks that an HTLC of a payment of ours may take on the chain past its timeout until it is back or its secret
   * shows, its peer delaying it (facts/faults.md 275). Left out of swaps that were agreed on without.
   */
  readonly resolveBlocks?: number;
  /** Seconds a block takes when blocks come slowly: turns a Lightning timeout into a time that surely lies after it. */
  readonly slowBlock: Seconds;
  /** Seconds a block takes when blocks come fast: turns a time into a height that surely lies after it. */
  readonly fastBlock: Seconds;
  /** Furthest that median time past trails true time: the guard stops new swaps where it seems to trail further. */
  readonly mtpLag: Seconds;
  /** Blocks before an HTLC's timeout at which lnd cancels a held payment itself; 12 on 0.20, 18 on 0.21. */
  readonly lndCancelBlocks: number;
  /** Blocks kept between our last act and lnd's own cancel. */
  readonly reactionBlocks: number;
  /** Least time a client must have left to claim what the service locks; with less nothing is locked. */
  readonly leastClaimTime: Seconds;
  /**
   * How far the wall may be past a chain's clock until the chain, or every source of it, stands still: no secret of
   * ours leaves us for what lies there (facts/faults.md 142). Left out where blocks come on request.
   */
  readonly bitcoinStillAfter?: Seconds;
  readonly evmStillAfter?: Seconds;
}

/**
 * The policy of every network with real money. 750 s a block: slower than the slowest day in a thousand (108 blocks of
 * 144, facts/timelocks.md 17). 450 s: faster than the fastest one (182 blocks).
 */
export const defaultPolicy: TimeoutPolicy = {
  clientLeg: seconds(24 * 3_600),
  serverLeg: seconds(12 * 3_600),
  fundingWindow: seconds(30 * 60),
  margin: seconds(2 * 3_600),
  longestLeg: seconds(7 * 86_400),
  routeBlocks: 144,
  resolveBlocks: 32,
  slowBlock: seconds(750),
  fastBlock: seconds(450),
  mtpLag: seconds(3 * 3_600),
  lndCancelBlocks: 18,
  reactionBlocks: 6,
  leastClaimTime: seconds(2 * 3_600),
};

/** lnd refuses a limit below final CLTV delta plus three blocks, so that a new block cannot fail the last hop. */
export const finalHopPadding = 3;

/** What contradicts itself in a policy, one sentence each; empty when every relation holds. */
export function policyFaults(p: TimeoutPolicy): string[] {
  const faults: string[] = [];
  function demand(holds: boolean, sentence: string): void {
    if (!holds) faults.push(sentence);
  }
  const says = (setting: string, value: number): string => `(timing.${setting}, ${value} s)`;
  const clientLeg = `client's leg ${says('clientLegSeconds', p.clientLeg)}`;
  const serviceLeg = `service's leg ${says('serviceLegSeconds', p.serverLeg)}`;
  const margin = `margin ${says('marginSeconds', p.margin)}`;
  const window = `funding window ${says('fundingWindowSeconds', p.fundingWindow)}`;
  const lag = `lag of median time past ${says('medianTimeLagSeconds', p.mtpLag)}`;
  demand(p.clientLeg >= p.serverLeg + p.margin, `The ${clientLeg} must outlive the ${serviceLeg} by the ${margin}.`);
  demand(
    p.longestLeg >= p.clientLeg,
    `The longest leg ${says('longestLegSeconds', p.longestLeg)} must not be shorter than the ${clientLeg}.`,
  );
  demand(
    p.clientLeg > p.fundingWindow + p.mtpLag + p.margin,
    `The ${clientLeg} must be longer than the ${window}, the ${lag} and the ${margin}.`,
  );
  demand(
    p.serverLeg >= p.fundingWindow + p.mtpLag + p.leastClaimTime,
    `The ${serviceLeg} must hold the ${window}, the ${lag} and the least time to claim (${p.leastClaimTime} s).`,
  );
  demand(
    p.fundingWindow <= p.margin / 2,
    `The ${window} must fit into half of the ${margin}: payments start that late.`,
  );
  demand(
    p.slowBlock >= p.fastBlock && p.fastBlock > 0,
    `A slow block (${p.slowBlock} s) must not be shorter than a fast one ${says('fastBlockSeconds', p.fastBlock)}, ` +
      'and neither is zero.',
  );
  demand(
    p.lndCancelBlocks >= 12 && p.reactionBlocks >= 1,
    'lnd cancels held payments 12 to 18 blocks early, and at least one block is needed to react; ' +
      `${p.lndCancelBlocks} and ${p.reactionBlocks} were given.`,
  );
  demand(
    p.routeBlocks >= finalHopPadding && (p.routeBlocks - finalHopPadding) * p.slowBlock >= p.mtpLag,
    `A route needs at least ${finalHopPadding} blocks, and those that the ${lag} may take; ${p.routeBlocks} were given.`,
  );
  return faults;
}
