import { z } from 'zod';
import { listOf, outpoint, partOf, sats, unix, type StatesOf, type ValueOf } from '../../../../legs/shape.ts';
import { coinTaking } from '../../../../swap/halves/bitcoin/taking-shape.ts';
import { bitcoinLegFields } from '../../../shape.ts';
import type { Leg, OrderTerms } from '../../../terms.ts';
import { frameOf, type Dealt } from '../../fund.ts';

export type BitcoinFundTerms = Pick<OrderTerms, 'provider' | 'keyIndex' | 'hash' | 'restored'> & {
  readonly sourceAmount: bigint;
};

/** What we pay is claimed by the provider with the secret, and ours again after its locktime. */
export const paidLeg = z.strictObject({
  ...bitcoinLegFields,
  /** What is paid later may find the provider without the time to lock: it comes back, after the locktime. */
  payBefore: unix,
  /** Of our coin before the provider gives anything for it. */
  confirmations: z.number(),
});
export type PaidLeg = Readonly<z.infer<typeof paidLeg>>;

/** A coin that was paid to our HTLC, by us or by anybody. */
const paidCoin = z.strictObject({
  outpoint,
  amount: sats,
  /** In a block. */
  mined: z.boolean(),
  /** It has as many confirmations as the provider asks for. */
  deep: z.boolean(),
  /** What takes it, as its bytes say: the provider with the secret, or we by the locktime. */
  spend: z.strictObject({ txid: z.string(), by: z.enum(['claim', 'refund']), mined: z.boolean() }).nullable(),
});
export type PaidCoin = Readonly<z.infer<typeof paidCoin>>;

/** Of every stage. */
export const base = {
  /** The largest coins that lie or lay at our HTLC. */
  coins: listOf(paidCoin),
  /** The owner asked for what may have come after the end: the address is watched until then, by the wall. */
  lookUntil: unix.nullable(),
  /** Takes a coin by the key of both, and we never signed for that. */
  byKey: z.string().exactOptional(),
  /** What paid it, as the provider said first: a coin that it took while we slept is listed nowhere. */
  paidIn: z.string().exactOptional(),
  /** The provider's claim was asked after, for us to sign it: once. */
  signs: z.literal(true).exactOptional(),
  /** Our partial signature gave this coin to the provider, for its secret: it is never taken back. */
  cosign: outpoint.exactOptional(),
};

/** `over`: nothing of ours is at the address, and it is not watched any more. */
const over = { over: z.boolean() };

export const stages = {
  /** Nothing came yet; the address is watched until the locktime, for it may be paid late. */
  waiting: {},
  /** Coins of ours lie there. `declined`: the provider did not sign a refund, and is not asked again before. */
  funded: { declined: z.strictObject({ reason: z.string(), notBefore: unix }).exactOptional() },
  /** The provider is asked to spend a coin with us, by the key of both. */
  asking: { coin: outpoint },
  /** A coin goes back to us, by the locktime, or before it with the provider's signature (`joint`). */
  refunding: { coin: outpoint, joint: z.literal(true).exactOptional(), ...coinTaking },
  claimed: over,
  /** Everything that was paid is ours again. */
  done: over,
  /** The provider took its own back although the secret had left us: what is left at the address is taken back. */
  lost: over,
  /** Never paid, and too late to be. */
  lapsed: {},
} as const;

export type Base = Dealt<PaidLeg, Leg> & ValueOf<typeof base>;
type Stages = StatesOf<typeof stages>;
export type BitcoinFunding = Stages[keyof Stages] & Base;
export type Stage<S extends keyof Stages> = Stages[S] & Base;

const ownOf = partOf(base);

export function baseOf(p: Base): Base {
  return { ...frameOf(p), ...ownOf(p) };
}
