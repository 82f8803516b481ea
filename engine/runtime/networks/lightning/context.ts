import type { Store } from '../../../store/store.ts';
import type { Ports } from '../../ports.ts';
import type { CommonContext, Judge } from '../context.ts';

/** What the executors of Lightning's effects have at hand. */
export interface LightningContext extends CommonContext {
  readonly ports: Ports;
  readonly store: Pick<Store, 'intents' | 'preimages' | 'swaps'>;
  readonly judge: Judge;
}
