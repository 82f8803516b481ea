import { noSats, plus, sats, type Sats } from '../domain/money.ts';
import type { GasFees } from '../legs/evm/port.ts';
import { satsOfWeiUp, type CoinPrice } from './coin-price.ts';

/**
 * What each act takes at most, in units of gas: what was measured (`test/contracts/gas.test.ts`) and a fifth. Both
 * relays with an exchange over two pools, for a cost is told per pair of chains and never per token (facts/clients.md
 * 39).
 */
export const gasOf = {
  lock: 145_000n,
  claim: 130_000n,
  refund: 90_000n,
  relayClaim: 480_000n,
  relayFund: 600_000n,
  relayRefund: 180_000n,
  takerClaim: 180_000n,
  takerRefund: 120_000n,
} as const;

/** What a relay of ours may take, in units of gas: what its client pays for, the token's own permit with it. */
const paidFor: Readonly<Record<string, bigint>> = {
  'relay-claim': gasOf.relayClaim,
  'relay-fund': gasOf.relayFund,
  'relay-refund': gasOf.relayRefund,
  permit: 150_000n,
};
/** Where this pays for it no units are counted: some chains count what another one charges as gas of their own. */
const smallChange = sats(500);

/**
 * Whether a relay wants more gas than its client pays for. What it calls are tokens that anybody may have made: without
 * this bound one burns, for every swap, all that `gasBudget` allows (facts/faults.md 57). `gas` is the limit that would
 * be signed, a quarter above what was simulated; `cost` is null while nobody knows what gas costs.
 */
export function isOverPaid(purpose: string, gas: bigint, cost: Sats | null): boolean {
  const paid = paidFor[purpose];
  return paid !== undefined && gas * 2n > paid * 3n && (cost === null || cost > smallChange);
}

/**
 * What each act on the Bitcoin chain takes at most, in virtual bytes, of either form of an HTLC
 * (`test/legs/onchain/htlc.test.ts`): a claim or refund pays a Taproot output; a funding takes two coins of the wallet,
 * and brings change.
 */
export const bytesOf = { claim: 160, refund: 145, fund: 225 } as const;

/** What a lock of ours on the Bitcoin chain takes with the refund that may have to follow it. */
export const lockBytes = bytesOf.fund + bytesOf.refund;

/** The same on an EVM chain, with the relay of a claim where its client pays for one (`relays`). */
export function lockGas(relays: boolean): bigint {
  return gasOf.lock + gasOf.refund + (relays ? gasOf.relayClaim : 0n);
}

/** What an act costs now on the networks of a swap, rounded up. */
export interface Prices {
  /** On its EVM chain. */
  readonly gas: (units: bigint) => Sats;
  /** On the Bitcoin chain, of so many virtual bytes. */
  readonly bytes: (size: number) => Sats;
}

/** What our part in a swap costs on its networks. Each cost stands in one of the first three. */
export interface NetworkCosts {
  /** On the source: taking what the client locked, and bringing its lock there. */
  readonly source: Sats;
  /** On the target: our lock, and bringing the client's claim there. */
  readonly target: Sats;
  /** What is no network's: routing. */
  readonly flat: Sats;
  /** Of these, what falls away where the client sends its own transactions. */
  readonly relay: Sats;
  /** Taking and taking back, when it has to be: no swap is worth less than some times this. */
  readonly exit: Sats;
}

export function flatCost(flat: Sats): NetworkCosts {
  return { source: noSats, target: noSats, flat, relay: noSats, exit: noSats };
}

/** What clients call the network fee. */
export function networkFeeOf({ source, target, flat, relay }: NetworkCosts, gasless: boolean): Sats {
  const all = plus(plus(source, target), flat);
  return gasless ? all : sats(all - relay);
}

/** Present costs times how much dearer it may be by then, and times what a swap has to be worth beside them. */
const exitTimes = 9n;

/** The least that a swap is worth doing for (DECISIONS.md, "A minimum moves with the price of gas"). */
export function leastWorth({ exit }: NetworkCosts): Sats {
  return sats(exit * exitTimes);
}

/** What units of gas cost now, rounded up. */
export function satsOfGas(units: bigint, fees: GasFees, price: CoinPrice): Sats {
  return satsOfWeiUp(units * (fees.is === 'dynamic' ? fees.most : fees.price), price);
}
