import type { BitcoinPort, ChainCoin } from '../../../legs/onchain/port.ts';

/** A coin at a script; the chain's source is told which one, for what strangers pay beside it may be any number. */
export async function listedCoin(
  bitcoin: Pick<BitcoinPort, 'coins'>,
  script: Uint8Array,
  isIt: (coin: ChainCoin) => boolean,
): Promise<ChainCoin | undefined> {
  return (await bitcoin.coins([script], undefined, (coins) => coins.filter(isIt))).find(isIt);
}
