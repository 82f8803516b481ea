import type { Database } from 'better-sqlite3';
import { sats, type Asset, type Money, type Purse, type Sats } from '../domain/money.ts';

interface Raw extends Asset<Purse> {
  readonly amount: string;
}

/** Liquidity promised to swaps that have not used it yet. Every quote and create asks for the totals: they are kept. */
export function reservationsTable(db: Database) {
  const insert = db.prepare(`INSERT INTO reservations (swap_id, network, asset, amount) VALUES (?, ?, ?, ?)`);
  const release = db.prepare<[string], Raw>(
    `DELETE FROM reservations WHERE swap_id = ? RETURNING network, asset, amount`,
  );
  const all = db.prepare<[], Raw>(`SELECT network, asset, amount FROM reservations`);
  /** By asset, then by network: what is promised of two assets is never added up. */
  let totalsByAsset: Map<Asset['asset'], Map<Purse, bigint>> | null = null;

  function add(totals: NonNullable<typeof totalsByAsset>, { network, asset, amount }: Money<Purse>): void {
    const ofAsset = totals.get(asset) ?? new Map<Purse, bigint>();
    totals.set(asset, ofAsset);
    const total = (ofAsset.get(network) ?? 0n) + amount;
    if (total === 0n) ofAsset.delete(network);
    else ofAsset.set(network, total);
  }

  function totalsOf(asset: Asset['asset']): ReadonlyMap<Purse, bigint> {
    if (totalsByAsset === null) {
      totalsByAsset = new Map();
      for (const row of all.iterate()) add(totalsByAsset, { ...row, amount: BigInt(row.amount) });
    }
    return totalsByAsset.get(asset) ?? new Map<Purse, bigint>();
  }

  return {
    hold(swapId: string, money: Money<Purse>): void {
      insert.run(swapId, money.network, money.asset, money.amount.toString());
      if (totalsByAsset !== null) add(totalsByAsset, money);
    },
    release(swapId: string): boolean {
      const released = release.all(swapId);
      for (const row of released)
        if (totalsByAsset !== null) add(totalsByAsset, { ...row, amount: -BigInt(row.amount) });
      return released.length > 0;
    },
    /** Of one asset, in its smallest unit. */
    total({ network, asset }: Asset<Purse>): bigint {
      return totalsOf(asset).get(network) ?? 0n;
    },
    /** Of bitcoin, in satoshis that are rounded up: by where it is promised. */
    totals(): Map<Purse, Sats> {
      return new Map([...totalsOf('btc')].map(([network, total]) => [network, sats((total + 999n) / 1_000n)]));
    },
    /** A transaction was undone: what is kept may count promises that do not exist. */
    forgetTotals(): void {
      totalsByAsset = null;
    },
  };
}
