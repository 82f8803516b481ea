import type { Event } from '../../../swap/machine.ts';
import type { Ports } from '../../ports.ts';
import type { CoinContext } from '../arkade/context.ts';
import type { EvmContext } from '../evm/context.ts';
import type { OnchainContext } from '../onchain/context.ts';

/**
 * What the executors of a provider's effects have at hand: a provider is shown what the taker holds and signs on the
 * networks.
 */
export interface ProviderContext extends EvmContext, CoinContext, OnchainContext {
  readonly ports: EvmContext['ports'] & CoinContext['ports'] & OnchainContext['ports'] & Pick<Ports, 'providers'>;
  readonly store: EvmContext['store'] & CoinContext['store'] & OnchainContext['store'];
  /** Whether the swap would move by it as it stands: nothing is saved. */
  moves(event: Event): boolean;
}
