export const networks = {
  arkade: 'Arkade',
  lightning: 'Lightning',
  bitcoin: 'Bitcoin',
  'evm:1': 'Ethereum',
  'evm:137': 'Polygon',
  'evm:42161': 'Arbitrum',
  'evm:30': 'Rootstock',
  'evm:31': 'Rootstock testnet',
  other: (chain: string) => `EVM chain ${chain}`,
};
