import { burialDepth } from '../../legs/onchain/depth.ts';
import type { BitcoinWorld } from '../world/bitcoin/chain.ts';
import type { Journal } from '../world/journal.ts';

/** Mines by itself, when it is told to. */
export interface Miner {
  /** Seconds between blocks; null stops. */
  every(seconds: number | null): void;
  /**
   * Blocks while somebody waits for one, else as often as on a real chain, so that heights and seconds stay together.
   */
  onDemand(): void;
  stop(): void;
}

export const minerTable = 'bitcoin_miner';

const lookMs = 1_000;
/** Seconds from a wish for a block to the block. */
const patience = 5;
/** Seconds between blocks that nobody waits for: the mean of a real chain. */
const usual = 600;
/** A tip that is older, in seconds, tells of a sleep: so many blocks at once bring median time past to now. */
const asleep = 3_600;

type Rhythm = { readonly seconds: number | null } | 'on_demand';

export function createMiner(bitcoin: BitcoinWorld, journal: Journal): Miner {
  let timer: NodeJS.Timeout | null = null;
  /** Since when a block on this height is waited for, by the sandbox's clock; null while nobody waits. */
  let wanted: { readonly since: number; readonly height: number } | null = null;

  function look(): void {
    const now = bitcoin.clock.now();
    const age = now - bitcoin.clock.tipTime();
    if (age > asleep) return bitcoin.advance(0);
    const { height } = bitcoin.tip();
    // Whoever mined one: the next wish begins anew. A reorganisation grants none.
    if (!isAwaited(bitcoin)) wanted = null;
    else if (wanted === null || height > wanted.height) wanted = { since: now, height };
    if (age >= usual || (wanted !== null && now - wanted.since >= patience)) bitcoin.mine(1);
  }

  function run(rhythm: Rhythm): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
    wanted = null;
    if (rhythm === 'on_demand') {
      look();
      timer = setInterval(look, lookMs);
    } else if (rhythm.seconds !== null) {
      timer = setInterval(() => bitcoin.mine(1), rhythm.seconds * 1000);
    }
  }

  function set(rhythm: Rhythm): void {
    journal.atomically(() => {
      journal.put(minerTable, 'seconds', rhythm === 'on_demand' ? null : rhythm.seconds);
      journal.put(minerTable, 'on_demand', rhythm === 'on_demand');
    });
    run(rhythm);
  }

  const saved = new Map(journal.rows(minerTable));
  const seconds = saved.get('seconds');
  run(saved.get('on_demand') === true ? 'on_demand' : { seconds: typeof seconds === 'number' ? seconds : null });

  return {
    every: (wish) => set({ seconds: wish }),
    onDemand: () => set('on_demand'),
    stop: () => run({ seconds: null }),
  };
}

/** Something would be in the next block, or what is in one is not yet as deep as anybody waits for. */
function isAwaited(bitcoin: BitcoinWorld): boolean {
  const { height } = bitcoin.tip();
  for (let at = height; at > height - burialDepth + 1; at--)
    if ((bitcoin.at(at)?.transactions.length ?? 0) > 1) return true;
  return bitcoin.nextBlockTakes();
}
