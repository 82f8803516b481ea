import type { Database } from 'better-sqlite3';
import type { Network } from '../domain/chain.ts';
import { sats, type Sats } from '../domain/money.ts';
import { day } from '../domain/time.ts';

/**
 * Of a swap's transactions on a network, the one that is at this place: what it costs at most, and once it is mined
 * just that.
 */
export interface Outlay {
  readonly swap: string;
  readonly network: Network;
  readonly place: string;
  readonly amount: Sats;
}

interface Sums {
  readonly total: number | null;
  readonly strangers: number | null;
}

/** Where the refund of a lock is counted until it is signed: who locks has to pay for it too. */
export const refundToCome = 'refund to come';

/**
 * What is spent for swaps that have brought no fee. Rows of a swap leave when it brings one, and once no ceiling counts
 * them.
 */
export function outlaysTable(db: Database) {
  const put = db.prepare(
    `INSERT INTO outlays (swap_id, network, place, time, sats, stranger) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET sats = excluded.sats`,
  );
  const setAmount = db.prepare(`UPDATE outlays SET sats = ? WHERE swap_id = ? AND network = ? AND place = ?`);
  const drop = db.prepare(`DELETE FROM outlays WHERE swap_id = ? AND network = ? AND place = ?`);
  const putClient = db.prepare(`INSERT INTO outlay_clients (swap_id, client) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const all = db.prepare<[string, number], Sums>(
    `SELECT sum(sats) AS total, sum(sats * stranger) AS strangers FROM outlays WHERE network = ? AND time > ?`,
  );
  const any = db.prepare<[string, number]>(`SELECT 1 FROM outlays WHERE network = ? AND time > ? LIMIT 1`);
  const ofClient = db.prepare<[string, string, number], Sums>(
    `SELECT sum(sats) AS total, sum(sats * stranger) AS strangers
     FROM outlay_clients AS whose JOIN outlays ON outlays.swap_id = whose.swap_id
     WHERE whose.client = ? AND outlays.network = ? AND outlays.time > ?`,
  );
  const forget = db.prepare(`DELETE FROM outlays WHERE swap_id = ?`);
  const forgetOld = db.prepare(`DELETE FROM outlays WHERE time < ?`);
  const forgetPaid = db.prepare(
    `DELETE FROM outlays WHERE swap_id IN (SELECT id FROM swaps WHERE status = 'serverredeemed')`,
  );
  const forgetClients = db.prepare(
    'DELETE FROM outlay_clients WHERE NOT EXISTS (SELECT 1 FROM outlays WHERE outlays.swap_id = ' +
      'outlay_clients.swap_id)',
  );
  const putPaid = db.prepare(`INSERT INTO paid_clients (client, since) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const hasPaid = db.prepare<[string]>(`SELECT 1 FROM paid_clients WHERE client = ?`);

  function sumsOf(sums: Sums | undefined): { readonly all: Sats; readonly strangers: Sats } {
    return { all: sats(sums?.total ?? 0), strangers: sats(sums?.strangers ?? 0) };
  }

  return {
    /** Another one at the same place stands instead of it, and keeps its time. */
    put({ swap, network, place, amount }: Outlay, whose: Whose, now: number): void {
      if (forgetOld.run(now - 2 * day).changes > 0) forgetClients.run();
      put.run(swap, network, place, now, amount, whose.paidBefore ? 0 : 1);
      for (const client of whose.clients) putClient.run(swap, client);
    },
    /** What it came to in the end; says nothing of one that is not counted. */
    cost({ swap, network, place, amount }: Outlay): void {
      setAmount.run(amount, swap, network, place);
    },
    drop({ swap, network, place }: Omit<Outlay, 'amount'>): void {
      drop.run(swap, network, place);
    },
    since(network: Network, from: number): { readonly all: Sats; readonly strangers: Sats } {
      return sumsOf(all.get(network, from));
    },
    /** Whether anything was spent, whatever it was worth. */
    any(network: Network, from: number): boolean {
      return any.get(network, from) !== undefined;
    },
    sinceOf(client: string, network: Network, from: number): { readonly all: Sats; readonly strangers: Sats } {
      return sumsOf(ofClient.get(client, network, from));
    },
    /** The swap brought its fee: what was spent for it counts no more. */
    forget(swap: string): void {
      forget.run(swap);
      forgetClients.run();
    },
    /** The same for all that brought theirs while nobody was told. */
    forgetPaid(): void {
      if (forgetPaid.run().changes > 0) forgetClients.run();
    },
    /** A swap of this client brought its fee. */
    paid(client: string, now: number): void {
      putPaid.run(client, now);
    },
    hasPaid(client: string): boolean {
      return hasPaid.get(client) !== undefined;
    },
  };
}

/** The names that the client of a swap goes by, and whether it is known by one that it proved. */
export interface Whose {
  readonly clients: readonly string[];
  readonly paidBefore: boolean;
}
