import type { LedgerRow } from '../../../engine/contract/owner/ledger.ts';

/** Thousandths of a satoshi: routing fees are as small as that. */
type Msat = bigint;

export interface Sums {
  readonly earned: Msat;
  /** What was paid, not negative. */
  readonly paid: Msat;
}

/** What is not bitcoin, by `evm:137 0xa8ad...`, in its smallest units, with its sign. */
export type Besides = ReadonlyMap<string, bigint>;

export interface PairEarnings extends Sums {
  /** Null for what the node's own wallets paid. */
  readonly pair: string | null;
  readonly swaps: number;
  /** Gas and fees in tokens, part of the same result; see `besidesOf`. */
  readonly besides: Besides;
}

export interface Earnings {
  readonly pairs: readonly PairEarnings[];
  readonly all: PairEarnings;
  /** Oldest first, each by the moment at which it begins; the last is today. */
  readonly days: readonly (Sums & { readonly begins: number; readonly besides: Besides })[];
}

/** What the ledger's rows come to; `days` are the moments at which each begins, oldest first. */
export function earningsOf(rows: readonly LedgerRow[], days: readonly number[]): Earnings {
  const pairs = [...new Set(rows.map(({ pair }) => pair))].map((pair) =>
    ofPair(
      pair,
      rows.filter((row) => row.pair === pair),
    ),
  );
  return {
    pairs: pairs.toSorted((a, b) => Number(b.earned - b.paid - (a.earned - a.paid))),
    all: ofPair(null, rows),
    days: days.map((begins, place) => {
      const ends = days[place + 1] ?? Infinity;
      const within = rows.filter(({ time }) => time >= begins && time < ends);
      return { begins, ...sumsOf(within), besides: besidesOf(within) };
    }),
  };
}

function ofPair(pair: string | null, rows: readonly LedgerRow[]): PairEarnings {
  const swaps = new Set(rows.filter((row) => row.pair !== null).map(({ swap_id }) => swap_id));
  return { pair, swaps: swaps.size, ...sumsOf(rows), besides: besidesOf(rows) };
}

function sumsOf(rows: readonly LedgerRow[]): Sums {
  let earned = 0n;
  let paid = 0n;
  for (const { amount } of rows.filter(({ asset }) => asset === 'btc')) {
    const msat = msatOf(amount);
    if (msat > 0n) earned += msat;
    else paid -= msat;
  }
  return { earned, paid };
}

/** What stands beside the sats of a result: nobody says here what it is worth in sats. */
export function besidesOf(rows: readonly LedgerRow[]): Besides {
  const besides = new Map<string, bigint>();
  for (const { network, asset, amount } of rows) {
    if (asset === 'btc') continue;
    const key = `${network} ${asset.toLowerCase()}`;
    besides.set(key, (besides.get(key) ?? 0n) + BigInt(amount));
  }
  return besides;
}

/** The ledger's satoshis with their fraction, `-12.345`. */
export function msatOf(sats: string): Msat {
  const [whole = '0', fraction = ''] = sats.replace('-', '').split('.');
  const msat = BigInt(whole) * 1_000n + BigInt(fraction.padEnd(3, '0'));
  return sats.startsWith('-') ? -msat : msat;
}

/** Midnights of the last seven days on this machine's clock, today's the last. */
export function lastSevenDays(now: number): number[] {
  const midnight = new Date(now * 1_000);
  midnight.setHours(0, 0, 0, 0);
  return [6, 5, 4, 3, 2, 1, 0].map((back) => {
    const day = new Date(midnight);
    day.setDate(day.getDate() - back);
    return Math.floor(day.getTime() / 1_000);
  });
}
