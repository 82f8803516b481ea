import { z } from 'zod';
import { outpoint, sats, unix, type ValueOf } from '../../../../legs/shape.ts';
import { coinTaking } from '../../../../swap/halves/bitcoin/taking-shape.ts';
import type { OrderTerms } from '../../../terms.ts';

const txid = z.string();

/** What of the terms a claim of the provider's coin hangs on. */
export type BitcoinClaimTerms = Pick<OrderTerms, 'provider' | 'keyIndex' | 'policy'> & {
  readonly targetAmount: bigint;
};

/** A coin of the provider's at the HTLC. */
const payoutCoin = z.strictObject({ outpoint, amount: sats });
export type PayoutCoin = Readonly<z.infer<typeof payoutCoin>>;

/** In every stage. */
export const facts = {
  /** Its coin that we claim, or would; null while there is none. */
  coin: payoutCoin.nullable(),
  /** Why that is not claimed. */
  unsafe: z.string().nullable(),
  /** Our claim, once it is buried. */
  claimTxid: txid.nullable(),
  /** The provider took its coin back, for good. */
  takenBack: z.boolean(),
  /** Takes a coin by the key of both, and we never signed for that. */
  byKey: txid.exactOptional(),
};

/**
 * Our secret leaves us with the claim: from then on nothing but the end of the coin stops it. `shown`: it has surely
 * left us. What made the coin is kept from before that. `together`: the provider is asked to spend it with us by the
 * key of both, and is waited for until then, by the wall; null once that is over. `byKey`: takes it so, and we never
 * signed for that.
 */
export const claiming = {
  coin: payoutCoin,
  ...coinTaking,
  shown: z.boolean(),
  together: z.strictObject({ until: unix.nullable() }).exactOptional(),
  byKey: txid.exactOptional(),
};

export type LockFacts = ValueOf<typeof facts>;
export type Claiming = ValueOf<typeof claiming>;
