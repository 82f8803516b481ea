import type { z } from 'zod';
import type { DirectionName } from '../../domain/chain.ts';
import { directionNames } from '../../domain/chain.ts';
import { arkadeBitcoin } from './arkade-bitcoin.ts';
import { arkadeEvm, arkadeEvmDelegateRefund, arkadeEvmRefund } from './arkade-evm.ts';
import { arkadeLightning, arkadeLightningRefund } from './arkade-lightning.ts';
import { bitcoinArkade } from './bitcoin-arkade.ts';
import { evmArkade } from './evm-arkade.ts';
import { bitcoinEvm } from './bitcoin-evm.ts';
import { evmBitcoin } from './evm-bitcoin.ts';
import { evmLightning } from './evm-lightning.ts';
import { lightningArkade } from './lightning-arkade.ts';
import { lightningEvm } from './lightning-evm.ts';
import { lightningBitcoin } from './lightning-bitcoin.ts';
import { bitcoinLightning } from './bitcoin-lightning.ts';
import { example as arkadeBitcoinExample } from '../examples/arkade-bitcoin.ts';
import { example as arkadeEvmExample } from '../examples/arkade-evm.ts';
import { example as arkadeLightningExample } from '../examples/arkade-lightning.ts';
import { example as bitcoinArkadeExample } from '../examples/bitcoin-arkade.ts';
import { example as evmArkadeExample } from '../examples/evm-arkade.ts';
import { example as bitcoinEvmExample } from '../examples/bitcoin-evm.ts';
import { example as evmBitcoinExample } from '../examples/evm-bitcoin.ts';
import { example as evmLightningExample } from '../examples/evm-lightning.ts';
import { example as lightningArkadeExample } from '../examples/lightning-arkade.ts';
import { example as lightningEvmExample } from '../examples/lightning-evm.ts';
import { example as lightningBitcoinExample } from '../examples/lightning-bitcoin.ts';
import { example as bitcoinLightningExample } from '../examples/bitcoin-lightning.ts';

/** What the wire knows of each direction. A new one is a line here. */
export const directionContracts = {
  'arkade-evm': arkadeEvm,
  'evm-lightning': evmLightning,
  'evm-bitcoin': evmBitcoin,
  'arkade-lightning': arkadeLightning,
  'lightning-arkade': lightningArkade,
  'bitcoin-arkade': bitcoinArkade,
  'lightning-evm': lightningEvm,
  'evm-arkade': evmArkade,
  'bitcoin-evm': bitcoinEvm,
  'lightning-bitcoin': lightningBitcoin,
  'bitcoin-lightning': bitcoinLightning,
  'arkade-bitcoin': arkadeBitcoin,
} as const;

/** A create of each direction as the published contract shows it. */
export const createExamples = {
  'arkade-evm': arkadeEvmExample,
  'evm-lightning': evmLightningExample,
  'evm-bitcoin': evmBitcoinExample,
  'arkade-lightning': arkadeLightningExample,
  'lightning-arkade': lightningArkadeExample,
  'bitcoin-arkade': bitcoinArkadeExample,
  'lightning-evm': lightningEvmExample,
  'evm-arkade': evmArkadeExample,
  'bitcoin-evm': bitcoinEvmExample,
  'lightning-bitcoin': lightningBitcoinExample,
  'bitcoin-lightning': bitcoinLightningExample,
  'arkade-bitcoin': arkadeBitcoinExample,
} as const;

type Contracts = typeof directionContracts;

/** The parsed create request of each direction. */
export type Creates = { readonly [D in DirectionName]: z.output<NonNullable<Contracts[D]['route']['body']>> };

/** The record that each direction shows to its client. */
export type Records = { readonly [D in DirectionName]: z.output<Contracts[D]['route']['reply']> };
export type WireRecord = Records[DirectionName];

type CreateRoutes = { readonly [D in DirectionName as Contracts[D]['operation']]: Contracts[D]['route'] };

/** The operations that create a swap, by name. */
export const createRoutes = Object.fromEntries(
  directionNames.map((name) => [directionContracts[name].operation, directionContracts[name].route]),
) as unknown as CreateRoutes;

/** A client's refund is countersigned under each of these names. */
export const collabRefundRoutes = {
  collabRefund: arkadeEvmRefund,
  collabRefundArkadeLightning: arkadeLightningRefund,
};

/** The same through a batch. */
export const delegateRefundRoutes = { collabRefundDelegate: arkadeEvmDelegateRefund };
