import { z } from 'zod';
import type { EvmAddress } from '../../../../domain/evm.ts';
import { partOf, unix, type ValueOf } from '../../../../legs/shape.ts';
import type { EvmOrderTerms, ExchangeTerms } from '../../../evm/terms.ts';
import type { OrderTerms } from '../../../terms.ts';

/** What of the terms a claim of the provider's lock hangs on. */
export interface EvmClaimTerms extends EvmOrderTerms, Pick<OrderTerms, 'provider' | 'hash' | 'policy'> {
  /** Least that comes out, in smallest units of the token; what was expected of it where it is exchanged. */
  readonly targetAmount: bigint;
  /** Where the claim pays. */
  readonly destination: EvmAddress;
  /** Left out where the token of the lock is what is wanted. */
  readonly exchange?: ExchangeTerms;
}

/** Blocks that must stand on the provider's lock before our secret is shown for it. */
export function depthToShow({ burial, showDepth = burial }: EvmClaimTerms): number {
  return showDepth;
}

const txid = z.string();

/** Why the claim waits for its exchange, and how it was tried last: by the wall, and by whom. */
const priceWait = z.strictObject({
  since: unix,
  by: z.enum(['provider', 'node']),
  reason: z.string(),
  /** Claims of ours with an exchange that the chain refused. */
  reverts: z.number(),
});
export type PriceWait = Readonly<z.infer<typeof priceWait>>;

/** In every stage. */
export const facts = {
  /** The transaction that made the lock which we may claim; null while there is none. */
  lockTxid: txid.nullable(),
  /** Why it is not claimed. */
  unsafe: z.string().nullable(),
  /** Our claim, once the chain shows it. */
  claimTxid: txid.nullable(),
  /** The provider took its lock back, for good. */
  takenBack: z.boolean(),
  /** Left out while nothing waits for an exchange. */
  price: priceWait.exactOptional(),
  /**
   * What the claim brought, in smallest units of the token that was wanted and of that of the lock; left out until the
   * chain has told.
   */
  arrived: z.strictObject({ wanted: z.bigint(), locked: z.bigint() }).exactOptional(),
};

/**
 * The secret may have left us: nothing but the end of the lock stops the claim. `by`: who sends it; `since`: when they
 * were asked, by the wall. `sent`: our own transaction.
 */
export const claiming = {
  ...facts,
  by: z.enum(['provider', 'node']),
  since: unix,
  sent: txid.nullable(),
  /** What the provider said when it did not claim for us. */
  declined: z.string().nullable(),
  /** Nobody but our own transaction was asked for, and that is not signed yet: the secret is still ours. */
  alone: z.boolean(),
};

export type LockFacts = ValueOf<typeof facts>;
export type Claiming = ValueOf<typeof claiming>;

export const factsOf = partOf(facts);
