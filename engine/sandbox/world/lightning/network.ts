import type { Party } from './records.ts';

/**
 * The graph: node — hub — outside wallet, one channel each. The hub asks lnd's default fee and CLTV delta, so that
 * routes have a cost and a length that limits can be tried on.
 */
const hubFee = { baseMsat: 1_000n, partsPerMillion: 1n };
export const hubCltvDelta = 80;
/** lnd's padding of the final CLTV, against blocks that come while the payment travels. */
export const finalCltvPadding = 3;
/** lnd's limit on a route's length where the caller sets none. */
export const defaultCltvLimit = 2_016;

export function routeFee(amountMsat: bigint): bigint {
  return hubFee.baseMsat + (amountMsat * hubFee.partsPerMillion) / 1_000_000n;
}

/** The most that one HTLC may carry over the hub, as its policy says: 5 BTC. */
export const largestPartMsat = 500_000_000_000n;

const sideMsat = 1_000_000_000_000n;

/** Millisatoshis on each side of both channels, and what is locked in HTLCs between them. */
export interface Balances {
  readonly node: bigint;
  /** The hub's side of the node's channel, and of the outside wallet's. */
  readonly hubToNode: bigint;
  readonly hubToOutside: bigint;
  readonly outside: bigint;
  /** Locked by payments that the node sent, and by those that it is to receive, in the node's channel. */
  readonly outgoing: bigint;
  readonly incoming: bigint;
  /** The same of the outside wallet's channel. */
  readonly outsideOutgoing: bigint;
  readonly outsideIncoming: bigint;
}

/** 10 BTC on each side of each channel. */
export const startBalances: Balances = {
  node: sideMsat,
  hubToNode: sideMsat,
  hubToOutside: sideMsat,
  outside: sideMsat,
  outgoing: 0n,
  incoming: 0n,
  outsideOutgoing: 0n,
  outsideIncoming: 0n,
};

export const channelCapacityMsat = 2n * sideMsat;

export interface Movement {
  readonly payer: Party;
  readonly amountMsat: bigint;
  readonly feeMsat: bigint;
}

/** Whether both hops can carry the payment now. */
export function canCarry(
  balances: Balances,
  { payer, amountMsat, feeMsat }: Movement,
): 'yes' | 'payer-short' | 'hub-short' {
  const [own, hub] = payer === 'node' ? [balances.node, balances.hubToOutside] : [balances.outside, balances.hubToNode];
  if (own < amountMsat + feeMsat) return 'payer-short';
  return hub < amountMsat ? 'hub-short' : 'yes';
}

export function lock(balances: Balances, { payer, amountMsat, feeMsat }: Movement): Balances {
  const total = amountMsat + feeMsat;
  return payer === 'node'
    ? {
        ...balances,
        node: balances.node - total,
        outgoing: balances.outgoing + total,
        hubToOutside: balances.hubToOutside - amountMsat,
        outsideIncoming: balances.outsideIncoming + amountMsat,
      }
    : {
        ...balances,
        outside: balances.outside - total,
        outsideOutgoing: balances.outsideOutgoing + total,
        hubToNode: balances.hubToNode - amountMsat,
        incoming: balances.incoming + amountMsat,
      };
}

export function unlock(balances: Balances, movement: Movement): Balances {
  const { payer, amountMsat, feeMsat } = movement;
  return lock(balances, { payer, amountMsat: -amountMsat, feeMsat: -feeMsat });
}

/** What was locked reaches the other side. */
export function deliver(balances: Balances, { payer, amountMsat, feeMsat }: Movement): Balances {
  const total = amountMsat + feeMsat;
  return payer === 'node'
    ? {
        ...balances,
        outgoing: balances.outgoing - total,
        hubToNode: balances.hubToNode + total,
        outsideIncoming: balances.outsideIncoming - amountMsat,
        outside: balances.outside + amountMsat,
      }
    : {
        ...balances,
        outsideOutgoing: balances.outsideOutgoing - total,
        hubToOutside: balances.hubToOutside + total,
        incoming: balances.incoming - amountMsat,
        node: balances.node + amountMsat,
      };
}
