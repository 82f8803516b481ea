import type { ArkadeContext } from './arkade/context.ts';
import type { EvmContext } from './evm/context.ts';
import type { LightningContext } from './lightning/context.ts';
import type { OnchainContext } from './onchain/context.ts';
import type { ProviderContext } from './provider/context.ts';

/** The context of each network for one effect, of which its executor takes its own. */
export interface Contexts {
  readonly lightning: LightningContext;
  readonly arkade: ArkadeContext;
  readonly onchain: OnchainContext;
  readonly evm: EvmContext;
  readonly provider: ProviderContext;
}
