import { PortFailure } from '../../domain/errors.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { confirmationsAt, maturity } from '../../legs/onchain/depth.ts';
import type { BitcoinPort, ChainCoin } from '../../legs/onchain/port.ts';
import { isReward, readRawTx } from '../../legs/raw-tx.ts';

type Coin = Omit<ChainCoin, 'script'>;

/** Transactions that are asked for in one look, those of the largest coins first. */
const mostAsked = 40;

/**
 * Coins as they can be spent: what a block itself paid, to its miner or out of a pool, counts as in no block before it
 * has a hundred confirmations, and so does what nobody shows the making of.
 *
 * Loses money when wrong: a funding of such a coin is mined most of a day later or not at all, and its swap waits for
 * it (facts/faults.md 173).
 */
export function rewardsLeftOut(bitcoin: Pick<BitcoinPort, 'transaction'>) {
  /** Whether it is a miner's, of the young ones. */
  const rewards = new Map<Txid, boolean>();

  async function ask(txid: Txid): Promise<void> {
    try {
      const made = await bitcoin.transaction(txid);
      const tx = made === null ? null : readRawTx(made.bytes);
      if (tx !== null && tx.txid === txid) rewards.set(txid, isReward(tx));
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
    }
  }

  return async <C extends Coin>(coins: readonly C[], tip: number): Promise<C[]> => {
    const isYoung = ({ height }: Coin): boolean => height !== null && confirmationsAt(height, tip) < maturity;
    const young = coins.filter(isYoung).sort((a, b) => Number(b.amount - a.amount));
    const txids = new Set(young.map(({ outpoint }) => outpoint.txid));
    for (const txid of rewards.keys()) if (!txids.has(txid)) rewards.delete(txid);
    for (const { outpoint, reward } of young) if (reward !== undefined) rewards.set(outpoint.txid, reward);
    await Promise.all(
      [...txids]
        .filter((txid) => !rewards.has(txid))
        .slice(0, mostAsked)
        .map(ask),
    );
    return coins.map((coin) => {
      const reward = isYoung(coin) ? rewards.get(coin.outpoint.txid) : false;
      if (reward === false) return coin;
      return { ...coin, height: null, ...(reward === undefined ? {} : { reward }) };
    });
  };
}
