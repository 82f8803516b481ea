import type { directionLabels } from '../en/directions.ts';
import type { Part } from '../part.ts';

export const directions = {
  'arkade-evm': 'Arkade nach EVM',
  'evm-lightning': 'EVM nach Lightning',
  'evm-bitcoin': 'EVM nach Bitcoin',
  'arkade-lightning': 'Arkade nach Lightning',
  'lightning-arkade': 'Lightning nach Arkade',
  'bitcoin-arkade': 'Bitcoin nach Arkade',
  'lightning-evm': 'Lightning nach EVM',
  'evm-arkade': 'EVM nach Arkade',
  'bitcoin-evm': 'Bitcoin nach EVM',
  'lightning-bitcoin': 'Lightning nach Bitcoin',
  'bitcoin-lightning': 'Bitcoin nach Lightning',
  'arkade-bitcoin': 'Arkade nach Bitcoin',
} satisfies Part<typeof directionLabels>;
