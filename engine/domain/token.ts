import type { Chain } from './chain.ts';

export interface TokenInfo {
  readonly chain: Chain;
  readonly decimals: number;
  readonly name: string;
  readonly symbol: string;
  /**
   * `btc` for bitcoin on any Bitcoin-side network; on an EVM chain the contract's address, zero for the native coin.
   */
  readonly token_id: string;
}

export function bitcoinOn(chain: 'Arkade' | 'Lightning' | 'Bitcoin'): TokenInfo {
  return { chain, decimals: 8, name: 'Bitcoin', symbol: 'BTC', token_id: 'btc' };
}
