import type { Database } from 'better-sqlite3';
import type { Asset } from '../domain/money.ts';
import { results } from './ledger.ts';

/** Days are those of UTC, by the number of days since 1970. */
interface OfDay {
  readonly day: number;
  /** Of the swap or job; null for what keeps the wallets by itself. */
  readonly machine: string | null;
}

/** Swaps that ended well, by the day on which they were begun. */
interface DayVolume extends OfDay {
  readonly swaps: number;
  readonly sats: number;
}

/** In the ledger's units, neither below zero. */
export interface DayResult extends OfDay, Asset {
  readonly earned: bigint;
  readonly paid: bigint;
}

const daySeconds = 86_400;

/** What came of a time, by day and machine: a question costs what lies in that time. */
export function earningsOf(db: Database) {
  const volume = db.prepare<[number, number], DayVolume>(
    `SELECT created_at / ${daySeconds} AS day, machine, count(*) AS swaps, sum(value_sats) AS sats FROM swaps
     WHERE created_at >= ? AND created_at < ? AND status = 'serverredeemed' GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  // Amounts are text, for those of a token may not fit a number of SQLite's; of bitcoin all there is does.
  const bitcoin = db.prepare<[number, number], OfDay & Asset & { earned: number; paid: number }>(
    `SELECT time / ${daySeconds} AS day, machine, network, asset,
            sum(max(CAST(amount AS INTEGER), 0)) AS earned, sum(max(-CAST(amount AS INTEGER), 0)) AS paid
     FROM ledger LEFT JOIN swaps ON swaps.id = ledger.subject
     WHERE time >= ? AND time < ? AND asset = 'btc' AND ${results} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  const tokens = db.prepare<[number, number], OfDay & Asset & { amount: string }>(
    `SELECT time / ${daySeconds} AS day, machine, network, asset, amount
     FROM ledger LEFT JOIN swaps ON swaps.id = ledger.subject
     WHERE time >= ? AND time < ? AND asset <> 'btc' AND ${results}`,
  );

  const moved = db.prepare<[number], Asset & { subject: string; amount: string }>(
    `SELECT network, asset, subject, amount FROM ledger
     WHERE time >= ? AND kind = 'moved' AND (source = 'clearing' OR target = 'clearing')`,
  );

  return {
    /**
     * What swaps brought to each wallet and took from it since a moment, in the ledger's units. What one swap did to a
     * wallet counts as a whole: a coin that is spent comes back as its change.
     */
    flows(since: number): readonly (Asset & { came: bigint; left: bigint })[] {
      const bySwap = new Map<string, Asset & { amount: bigint }>();
      for (const { network, asset, subject, amount } of moved.iterate(since)) {
        const key = `${subject} ${network} ${asset}`;
        bySwap.set(key, { network, asset, amount: (bySwap.get(key)?.amount ?? 0n) + BigInt(amount) });
      }
      const flows = new Map<string, Asset & { came: bigint; left: bigint }>();
      for (const { network, asset, amount } of bySwap.values()) {
        const key = `${network} ${asset}`;
        const { came, left } = flows.get(key) ?? { came: 0n, left: 0n };
        flows.set(key, {
          ...{ network, asset },
          came: amount > 0n ? came + amount : came,
          left: amount < 0n ? left - amount : left,
        });
      }
      return [...flows.values()];
    },
    /** From a moment on, before another. */
    volume: (from: number, to: number): readonly DayVolume[] => volume.all(from, to),
    results(from: number, to: number): readonly DayResult[] {
      const sums = new Map<string, DayResult>();
      for (const { amount: text, ...of } of tokens.iterate(from, to)) {
        const amount = BigInt(text);
        const key = `${of.day} ${of.machine} ${of.network} ${of.asset}`;
        const { earned, paid } = sums.get(key) ?? { earned: 0n, paid: 0n };
        sums.set(key, {
          ...of,
          earned: amount > 0n ? earned + amount : earned,
          paid: amount < 0n ? paid - amount : paid,
        });
      }
      const inSats = bitcoin
        .all(from, to)
        .map((row) => ({ ...row, earned: BigInt(row.earned), paid: BigInt(row.paid) }));
      return [...inSats, ...sums.values()];
    },
  };
}
