import { z } from 'zod';
import { outpoint, type ValueOf } from '../../../../legs/shape.ts';
import type { OrderTerms } from '../../../terms.ts';

const txid = z.string();
const yes = z.literal(true).exactOptional();

/** What of the terms a claim of the provider's VHTLC hangs on. */
export type ArkadeClaimTerms = Pick<OrderTerms, 'keyIndex' | 'hash' | 'policy'> & {
  /** Where the claim pays. */
  readonly targetAddress: string;
  readonly targetAmount: bigint;
};

/** In every stage. */
export const facts = {
  /** Why it is not claimed. */
  unsafe: z.string().nullable(),
  /** The coin that we claimed, and by what; null until that is final. */
  claim: z.strictObject({ txid, coin: outpoint.nullable() }).nullable(),
  /** The provider took it back, for good. */
  takenBack: z.boolean(),
};

/**
 * `exit`: the coin left the operator, and `claimTxid` is a transaction on the chain. `halted`: the operator called it
 * spent when we came for it. `told`: the operator has had our secret, and refused the claim all the same.
 */
export const claiming = { coin: outpoint, claimTxid: txid.nullable(), exit: yes, halted: yes, told: yes };

export type LockFacts = ValueOf<typeof facts>;
export type Claiming = ValueOf<typeof claiming>;
