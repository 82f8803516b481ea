import type { TakerDirection } from '../domain/chain.ts';
import { takenArkadeEvm } from './arkade-evm/order.ts';
import { takenArkadeLightning } from './arkade-lightning/order.ts';
import { takenBitcoinArkade } from './bitcoin-arkade/order.ts';
import type { TakenDirection } from './direction.ts';
import { takenEvmBitcoin } from './evm-bitcoin/order.ts';
import { takenEvmLightning } from './evm-lightning/order.ts';
import { takenLightningArkade } from './lightning-arkade/order.ts';

/** The directions in which this build can be the client. A new one is a line here. */
export const takenDirections: { readonly [D in TakerDirection]: TakenDirection } = {
  'lightning-arkade': takenLightningArkade,
  'arkade-lightning': takenArkadeLightning,
  'arkade-evm': takenArkadeEvm,
  'bitcoin-arkade': takenBitcoinArkade,
  'evm-lightning': takenEvmLightning,
  'evm-bitcoin': takenEvmBitcoin,
};
