import type { BitcoinWorld } from '../world/bitcoin/chain.ts';
import type { Journal } from '../world/journal.ts';

/** Mines by itself, when it is told to. */
export interface Miner {
  /** Seconds between blocks; null stops. */
  every(seconds: number | null): void;
  stop(): void;
}

const table = 'bitcoin_miner';

export function createMiner(bitcoin: BitcoinWorld, journal: Journal): Miner {
  let timer: NodeJS.Timeout | null = null;

  function run(seconds: number | null): void {
    if (timer !== null) clearInterval(timer);
    timer = seconds === null ? null : setInterval(() => bitcoin.mine(1), seconds * 1000);
  }

  const saved = new Map(journal.rows(table)).get('seconds');
  run(typeof saved === 'number' ? saved : null);

  return {
    every(seconds) {
      journal.put(table, 'seconds', seconds);
      run(seconds);
    },
    stop: () => run(null),
  };
}
