import { directionNames, type DirectionName } from '../../engine/domain/chain.ts';
import { arkadeBitcoinCase } from './arkade-bitcoin-cases.ts';
import { arkadeEvmCase } from './arkade-evm-cases.ts';
import { bitcoinArkadeCase } from './bitcoin-arkade-cases.ts';
import { bitcoinEvmCase } from './bitcoin-evm-cases.ts';
import { bitcoinLightningCase } from './bitcoin-lightning-cases.ts';
import { arkadeLightningCase, lightningArkadeCase, type Case } from './cases.ts';
import { evmArkadeCase } from './evm-arkade-cases.ts';
import { evmBitcoinCase } from './evm-bitcoin-cases.ts';
import { evmLightningCase } from './evm-lightning-cases.ts';
import { lightningBitcoinCase } from './lightning-bitcoin-cases.ts';
import { lightningEvmCase } from './lightning-evm-cases.ts';
import type { Sides } from './outboxes.ts';

export type AnyCase = Case<unknown, { readonly at: string }>;

/** The provider's machine of every direction, with what may happen to it: one that is missing does not compile. */
export const everyCase = {
  'lightning-arkade': lightningArkadeCase,
  'arkade-lightning': arkadeLightningCase,
  'bitcoin-arkade': bitcoinArkadeCase,
  'arkade-evm': arkadeEvmCase,
  'evm-lightning': evmLightningCase,
  'evm-bitcoin': evmBitcoinCase,
  'lightning-evm': lightningEvmCase,
  'evm-arkade': evmArkadeCase,
  'bitcoin-evm': bitcoinEvmCase,
  'lightning-bitcoin': lightningBitcoinCase,
  'bitcoin-lightning': bitcoinLightningCase,
  'arkade-bitcoin': arkadeBitcoinCase,
} satisfies Readonly<Record<DirectionName, unknown>> as unknown as Readonly<Record<DirectionName, AnyCase>>;

/** What the provider claims comes first in the name of a direction, and what it gives second. */
export function sidesOf(direction: DirectionName): Sides {
  const [claim, fund] = direction.split('-');
  return { claim, fund } as Sides;
}

export const everyDirection: readonly (readonly [DirectionName, AnyCase])[] = directionNames.map(
  (direction) => [direction, everyCase[direction]] as const,
);
