import { z } from 'zod';
import { partOf, unix as unixShape, type StatesOf, type ValueOf } from '../../../../legs/shape.ts';
import type { EvmAddress } from '../../../../domain/evm.ts';
import type { Sats } from '../../../../domain/money.ts';
import type { Unix } from '../../../../domain/time.ts';
import type { SpendTerms } from '../../../evm/shape.ts';
import type { EvmLeg, EvmOrderTerms } from '../../../evm/terms.ts';
import type { Leg, OrderTerms } from '../../../terms.ts';
import { frameOf, type Dealt } from '../../fund.ts';

/*
 * Tokens of our account, locked on an EVM chain by our signature, whatever is given for them. What the provider does
 * not take comes back: with its signature when it is out of the swap, alone from the timelock on.
 */

export type EvmFundTerms = EvmOrderTerms &
  Pick<OrderTerms, 'provider' | 'hash' | 'keyIndex' | 'restored'> & {
    /** Most that is locked, in smallest units of the token of the lock. */
    readonly sourceAmount: bigint;
    /** What is given for it, where that is another token. */
    readonly spend?: SpendTerms;
  };

/** What is given for the tokens, in sats: it bounds what saving them may cost. */
export type SatsLeg = Leg & { readonly amount: Sats };

const txid = z.string();

/** Of every stage. */
export const base = {
  /**
   * Our lock as the chain has it: it holds what the coordinator held, which whoever sent it a coin made more than was
   * agreed.
   */
  made: z.strictObject({ txid, amount: z.bigint() }).nullable(),
  /**
   * Until then, by the chain's clock, our tokens may be locked by a signature that we gave; null while none was given.
   */
  signedUntil: unixShape.nullable(),
  /** The provider took the lock with the secret, by this transaction. */
  takenBy: txid.nullable(),
  /** The provider sends the refund that we signed. */
  relayed: z.boolean(),
};

/** `notBefore`: something did not work for this reason, and is not tried again before. */
const pausing = { notBefore: unixShape.nullable(), declined: z.string().nullable() };

export const stages = {
  /** Our account does not hold the tokens yet. */
  waiting: pausing,
  /** Our signature was given. */
  funding: { by: z.enum(['provider', 'node']), sent: txid.nullable(), signedUntil: unixShape },
  /** Our lock stands. */
  funded: pausing,
  /** The provider is asked to give it back before its timelock. */
  asking: {},
  /** From the timelock on nobody is needed. */
  refunding: { sent: txid.nullable() },
  done: { refundTxid: txid },
  claimed: {},
  /** The provider has both. */
  lost: {},
  /** Never locked, and too late to be. */
  lapsed: {},
} as const;

export type Base = Dealt<EvmLeg, SatsLeg> & ValueOf<typeof base>;
type Stages = StatesOf<typeof stages>;
export type EvmFunding = Stages[keyof Stages] & Base;
export type Stage<S extends keyof Stages> = Stages[S] & Base;
export type Made = Base['made'];

const ownOf = partOf(base);

export function baseOf(p: Base): Base {
  return { ...frameOf(p), ...ownOf(p) };
}

export function fundedAs(p: Base, notBefore: Unix | null = null, declined: string | null = null): Stage<'funded'> {
  return { at: 'funded', notBefore, declined, ...baseOf(p) };
}

/** What our account has to hold, most that leaves it: of which token, in its smallest units. */
export function givenBy(
  { spend }: EvmFundTerms,
  { deal }: Base,
): { readonly token: EvmAddress; readonly amount: bigint } {
  const { token, amount } = deal.source.lock;
  return spend === undefined ? { token, amount } : { token: spend.token.address, amount: spend.most };
}
