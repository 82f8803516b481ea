import { z } from 'zod';
import { listOf, outpoint, partOf, unix, type StatesOf, type ValueOf } from '../../../../legs/shape.ts';
import { extraCoin } from '../../../../swap/halves/extra-coins.ts';
import type { ArkadeLeg, ArkadeOrderTerms, Leg } from '../../../terms.ts';
import { frameOf, type Dealt } from '../../fund.ts';

/*
 * Coins of ours at a VHTLC, whatever is given for them. Every coin that the provider did not take is ours to refund:
 * with its signature when it is out of the swap, alone after the locktime.
 */

export type ArkadeFundTerms = Pick<ArkadeOrderTerms, 'provider' | 'keyIndex' | 'hash' | 'policy' | 'sourceAmount'>;

const txid = z.string();
const yes = z.literal(true).exactOptional();

/** Of every stage. */
export const base = {
  /** Every coin that was ever seen at our script. */
  coins: listOf(extraCoin),
  /** When the first of those that are not spent expires; null where none does, or none was looked at since. */
  expiresAt: unix.nullable(),
  /** Set once the provider's claim showed the preimage: it has given what was agreed. Other coins may still be ours. */
  proof: z.strictObject({ claimTxid: txid.nullable() }).nullable(),
  /**
   * The coin that is the provider's for what it gave, and that it has not taken by the locktime: the others come back
   * (facts/faults.md 326).
   */
  untaken: outpoint.exactOptional(),
};

export const stages = {
  /** Nothing came yet; the address is watched until the locktime, for it may be paid late. */
  waiting: {},
  /** `notBefore`: a refund failed, for this reason, and is not tried again before. */
  funded: { notBefore: unix.nullable(), declined: z.string().nullable() },
  asking: { coin: outpoint },
  /**
   * `exit`: the coin left the operator, and `refundTxid` is a transaction on the chain. `halted`: the operator called
   * it spent when we came for it.
   */
  refunding: { coin: outpoint, refundTxid: txid.nullable(), exit: yes, halted: yes },
  /** What was bought is ours, and the provider has yet to take our coin. */
  claimed: {},
  /** `over`: the locktime has passed, and the address is not watched any more. */
  done: { refundTxid: txid.nullable(), over: z.boolean() },
  lapsed: {},
} as const;

export type Base<G extends Leg = Leg> = Dealt<ArkadeLeg, G> & ValueOf<typeof base>;
type Stages = StatesOf<typeof stages>;
export type ArkadeFunding = Stages[keyof Stages] & Base;
export type Stage<S extends keyof Stages> = Stages[S] & Base;

const ownOf = partOf(base);

export function baseOf(p: Base): Base {
  return { ...frameOf(p), ...ownOf(p) };
}

export function fundedAs(p: Base, notBefore: Stage<'funded'>['notBefore'] = null, declined: string | null = null) {
  return { at: 'funded', notBefore, declined, ...baseOf(p) } as const;
}
