import type { Ceilings } from '../../../quote/ceilings.ts';
import type { Store } from '../../../store/store.ts';
import type { Ports } from '../../ports.ts';
import type { UnpaidCosts } from '../../unpaid.ts';
import type { Wallets } from '../../wallets.ts';
import type { CommonContext, Judge } from '../context.ts';
import type { JointClaims } from './joint-claims.ts';
import type { SentMemory } from '../sent-memory.ts';

/** Whoever sends something to the Bitcoin chain, whatever it takes there. */
export interface ChainContext extends CommonContext {
  readonly ports: Pick<Ports, 'bitcoin' | 'bitcoinWallet'>;
  readonly store: Pick<
    Store,
    'atomically' | 'effects' | 'journal' | 'outlays' | 'preimages' | 'swaps' | 'transactions'
  >;
  /** One preparation of wallet coins at a time: two would choose the same ones. */
  readonly alone: Wallets['alone'];
  /** What the owner lets an act cost that nobody watches. */
  ceilings(): Ceilings;
  /** What is spent before a fee comes, and whether there is room for more of it. */
  readonly unpaid: UnpaidCosts;
}

/** What the executors of the Bitcoin chain's effects have at hand. */
export interface OnchainContext extends ChainContext {
  readonly store: ChainContext['store'] & Pick<Store, 'intents' | 'partials'>;
  readonly judge: Judge;
  /** Whether the owner wants what this subject has on its way to pay more: true once for each time that it was said. */
  raiseAsked(): boolean;
  /** Where it is noted that a node of the chain took a transaction. */
  readonly taken: Pick<SentMemory, 'add' | 'forget'>;
  readonly jointClaims: Pick<JointClaims, 'ask' | 'of' | 'end'>;
}
