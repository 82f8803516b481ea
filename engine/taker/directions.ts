import type { TakerDirection } from '../domain/chain.ts';
import { takenArkadeBitcoin } from './directions/arkade-bitcoin/direction.ts';
import { takenArkadeEvm } from './directions/arkade-evm/direction.ts';
import { takenArkadeLightning } from './directions/arkade-lightning/direction.ts';
import { takenBitcoinArkade } from './directions/bitcoin-arkade/direction.ts';
import { takenBitcoinEvm } from './directions/bitcoin-evm/direction.ts';
import type { TakenDirection } from './direction.ts';
import { takenEvmArkade } from './directions/evm-arkade/direction.ts';
import { takenEvmBitcoin } from './directions/evm-bitcoin/direction.ts';
import { takenEvmLightning } from './directions/evm-lightning/direction.ts';
import { takenLightningArkade } from './directions/lightning-arkade/direction.ts';
import { takenLightningEvm } from './directions/lightning-evm/direction.ts';
import { takenLightningBitcoin } from './directions/lightning-bitcoin/direction.ts';
import { takenBitcoinLightning } from './directions/bitcoin-lightning/direction.ts';

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
