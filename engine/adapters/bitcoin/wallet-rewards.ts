import { PortFailure } from '../../domain/errors.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { confirmationsAt, maturity } from '../../legs/onchain/depth.ts';
import type { BitcoinPort, ChainCoin } from '../../legs/onchain/port.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-coin.ts';
import { isReward, readRawTx } from '../../legs/raw-tx.ts';

/** Transactions that one look reads to learn whether a coin is a reward: the rest is read by the next ones. */
const mostReads = 40;

export type Seen = WalletCoin & Pick<ChainCoin, 'height' | 'reward'>;

/**
 * `waits`: in the mempool, or in a block and not known yet to be no reward. `immature`: a miner's reward, which no
 * transaction may spend yet.
 */
export type CoinState = 'spendable' | 'waits' | 'immature';

export type JudgedCoin = Seen & { readonly state: CoinState };

/**
 * Tells coins of the wallet that can be spent now from those that cannot. A pool may pay a reward to any address of
 * ours, and whoever mined it may choose to.
 *
 * Holds up what is ours when wrong: a funding with such a coin is refused by every node for most of a day, and with it
 * the coins beside it (facts/faults.md 150). Whether a transaction is a reward its id says for ever: it is read once,
 * the largest coins first, so that a stranger's dust is read last.
 */
export function coinJudge(bitcoin: Pick<BitcoinPort, 'transaction'>) {
  const rewards = new Map<Txid, boolean>();

  async function read(txid: Txid): Promise<void> {
    try {
      const made = await bitcoin.transaction(txid);
      const tx = made === null ? null : readRawTx(made.bytes);
      if (tx !== null) rewards.set(txid, isReward(tx));
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
    }
  }

  return async (coins: readonly Seen[], tip: number): Promise<JudgedCoin[]> => {
    const isYoung = ({ height }: Seen): boolean => height !== null && confirmationsAt(height, tip) < maturity;
    const young = coins.filter(isYoung).toSorted((a, b) => Number(b.amount - a.amount));
    const now = new Set(young.map(({ outpoint }) => outpoint.txid));
    for (const txid of rewards.keys()) if (!now.has(txid)) rewards.delete(txid);
    for (const { outpoint, reward } of young) if (reward !== undefined) rewards.set(outpoint.txid, reward);
    await Promise.all(
      [...now]
        .filter((txid) => !rewards.has(txid))
        .slice(0, mostReads)
        .map(read),
    );
    const stateOf = (coin: Seen): CoinState => {
      if (coin.height === null) return 'waits';
      if (!isYoung(coin)) return 'spendable';
      const reward = rewards.get(coin.outpoint.txid);
      if (reward === undefined) return 'waits';
      return reward ? 'immature' : 'spendable';
    };
    return coins.map((coin) => ({ ...coin, state: stateOf(coin) }));
  };
}
