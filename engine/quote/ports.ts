import type { Refusal } from '../domain/errors.ts';
import type { EvmAddress } from '../domain/evm.ts';
import type { Sats } from '../domain/money.ts';
import type { Unix } from '../domain/time.ts';
import type { Call } from '../legs/evm/contracts.ts';

/** Where a payout goes when the client names a place instead of an invoice. */
export type PayTarget = { readonly lightning_address: string } | { readonly lnurl: string };

/**
 * Turns a place into a BOLT 11 invoice over exactly `amount` (LUD-06, LUD-16). A refusal is `invalid` when the place or
 * its owner says no, and `unavailable` when nobody answered; either way nothing was bought and asking again is
 * harmless.
 */
export interface InvoiceResolver {
  resolve(target: PayTarget, amount: Sats): Promise<string | Refusal>;
  /** Asks the place whether it would take `amount`, and for no invoice. */
  check(target: PayTarget, amount: Sats): Promise<Refusal | null>;
}

/** What a place takes at once, whole sats at both ends. */
export interface PayeeRange {
  readonly least: Sats;
  readonly most: Sats;
}

/** The same for an owner who pays: told what a place takes before there is an amount. */
export interface PayeeReader extends InvoiceResolver {
  range(target: PayTarget): Promise<PayeeRange | Refusal>;
}

/** Two tokens of one chain, and which of the two amounts is fixed, in its smallest units. */
export interface DexQuery {
  readonly from: EvmAddress;
  readonly to: EvmAddress;
  readonly pinned: 'in' | 'out';
  readonly amount: bigint;
}

/**
 * For whom a price is asked where it is not the node itself: a client that may go on to a swap, null for one that is
 * not counted; an unfunded swap, or one whose lock its client claims, by its hash as hex.
 */
export type DexAsker =
  | { readonly is: 'client'; readonly client: string | null }
  | { readonly is: 'funding' | 'claim'; readonly hash: string };

/** A pool on the way from one token to another. */
export interface DexHop {
  readonly from: EvmAddress;
  readonly to: EvmAddress;
  /** What the pool takes, in millionths. */
  readonly fee: number;
}

/** What the pools give now: one of the amounts is that of the query. Nothing is promised by it. */
export interface DexQuote extends DexQuery {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly route: readonly DexHop[];
  /** By the wall, before the pools were asked. */
  readonly asked: Unix;
}

/** What the calls of an exchange may be, and nothing else: whatever is signed or relayed is held against it. */
export interface DexRules {
  /** The one contract that is called beside the token, and the one that may be approved. */
  readonly router: EvmAddress;
  /** The first four bytes of the calls that may be made to it, as hex without 0x. */
  readonly selectors: readonly string[];
}

/**
 * Where tokens of one chain are exchanged. Asking it changes nothing and may be repeated; it rejects with a
 * `PortFailure` when nobody answers. A refusal is `invalid` where there is no way between the tokens or too little on
 * it for the amount, `unavailable` where its prices are not believed.
 */
export interface DexPort {
  /** What clients are told that they exchange with. */
  readonly name: string;
  readonly rules: DexRules;
  /**
   * `agreed`: two RPCs must say the very same, where there are two. `by`: so many at once of each kind, and of each
   * asker, are asked for, and no more; the node itself always asks.
   */
  quote(query: DexQuery, how?: { readonly agreed?: boolean; readonly by?: DexAsker }): Promise<DexQuote | Refusal>;
  /** The coin of the chain as a token of its own, with which the coin is priced. `agreed`: as above. */
  wrappedCoin(how?: { readonly agreed: boolean }): Promise<EvmAddress>;
  /**
   * The approval of exactly what goes in, and the exchange, which pays `recipient`. `bound`: with the amount in pinned
   * the least that comes out, with the amount out pinned the most that goes in; beyond it the exchange reverts. Throws
   * for a quote of more than a minute ago.
   */
  calls(quote: DexQuote, bound: bigint, recipient: EvmAddress): readonly [approval: Call, exchange: Call];
}

/** Where the USDC of a claim leaves for other chains: our own contract, which burns what it holds. */
export interface BridgePort {
  readonly chainId: number;
  readonly usdc: EvmAddress;
  readonly adapter: EvmAddress;
  /** What is kept for bringing USDC to a chain, in its smallest units, as the owner set it. */
  readonly fees: { readonly ethereum: number; readonly others: number };
  /** Whether the contract stands there and answers as ours does. */
  stands(): Promise<boolean>;
}
