import type { Database } from 'better-sqlite3';
import { siteOf } from '../domain/site.ts';
import { satsUp, type Asset, type Money, type Purse, type Sats } from '../domain/money.ts';

interface Raw extends Asset<Purse> {
  readonly amount: string;
}

/** What is promised to a swap, by the client whose request asked for it. */
export interface Promised extends Money<Purse> {
  readonly swap: string;
}

/** The first and the last name of a client, which is its whole site where it has one (facts/faults.md 266). */
function namesOf(client: string): [string, string] {
  const site = siteOf(client)?.replace('::/48', '');
  return site === undefined ? [client, client] : [`${site}:`, `${site}:\uffff`];
}

/** Liquidity promised to swaps that have not used it yet. Every quote and create asks for the totals: they are kept. */
export function reservationsTable(db: Database) {
  const insert = db.prepare(
    `INSERT INTO reservations (swap_id, network, asset, amount, client) VALUES (?, ?, ?, ?, ?)`,
  );
  const release = db.prepare<[string], Raw>(
    `DELETE FROM reservations WHERE swap_id = ? RETURNING network, asset, amount`,
  );
  const ofClients = db.prepare<[string, string], Raw & { swap: string }>(
    `SELECT swap_id AS swap, network, asset, amount FROM reservations WHERE client BETWEEN ? AND ?`,
  );
  const clients = db.prepare<[], { swap: string; client: string }>(
    `SELECT DISTINCT swap_id AS swap, client FROM reservations WHERE client IS NOT NULL`,
  );
  const ofSwap = db.prepare<[string], Raw>(`SELECT network, asset, amount FROM reservations WHERE swap_id = ?`);
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
    /** `client`: whose request it is; null for the owner. */
    hold(swapId: string, money: Money<Purse>, client: string | null = null): void {
      insert.run(swapId, money.network, money.asset, money.amount.toString(), client);
      if (totalsByAsset !== null) add(totalsByAsset, money);
    },
    release(swapId: string): boolean {
      const released = release.all(swapId);
      for (const row of released)
        if (totalsByAsset !== null) add(totalsByAsset, { ...row, amount: -BigInt(row.amount) });
      return released.length > 0;
    },
    /** What is promised to one swap. */
    ofSwap: (swapId: string): Money<Purse>[] =>
      ofSwap.all(swapId).map(({ amount, ...asset }) => ({ ...asset, amount: BigInt(amount) })),
    /** What is promised to the swaps of one client, or of its site. */
    ofClient: (client: string): Promised[] =>
      ofClients.all(...namesOf(client)).map(({ amount, ...promised }) => ({ ...promised, amount: BigInt(amount) })),
    /** The swaps that are promised anything, with their clients, the owner's left out. */
    clients: (): readonly { readonly swap: string; readonly client: string }[] => clients.all(),
    /** Of one asset, in its smallest unit. */
    total({ network, asset }: Asset<Purse>): bigint {
      return totalsOf(asset).get(network) ?? 0n;
    },
    /** Of bitcoin, in satoshis that are rounded up: by where it is promised. */
    totals(): Map<Purse, Sats> {
      return new Map([...totalsOf('btc')].map(([network, total]) => [network, satsUp(total)]));
    },
    /** A transaction was undone: what is kept may count promises that do not exist. */
    forgetTotals(): void {
      totalsByAsset = null;
    },
  };
}
