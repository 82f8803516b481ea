import { toHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import type { ChainCoin, ChainSpend, PaidScript, ScriptPayment } from '../../legs/onchain/port.ts';
import { isReward } from '../../legs/raw-tx.ts';
import type { Follower } from './follow.ts';

/** A script that is looked after: everything since `from` is known, and what was unspent there before is in `coins`. */
export interface Tracked {
  readonly from: number;
  /**
   * By a scan of the unspent set as it stood after the block at `from`: of what was paid up to there, nothing else is
   * left.
   */
  readonly scanned: boolean;
  /** From there on the blocks below a scan were read as well, for what was paid and is spent. */
  readonly readFrom?: number;
  readonly coins: readonly ChainCoin[];
}

/** What the looks at a node have found so far. */
export interface Findings {
  readonly tracked: Map<string, Tracked>;
  readonly follower: Follower;
}

interface Scripts {
  has(key: string): boolean;
}

/**
 * Outputs to scripts in what was found, spent or not. A transaction that was found for another script is one of those
 * that a scan knew of: what the scan had not, was spent by then, and is left out of `since` the scan.
 */
export function paidTo(
  { tracked, follower }: Findings,
  scripts: Scripts,
  which: 'all' | 'since' = 'since',
): { outpoint: Outpoint; key: string; amount: Sats; height: number | null; reward: boolean }[] {
  return [...follower.transactions].flatMap(([txid, { transaction, height }]) =>
    transaction.outputs.flatMap(({ script, amount }, vout) => {
      const key = toHex(script);
      if (!scripts.has(key)) return [];
      const { scanned: isScanned = false, from = 0 } = tracked.get(key) ?? {};
      return which === 'since' && isScanned && height !== null && height <= from
        ? []
        : [{ outpoint: { txid, vout }, key, amount, height, reward: isReward(transaction) }];
    }),
  );
}

export function spentPoints({ follower }: Findings): Set<string> {
  return new Set([...follower.transactions.values()].flatMap(({ transaction }) => transaction.inputs.map(outpointKey)));
}

/**
 * Whether whatever paid the script since then, and is in a block, is among what was found. A scan shows nothing that
 * was spent by then.
 */
export function isFollowed({ tracked }: Pick<Findings, 'tracked'>, { script, since }: PaidScript): boolean {
  const one = tracked.get(toHex(script));
  return one !== undefined && (one.readFrom ?? (one.scanned ? one.from + 1 : one.from)) <= since;
}

/** Outputs to scripts as payments, and whether anything is known to spend them. */
export function paymentsTo(own: Findings, scripts: Scripts): ScriptPayment[] {
  const spent = spentPoints(own);
  return paidTo(own, scripts, 'all').map(({ outpoint, amount }) => ({
    ...{ txid: outpoint.txid, amount },
    spent: spent.has(outpointKey(outpoint)),
  }));
}

/** What spends it in a block: one of a list of the mempool may have left that since. */
export function minedSpend({ follower }: Findings, key: string): ChainSpend | null {
  for (const [txid, { transaction, height }] of follower.transactions) {
    if (height !== null && transaction.inputs.some((input) => outpointKey(input) === key)) return { txid, height };
  }
  return null;
}
