import type { TakerSwapRequest } from '../contract/taker.ts';
import type { BitcoinNetwork } from '../domain/chain.ts';
import type { Refusal } from '../domain/errors.ts';
import type { Preimage } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import type { Unix } from '../domain/time.ts';
import type { DecodeInvoice } from '../legs/lightning/invoice.ts';
import type { Effect, Machine } from '../swap/machine.ts';
import type { ProviderPort } from './port.ts';
import type { Agreed, OrderTerms, TakerProgress } from './terms.ts';

/** What an order is made from. */
export interface Ordering {
  readonly request: TakerSwapRequest;
  readonly provider: ProviderPort;
  readonly network: BitcoinNetwork;
  readonly wall: Unix;
  readonly decodeInvoice: DecodeInvoice;
  /** A new address of our Arkade wallet; null while there is no operator. */
  arkadeAddress(): Promise<string | null>;
}

/** What was quoted and agreed, before the swap has keys. */
export interface Order<T extends OrderTerms> {
  readonly value: Sats;
  terms(agreed: Agreed, secret: Preimage): T;
}

/** All that the taker's operations know of one direction. */
export interface TakenDirection<T extends OrderTerms = OrderTerms, P extends TakerProgress = TakerProgress> {
  readonly source: 'Arkade' | 'Lightning';
  readonly target: 'Arkade' | 'Lightning';
  /** Whose secret the swap hangs on. Ours is on the disk before anybody is asked for anything. */
  readonly secret: 'ours' | 'payee';
  machine(decode: DecodeInvoice): Machine<T, P>;
  order(ordering: Ordering): Promise<Order<T> | Refusal>;
  effects(terms: T): readonly Effect[];
  /** True while the owner may ask for coins back. */
  canRefund(progress: P): boolean;
  /** Why there is never anything to ask back; null where there may be. */
  readonly neverRefunded: string | null;
}
