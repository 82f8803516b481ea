import type { Store } from '../../../store/store.ts';
import type { Ports } from '../../ports.ts';
import type { CommonContext, Judge } from '../context.ts';
import type { ChainContext } from '../onchain/context.ts';

/** Whoever spends a coin that its operator lists. */
export interface CoinContext extends CommonContext {
  readonly ports: Pick<Ports, 'arkade' | 'bitcoin'>;
  readonly store: Pick<Store, 'exits' | 'transactions'>;
}

/** What the executors of Arkade's effects have at hand; a coin that left its operator is the chain's. */
export interface ArkadeContext extends ChainContext, CoinContext {
  readonly ports: ChainContext['ports'] & CoinContext['ports'];
  readonly store: ChainContext['store'] & CoinContext['store'] & Pick<Store, 'intents' | 'ownCoins' | 'settings'>;
  readonly judge: Judge;
  readonly signal: AbortSignal;
}
