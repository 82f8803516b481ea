import type { DirectionName } from '../../domain/chain.ts';
import { arkadeBitcoinDirection } from './arkade-bitcoin.ts';
import { arkadeEvmDirection } from './arkade-evm.ts';
import { arkadeLightningDirection } from './arkade-lightning.ts';
import { bitcoinArkadeDirection } from './bitcoin-arkade.ts';
import { bitcoinEvmDirection } from './bitcoin-evm.ts';
import type { Directions } from './direction.ts';
import type { Entries, Entry } from './entry.ts';
import { evmArkadeDirection } from './evm-arkade.ts';
import { evmBitcoinDirection } from './evm-bitcoin.ts';
import { evmLightningDirection } from './evm-lightning.ts';
import { lightningArkadeDirection } from './lightning-arkade.ts';
import { lightningEvmDirection } from './lightning-evm.ts';
import { lightningBitcoinDirection } from './lightning-bitcoin.ts';
import { bitcoinLightningDirection } from './bitcoin-lightning.ts';

/** The directions that this build can swap. A new one is a line here. */
const all = [
  lightningArkadeDirection,
  arkadeLightningDirection,
  arkadeEvmDirection,
  evmLightningDirection,
  evmBitcoinDirection,
  bitcoinArkadeDirection,
  lightningEvmDirection,
  evmArkadeDirection,
  bitcoinEvmDirection,
  lightningBitcoinDirection,
  bitcoinLightningDirection,
  arkadeBitcoinDirection,
] as const;

const byName: { readonly [D in DirectionName]?: Entry<D> } = Object.fromEntries(all.map((one) => [one.name, one]));

export const directions: Directions & Entries = {
  all,
  find: (name) => byName[name] ?? null,
  of: (machine) => all.find(({ name }) => name === machine) ?? null,
};
