import type { DirectionName } from '../../domain/chain.ts';
import type { CreateArkadeLightning, CreateBitcoinArkade, CreateLightningArkade } from './create-arkade.ts';
import type { CreateArkadeEvm, CreateEvmBitcoin, CreateEvmLightning } from './create-evm.ts';

/** The parsed create request of each direction. */
export interface Creates extends Record<DirectionName, unknown> {
  'arkade-evm': CreateArkadeEvm;
  'evm-lightning': CreateEvmLightning;
  'evm-bitcoin': CreateEvmBitcoin;
  'arkade-lightning': CreateArkadeLightning;
  'lightning-arkade': CreateLightningArkade;
  'bitcoin-arkade': CreateBitcoinArkade;
}
