import type { EvmAddress } from '../../domain/evm.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { unix, type Unix } from '../../domain/time.ts';
import type { EvmLeg, EvmOrderTerms, ExchangeTerms } from '../evm/terms.ts';
import type { Opening } from '../opening.ts';
import type { OrderTerms, TakerOperator } from '../terms.ts';
import { leastTimeToPay } from '../verify.ts';
import type { Dealt, VhtlcSourceProgress } from '../vhtlc-source/terms.ts';

/** We fund a VHTLC, the provider locks a token worth bitcoin on an EVM chain, and we claim it with a secret of ours. */
export interface TakeArkadeEvmTerms extends OrderTerms, EvmOrderTerms {
  readonly operator: TakerOperator;
  /** Exactly this is paid. */
  readonly sourceAmount: Sats;
  /** Least that comes out, in smallest units of the token; what was expected of it where it is exchanged. */
  readonly targetAmount: bigint;
  /** Where the claim pays. */
  readonly destination: EvmAddress;
  /** Left out where the token of the lock is what is wanted. */
  readonly exchange?: ExchangeTerms;
}

/**
 * Until then the provider surely takes the payment: its window counts from its own create, for which its answer came in
 * time.
 */
export function payableUntil({ createBefore, policy }: Pick<TakeArkadeEvmTerms, 'createBefore' | 'policy'>): Unix {
  return unix(createBefore + policy.fundingWindow - leastTimeToPay);
}

/** Why the claim waits for its exchange, and how it was tried last: by the wall, and by whom. */
export interface PriceWait {
  readonly since: Unix;
  readonly by: 'provider' | 'node';
  readonly reason: string;
  /** Claims of ours with an exchange that the chain refused. */
  readonly reverts: number;
}

/** What is known of the provider's lock, beside our coins. */
export interface Target {
  /** The transaction that made the lock which we may claim; null while there is none. */
  readonly lockTxid: Txid | null;
  /** Why it is not claimed. */
  readonly unsafe: string | null;
  /** Our claim, once the chain shows it. */
  readonly claimTxid: Txid | null;
  /** The provider took its lock back, for good. */
  readonly takenBack: boolean;
  /** Left out while nothing waits for an exchange. */
  readonly price?: PriceWait;
  /**
   * What the claim brought, in smallest units of the token that was wanted and of that of the lock; left out until the
   * chain has told.
   */
  readonly arrived?: { readonly wanted: bigint; readonly locked: bigint };
}

type Base = Dealt<EvmLeg> & Target;

/**
 * The secret may have left us: nothing but the end of the lock stops the claim. `by`: who sends it; `since`: when they
 * were asked, by the wall. `sent`: our own transaction.
 */
interface Claiming {
  readonly at: 'claiming';
  readonly by: 'provider' | 'node';
  readonly since: Unix;
  readonly sent: Txid | null;
  /** What the provider said when it did not claim for us. */
  readonly declined: string | null;
  /** Nobody but our own transaction was asked for, and that is not signed yet: the secret is still ours. */
  readonly alone?: boolean;
}

export type TakeArkadeEvmProgress =
  | Opening
  | (VhtlcSourceProgress<EvmLeg> & Target)
  | (Claiming & Base)
  /** The tokens are at their destination, for good. The provider has yet to take our coin. */
  | ({ readonly at: 'claimed' } & Base);

export function targetOf({ lockTxid, unsafe, claimTxid, takenBack, price, arrived }: Target): Target {
  return {
    ...{ lockTxid, unsafe, claimTxid, takenBack },
    ...(price === undefined ? {} : { price }),
    ...(arrived === undefined ? {} : { arrived }),
  };
}

export const nothingLocked: Target = { lockTxid: null, unsafe: null, claimTxid: null, takenBack: false };
