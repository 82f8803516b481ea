import type { Rate } from '../quote/fees.ts';

/** Milliseconds for which published clients believe the pairs that they were told. */
export const believedFor = 15 * 60 * 1_000;

/** Of one pair; whoever makes its limits move drives out the oldest. */
const mostOfPair = 1_000;

interface Telling {
  readonly rate: Rate;
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
}

/**
 * What clients were told that a swap costs. They refuse one that is dearer by a satoshi than what they were told a
 * quarter of an hour ago, so that long each rate is good.
 */
export function createTellings(now: () => number = () => performance.now()) {
  const byPair = new Map<string, Map<string, Telling>>();

  function ofPair(pair: string): Map<string, Telling> {
    const tellings = byPair.get(pair) ?? new Map<string, Telling>();
    byPair.set(pair, tellings);
    for (const [hash, { at }] of tellings) {
      if (now() - at < believedFor) break;
      tellings.delete(hash);
    }
    return tellings;
  }

  return {
    note(pair: string, hash: string, rate: Rate): void {
      const tellings = ofPair(pair);
      tellings.delete(hash);
      tellings.set(hash, { rate, at: now() });
      const oldest = tellings.size > mostOfPair ? tellings.keys().next().value : undefined;
      if (oldest !== undefined) tellings.delete(oldest);
    },
    /** Null for a hash that nobody was told, or not lately. */
    byHash: (pair: string, hash: string): Rate | null => ofPair(pair).get(hash)?.rate ?? null,
    /** Each once: limits move more often than what a swap costs, and every one of these is reckoned with. */
    rates: (pair: string): Rate[] => [
      ...new Map([...ofPair(pair).values()].map(({ rate }) => [nameOfRate(rate), rate])).values(),
    ],
  };
}

function nameOfRate({ bps, flat, networkFee }: Rate): string {
  return `${bps} ${flat} ${networkFee}`;
}

export type Tellings = ReturnType<typeof createTellings>;
