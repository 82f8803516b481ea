import type { TakerDirection } from '../domain/chain.ts';
import { takenArkadeBitcoin } from './directions/arkade-bitcoin.ts';
import { takenArkadeEvm } from './directions/arkade-evm.ts';
import { takenArkadeLightning } from './directions/arkade-lightning.ts';
import { takenBitcoinArkade } from './directions/bitcoin-arkade.ts';
import { takenBitcoinEvm } from './directions/bitcoin-evm.ts';
import type { TakenDirection } from './direction.ts';
import { takenEvmArkade } from './directions/evm-arkade.ts';
import { takenEvmBitcoin } from './directions/evm-bitcoin.ts';
import { takenEvmLightning } from './directions/evm-lightning.ts';
import { takenLightningArkade } from './directions/lightning-arkade.ts';
import { takenLightningEvm } from './directions/lightning-evm.ts';
import { takenLightningBitcoin } from './directions/lightning-bitcoin.ts';
import { takenBitcoinLightning } from './directions/bitcoin-lightning.ts';

/** The directions in which this build can be the client. A new one is a line here. */
export const takenDirections: { readonly [D in TakerDirection]: TakenDirection } = {
  'lightning-arkade': takenLightningArkade,
  'arkade-lightning': takenArkadeLightning,
  'arkade-evm': takenArkadeEvm,
  'bitcoin-arkade': takenBitcoinArkade,
  'evm-lightning': takenEvmLightning,
  'evm-bitcoin': takenEvmBitcoin,
  'lightning-evm': takenLightningEvm,
  'evm-arkade': takenEvmArkade,
  'bitcoin-evm': takenBitcoinEvm,
  'lightning-bitcoin': takenLightningBitcoin,
  'bitcoin-lightning': takenBitcoinLightning,
  'arkade-bitcoin': takenArkadeBitcoin,
};
