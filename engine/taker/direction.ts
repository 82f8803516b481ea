import type { TakerSwapRequest } from '../contract/taker.ts';
import type { BitcoinNetwork } from '../domain/chain.ts';
import type { Refusal } from '../domain/errors.ts';
import type { EvmAddress } from '../domain/evm.ts';
import type { Preimage } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { Clocks, Unix } from '../domain/time.ts';
import type { DecodeInvoice } from '../legs/lightning/invoice.ts';
import type { Effect, Machine } from '../swap/machine.ts';
import type { OrderedExchange } from './evm/exchange.ts';
import type { EvmOrderTerms } from './evm/terms.ts';
import type { Facts, TurnView } from './facts.ts';
import type { ProviderPort } from './port.ts';
import type { Restorable } from './restore/restoring.ts';
import type { Agreed, OrderTerms, TakerOperator, TakerProgress } from './terms.ts';

/** What an order is made from. */
export interface Ordering {
  readonly request: TakerSwapRequest;
  readonly provider: Pick<ProviderPort, 'quote' | 'quoteOnEvm'>;
  readonly network: BitcoinNetwork;
  readonly wall: Unix;
  readonly decodeInvoice: DecodeInvoice;
  /** A new address of our Arkade wallet; null while there is no operator. */
  arkadeAddress(): Promise<string | null>;
  /** False while there is no Bitcoin wallet, to which what was paid on the chain could come back. */
  bitcoinWallet(): boolean;
  /** The Arkade operator as we read it; rejects while there is none. Only for what has a leg on Arkade. */
  operator(): TakerOperator;
  /** An EVM chain as we read it, for a swap of so much. Only for what has a leg there. */
  evm(chainId: number, value: Sats): Promise<Omit<EvmOrderTerms, 'evmKey' | 'gasless'> | Refusal>;
  /** Our own exchange there, for a token that no swap locks. */
  exchange(chainId: number, token: EvmAddress): Promise<OrderedExchange | Refusal>;
}

/** What was quoted and agreed, before the swap has keys. */
export interface Order<T extends OrderTerms> {
  readonly value: Sats;
  terms(agreed: Agreed, secret: Preimage): T;
}

/** All that the taker's operations know of one direction. */
export interface TakenDirection<T extends OrderTerms = OrderTerms> {
  readonly source: 'Arkade' | 'Lightning' | 'Bitcoin' | 'evm';
  readonly target: 'Arkade' | 'Lightning' | 'Bitcoin' | 'evm';
  /** Networks without which it is not begun; an EVM chain as the request names it. */
  readonly needs: readonly ('arkade' | 'bitcoin')[];
  /** Whose secret the swap hangs on. Ours is on the disk before anybody is asked for anything. */
  readonly secret: 'ours' | 'payee';
  machine(decode: DecodeInvoice): Machine<T, TakerProgress>;
  order(ordering: Ordering): Promise<Order<T> | Refusal>;
  effects(terms: T): readonly Effect[];
  facts(terms: T, progress: TakerProgress, now: Clocks): Facts;
  steps(progress: TakerProgress, terms: T): TurnView;
  /**
   * The script on Arkade that is looked at before a refund is refused, where it may have been paid late; null for none.
   */
  lateScript(progress: TakerProgress): Uint8Array | null;
  /** How its swaps are found again from the seed. */
  readonly restorable: Restorable<T>;
  /** Why there is never anything to ask back; null where there may be. */
  readonly neverRefunded: string | null;
}
