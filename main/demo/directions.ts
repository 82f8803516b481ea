import { arkadeEvmStops } from './arkade-evm.ts';
import { arkadeLightningStops } from './arkade-lightning.ts';
import { evmLightningStops } from './evm-lightning.ts';
import { lightningArkadeStops } from './lightning-arkade.ts';
import type { Stop } from './tour.ts';

/** What the tour shows of each direction. A new one is a line here. */
export const stops: readonly Stop[] = [
  ...lightningArkadeStops,
  ...arkadeLightningStops,
  ...arkadeEvmStops,
  ...evmLightningStops,
];
