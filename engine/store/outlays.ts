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

/** What a swap cost on a network. */
interface Spent {
  readonly network: string;
  readonly time: number;
  readonly total: number;
  readonly stranger: number;
}

/** Where the refund of a lock is counted until it is signed: who locks has to pay for it too. */
export const refundToCome = 'refund to come';

/** Where the relay of a client's claim is counted until it is signed, where the client paid for one. */
export const relayToCome = 'relay to come';

/** Where what a swap brought stands beside what it cost, below zero. */
const broughtIn = 'brought';

/**
 * What is spent for swaps that have brought no fee, and of one that did what it cost beyond it. Rows of a swap leave
 * when it brings as much, and once no ceiling counts them.
 */
export function outlaysTable(db: Database) {
  const { takeOff, takeOffAgain, dropPlace, endedWell, forgetClients } = broughtBy(db);
  const put = db.prepare(
    `INSERT INTO outlays (swap_id, network, place, time, sats, stranger) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET sats = excluded.sats`,
  );
  const setAmount = db.prepare(`UPDATE outlays SET sats = ? WHERE swap_id = ? AND network = ? AND place = ?`);
  const one = db.prepare<[string, string, string], { sats: number }>(
    `SELECT sats FROM outlays WHERE swap_id = ? AND network = ? AND place = ?`,
  );
  const drop = db.prepare(`DELETE FROM outlays WHERE swap_id = ? AND network = ? AND place = ?`);
  const putClient = db.prepare(`INSERT INTO outlay_clients (swap_id, client) VALUES (?, ?) ON CONFLICT DO NOTHING`);
  const all = db.prepare<[string, number, string], Sums>(
    `SELECT sum(sats) AS total, sum(sats * stranger) AS strangers FROM outlays
     WHERE network = ? AND time > ? AND swap_id <> ?`,
  );
  const any = db.prepare<[string, number]>(`SELECT 1 FROM outlays WHERE network = ? AND time > ? LIMIT 1`);
  const ofClient = db.prepare<[string, string, number, string], Sums>(
    `SELECT sum(sats) AS total, sum(sats * stranger) AS strangers
     FROM outlay_clients AS whose JOIN outlays ON outlays.swap_id = whose.swap_id
     WHERE whose.client = ? AND outlays.network = ? AND outlays.time > ? AND outlays.swap_id <> ?`,
  );
  const forgetOld = db.prepare(`DELETE FROM outlays WHERE time < ?`);
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
      takeOffAgain(swap);
    },
    /** What it came to in the end; says nothing of one that is not counted. */
    cost({ swap, network, place, amount }: Outlay): void {
      setAmount.run(amount, swap, network, place);
      takeOffAgain(swap);
    },
    /** Null where none is counted there. */
    of({ swap, network, place }: Omit<Outlay, 'amount'>): Sats | null {
      const row = one.get(swap, network, place);
      return row === undefined ? null : sats(row.sats);
    },
    drop({ swap, network, place }: Omit<Outlay, 'amount'>): void {
      drop.run(swap, network, place);
    },
    /** `except`: a swap that is left out. */
    since(network: Network, from: number, except = ''): { readonly all: Sats; readonly strangers: Sats } {
      return sumsOf(all.get(network, from, except));
    },
    /** Whether anything was spent, whatever it was worth. */
    any(network: Network, from: number): boolean {
      return any.get(network, from) !== undefined;
    },
    sinceOf(
      client: string,
      network: Network,
      from: number,
      except = '',
    ): { readonly all: Sats; readonly strangers: Sats } {
      return sumsOf(ofClient.get(client, network, from, except));
    },
    /**
     * The swap ended well and brought so much: only what was spent for it beyond that counts, and nothing is to come.
     */
    brought(swap: string, amount: Sats): void {
      for (const place of [refundToCome, relayToCome]) dropPlace.run(swap, place);
      takeOff(swap, Number(amount));
    },
    /** Swaps that ended well while nobody was told what they brought. */
    endedWell: (): readonly string[] => endedWell.all(broughtIn),
    /** A swap of this client brought its fee. */
    paid(client: string, now: number): void {
      putPaid.run(client, now);
    },
    hasPaid(client: string): boolean {
      return hasPaid.get(client) !== undefined;
    },
  };
}

/** What swaps brought that ended well, taken off from what they cost. */
function broughtBy(db: Database) {
  const put = db.prepare(
    `INSERT INTO outlays (swap_id, network, place, time, sats, stranger) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const spentFor = db.prepare<[string, string], Spent>(
    `SELECT network, min(time) AS time, sum(sats) AS total, min(stranger) AS stranger FROM outlays
     WHERE swap_id = ? AND place <> ? GROUP BY network`,
  );
  const takenOff = db.prepare<[string, string], { sats: number | null }>(
    `SELECT -sum(sats) AS sats FROM outlays WHERE swap_id = ? AND place = ?`,
  );
  const dropPlace = db.prepare(`DELETE FROM outlays WHERE swap_id = ? AND place = ?`);
  const endedWell = db
    .prepare<[string], string>(
      `SELECT DISTINCT swap_id FROM outlays JOIN swaps ON swaps.id = swap_id
       WHERE swaps.status = 'serverredeemed' AND swap_id NOT IN (SELECT swap_id FROM outlays WHERE place = ?)`,
    )
    .pluck();
  const forget = db.prepare(`DELETE FROM outlays WHERE swap_id = ?`);
  const forgetClients = db.prepare(
    'DELETE FROM outlay_clients WHERE NOT EXISTS (SELECT 1 FROM outlays WHERE outlays.swap_id = ' +
      'outlay_clients.swap_id)',
  );
  /**
   * Takes off what it brought, as old as the oldest of what it cost, so that neither counts alone; all of it goes where
   * nothing is left.
   */
  function takeOff(swap: string, amount: number): void {
    dropPlace.run(swap, broughtIn);
    const spent = spentFor.all(swap, broughtIn);
    let left = amount;
    if (spent.reduce((sum, { total }) => sum + total, 0) <= left) {
      forget.run(swap);
      forgetClients.run();
      return;
    }
    for (const { network, time, total, stranger } of spent) {
      const off = Math.min(left, total);
      left -= off;
      if (off > 0) put.run(swap, network, broughtIn, time, -off, stranger);
    }
  }

  /** What it cost has changed since. */
  function takeOffAgain(swap: string): void {
    const amount = takenOff.get(swap, broughtIn)?.sats ?? null;
    if (amount !== null) takeOff(swap, amount);
  }

  return { takeOff, takeOffAgain, dropPlace, endedWell, forgetClients };
}

/** The names that the client of a swap goes by, and whether it is known by one that it proved. */
export interface Whose {
  readonly clients: readonly string[];
  readonly paidBefore: boolean;
}
