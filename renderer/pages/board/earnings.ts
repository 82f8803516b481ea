import type { Earnings as Reply } from '../../../engine/contract/owner/earnings.ts';
import type { LedgerRow } from '../../../engine/contract/owner/ledger.ts';

/** Thousandths of a satoshi: routing fees are as small as that. */
type Msat = bigint;

type Day = Reply['days'][number];

export interface Sums {
  readonly swaps: number;
  /** Sats of the swaps that ended well. */
  readonly volume: bigint;
  readonly earned: Msat;
  /** What was paid, not negative. */
  readonly paid: Msat;
  /** Gas, part of the same result. */
  readonly besides: Besides;
}

/** What is not bitcoin, by `evm:137 0xa8ad...`, in its smallest units, with its sign. */
export type Besides = ReadonlyMap<string, bigint>;

/** Null for what the node's own wallets paid. */
export type PairEarnings = Sums & { readonly pair: string | null };

/** Days that are drawn as one. */
export type Column = Sums & { readonly begins: number; readonly days: number };

export interface Earnings {
  readonly pairs: readonly PairEarnings[];
  readonly all: PairEarnings;
  /** Oldest first; the last may have fewer days than the others. */
  readonly columns: readonly Column[];
}

/** More are too narrow to be told apart. */
const mostColumns = 31;
export const daySeconds = 86_400;
const coin = `0x${'0'.repeat(40)}`;

/** What the days of a period come to, by direction and by time. */
export function earningsOf({ from, to, days }: Reply): Earnings {
  const pairs = [...new Set(days.map(({ pair }) => pair))].map((pair) => ({
    pair,
    ...sumsOf(days.filter((one) => one.pair === pair)),
  }));
  const count = Math.max(1, Math.round((to - from) / daySeconds));
  const wide = Math.ceil(count / mostColumns);
  const columns = Array.from({ length: Math.ceil(count / wide) }, (_, place): Column => {
    const begins = from + place * wide * daySeconds;
    const ends = Math.min(to, begins + wide * daySeconds);
    const within = days.filter(({ day }) => day >= begins && day < ends);
    return { begins, days: Math.round((ends - begins) / daySeconds), ...sumsOf(within) };
  });
  return {
    pairs: pairs.toSorted((a, b) => Number(b.earned - b.paid - (a.earned - a.paid))),
    all: { pair: null, ...sumsOf(days) },
    columns,
  };
}

export function sumsOf(days: readonly Day[]): Sums {
  const besides = new Map<string, bigint>();
  for (const { network, amount } of days.flatMap(({ gas }) => gas)) {
    const key = `${network} ${coin}`;
    besides.set(key, (besides.get(key) ?? 0n) - BigInt(amount));
  }
  return {
    swaps: days.reduce((sum, { swaps }) => sum + swaps, 0),
    volume: days.reduce((sum, { volume_sats: sats }) => sum + BigInt(sats), 0n),
    earned: days.reduce((sum, { earned }) => sum + msatOf(earned), 0n),
    paid: days.reduce((sum, { paid }) => sum + msatOf(paid), 0n),
    besides,
  };
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
