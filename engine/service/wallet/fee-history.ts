import { day, hour, type Unix } from '../../domain/time.ts';
import type { Store } from '../../store/store.ts';

/** A fee rate of the chain, in sats per virtual byte, and when it was seen. */
interface Sample {
  readonly at: number;
  readonly rate: number;
}

const key = 'bitcoin-fee-rates';
/** One an hour is recent, for two weeks: weekends and weekdays. */
const between = hour;
const span = 14 * day;
/** Of fewer nobody can say which is low. */
const fewest = 24;
/** A rate is low that three quarters of them lie above. */
const quarter = 4;

/** What the chain asked for, as this node has seen it: recent over restarts, at most one rate an hour for two weeks. */
export function createFeeHistory(store: Store) {
  const samples = (): readonly Sample[] => store.settings.get<readonly Sample[]>(key) ?? [];

  return {
    note(rate: number, now: Unix): void {
      // After a clock that was ahead nothing would be noted for as long.
      const recent = samples().filter(({ at }) => at > now - span && at <= now);
      const last = recent.at(-1);
      if (last === undefined || now - last.at >= between) store.settings.put(key, [...recent, { at: now, rate }]);
    },
    /** The rate up to which fees are low; null while too little was seen. */
    low(): number | null {
      const rates = samples()
        .map(({ rate }) => rate)
        .sort((a, b) => a - b);
      return rates.length < fewest ? null : (rates[Math.ceil(rates.length / quarter) - 1] ?? null);
    },
  };
}
