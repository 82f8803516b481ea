import type { DirectionName } from '../../engine/domain/chain.ts';
import { arkadeBitcoinStops } from './arkade-bitcoin.ts';
import { arkadeEvmStops } from './arkade-evm.ts';
import { arkadeLightningStops } from './arkade-lightning.ts';
import { bitcoinArkadeStops } from './bitcoin-arkade.ts';
import { evmArkadeStops } from './evm-arkade.ts';
import { bitcoinEvmStops } from './bitcoin-evm.ts';
import { evmBitcoinStops } from './evm-bitcoin.ts';
import { evmLightningStops } from './evm-lightning.ts';
import { lightningArkadeStops } from './lightning-arkade.ts';
import { lightningEvmStops } from './lightning-evm.ts';
import { lightningBitcoinStops } from './lightning-bitcoin.ts';
import { bitcoinLightningStops } from './bitcoin-lightning.ts';
import type { Stop, Stops } from './tour.ts';

/** What the tour shows of each direction. A new one is a line here. */
const directions: Readonly<Record<DirectionName, Stops>> = {
  'lightning-arkade': lightningArkadeStops,
  'arkade-lightning': arkadeLightningStops,
  'bitcoin-arkade': bitcoinArkadeStops,
  'arkade-evm': arkadeEvmStops,
  'evm-lightning': evmLightningStops,
  'evm-bitcoin': evmBitcoinStops,
  'lightning-evm': lightningEvmStops,
  'evm-arkade': evmArkadeStops,
  'bitcoin-evm': bitcoinEvmStops,
  'lightning-bitcoin': lightningBitcoinStops,
  'bitcoin-lightning': bitcoinLightningStops,
  'arkade-bitcoin': arkadeBitcoinStops,
};

/** The swaps first, and then what comes back when they cannot be. */
export const stops: readonly Stop[] = [
  ...Object.values(directions).flatMap(({ swaps }) => swaps),
  ...Object.values(directions).flatMap(({ refunds }) => refunds),
];
