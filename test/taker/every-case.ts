import type { TakerDirection } from '../../engine/domain/chain.ts';
import type { OrderTerms, TakerProgress } from '../../engine/taker/terms.ts';
import type { Case } from '../swap/cases.ts';
import { takeArkadeBitcoinCase } from './arkade-bitcoin-cases.ts';
import { takeArkadeEvmCase } from './arkade-evm-cases.ts';
import { takeBitcoinCase } from './bitcoin-arkade-cases.ts';
import { takeBitcoinEvmCase } from './bitcoin-evm-cases.ts';
import { takeArkadeCase, takeLightningCase } from './cases.ts';
import { takeEvmArkadeCase } from './evm-arkade-cases.ts';
import { takeEvmBitcoinCase } from './evm-bitcoin-cases.ts';
import { takeEvmLightningCase } from './evm-lightning-cases.ts';
import { takeLightningEvmCase } from './lightning-evm-cases.ts';
import { takeLightningBitcoinCase } from './lightning-bitcoin-cases.ts';
import { takeBitcoinLightningCase } from './bitcoin-lightning-cases.ts';

export type AnyCase = Case<OrderTerms, TakerProgress>;

/** The client's machine of every direction, with what may happen to it. */
export const everyCase: Readonly<Record<TakerDirection, AnyCase>> = {
  'lightning-arkade': takeLightningCase as unknown as AnyCase,
  'arkade-lightning': takeArkadeCase as unknown as AnyCase,
  'arkade-evm': takeArkadeEvmCase as unknown as AnyCase,
  'bitcoin-arkade': takeBitcoinCase as unknown as AnyCase,
  'evm-lightning': takeEvmLightningCase as unknown as AnyCase,
  'evm-bitcoin': takeEvmBitcoinCase as unknown as AnyCase,
  'lightning-evm': takeLightningEvmCase as unknown as AnyCase,
  'evm-arkade': takeEvmArkadeCase as unknown as AnyCase,
  'bitcoin-evm': takeBitcoinEvmCase as unknown as AnyCase,
  'lightning-bitcoin': takeLightningBitcoinCase as unknown as AnyCase,
  'bitcoin-lightning': takeBitcoinLightningCase as unknown as AnyCase,
  'arkade-bitcoin': takeArkadeBitcoinCase as unknown as AnyCase,
};
