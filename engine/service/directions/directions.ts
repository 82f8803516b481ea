import type { DirectionName } from '../../domain/chain.ts';
import { arkadeEvmDirection } from './arkade-evm.ts';
import { arkadeLightningDirection } from './arkade-lightning.ts';
import { bitcoinArkadeDirection } from './bitcoin-arkade.ts';
import type { Direction } from './direction.ts';
import { evmBitcoinDirection } from './evm-bitcoin.ts';
import { evmLightningDirection } from './evm-lightning.ts';
import { lightningArkadeDirection } from './lightning-arkade.ts';

/** The directions that this build can swap. A new one is a line here. */
const all = [
  lightningArkadeDirection,
  arkadeLightningDirection,
  arkadeEvmDirection,
  evmLightningDirection,
  evmBitcoinDirection,
  bitcoinArkadeDirection,
] as const;

export type Built = (typeof all)[number]['name'];

const byName: { readonly [D in DirectionName]?: Direction<D> } = Object.fromEntries(all.map((one) => [one.name, one]));

export interface Directions {
  readonly all: readonly Direction<Built>[];
  /** Null for one that this build does not have. */
  find<D extends DirectionName>(name: D): Direction<D> | null;
  /** By the name of a machine; null for a wallet's job, and for a swap in which the node is the client. */
  of(machine: string): Direction<Built> | null;
}

export const directions: Directions = {
  all,
  find: (name) => byName[name] ?? null,
  of: (machine) => all.find(({ name }) => name === machine) ?? null,
};
