import type { Config } from '../config.ts';
import type { DecodeInvoice } from '../legs/lightning/invoice.ts';
import type { KeyRef, Signer } from '../legs/signer.ts';
import type { TimeoutPolicy } from '../legs/timeout-policy.ts';
import type { InvoiceResolver } from '../quote/ports.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { HighWater } from '../store/high-water.ts';
import type { Books } from './books/books.ts';
import type { Directions } from './directions/direction.ts';
import type { UnilateralExits } from './exits/unilateral.ts';
import type { LooseLocks } from './limits/loose-locks.ts';
import type { Markets } from './market/markets.ts';
import type { Networks } from './networks/networks.ts';
import type { Renewal } from './wallet/renewal.ts';
import type { Spreads } from './price/spreads.ts';
import type { Unpaid } from './evm/unpaid.ts';

/** What the node's operations stand on. */
export interface ServiceContext {
  readonly runtime: Runtime;
  readonly directions: Directions;
  readonly networks: Networks;
  /** What swaps over EVM chains are priced with. */
  readonly markets: Markets;
  /** What swaps cost that bring no fee. */
  readonly unpaid: Unpaid;
  /** What was added to fees lately for what the node holds. */
  readonly spreads: Spreads;
  readonly renewal: Pick<Renewal, 'waiting'>;
  readonly unilateralExits: Pick<UnilateralExits, 'leave'>;
  /** The wallets by the books; left out by a node that compares them with nothing. */
  readonly books?: Pick<Books, 'states' | 'writeOff'>;
  /** What we may lock without knowing the length of the secret; left out by a node that never does. */
  readonly loose?: LooseLocks;
  /** As it is in force now: the owner changes it while the node runs. */
  readonly config: Config;
  readonly policy: TimeoutPolicy;
  readonly signer: (ref: KeyRef) => Signer;
  readonly resolver: InvoiceResolver;
  readonly decodeInvoice: DecodeInvoice;
  readonly highWater: HighWater;
  /** Whether strangers are offered swaps. */
  readonly live: () => boolean;
  /** Whether the owner asks, who swaps with the node before strangers may. */
  readonly forOwner: boolean;
}

/** A request with whose places it takes; null for whoever is not counted. */
export type From<R> = R & { readonly client?: string | null };

/** The same node, as its owner is served by it. */
export function servingOwner(context: ServiceContext): ServiceContext {
  return {
    ...context,
    get config() {
      return context.config;
    },
    get policy() {
      return context.policy;
    },
    forOwner: true,
  };
}
