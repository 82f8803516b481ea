import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { apartBps, noPeg, pegStops, rememberPeg, type PegMemory } from '../../quote/peg.ts';
import type { Runtime } from '../../runtime/runtime.ts';

/** Where it is asked what the pegged token of a chain costs, and what a bitcoin does. */
export interface PegSource {
  readonly boundBps: number;
  pegged(): Promise<number>;
  bitcoin(): Promise<number>;
}

interface Watched {
  readonly source: PegSource;
  memory: PegMemory;
  /** What was told of it last. */
  told: ReturnType<typeof pegStops>;
}

/**
 * A pegged token counts as bitcoin only while the market says so (facts/faults.md 69). What is open goes on whatever it says. A chain without a
 * source is not watched.
 */
export function createPegs({ clock, alert, log }: Pick<Runtime, 'clock' | 'alert' | 'log'>) {
  const watched = new Map<EvmNetwork, Watched>();

  async function readOne(network: EvmNetwork, one: Watched): Promise<void> {
    const { source } = one;
    try {
      const [pegged, bitcoin] = await Promise.all([source.pegged(), source.bitcoin()]);
      one.memory = rememberPeg(one.memory, { pegged, bitcoin, at: clock.now().wall }, source.boundBps);
    } catch (cause) {
      // Whatever failed, nobody said a price: what was read before counts for as long as it may.
      log.warn({ network, cause: cause instanceof Error ? cause.message : String(cause) }, 'a price was not read');
    }
    tell(network, one);
  }

  function tell(network: EvmNetwork, one: Watched): void {
    const stops = pegStops(one.memory, clock.now().wall);
    if (stops === one.told) return;
    const wasTold = one.told;
    one.told = stops;
    if (stops === null) {
      if (wasTold !== null) alert(null, `New swaps over the pegged token of ${network} go on: ${figures(one)}.`);
    } else if (stops === 'apart')
      alert(null, `New swaps over the pegged token of ${network} stop: ${figures(one)}. What is open goes on.`);
    else if (one.memory.is !== 'unread')
      alert(
        null,
        `New swaps over the pegged token of ${network} stop: nobody says what it or a bitcoin costs. See what the doctor says of prices.source and evm.${chainIdOf(network)}.peg.`,
      );
  }

  return {
    async read(sources: ReadonlyMap<EvmNetwork, PegSource>): Promise<void> {
      for (const network of watched.keys()) if (!sources.has(network)) watched.delete(network);
      for (const [network, source] of sources)
        if (watched.get(network)?.source !== source) watched.set(network, { source, memory: noPeg, told: null });
      await Promise.all([...watched].map(([network, one]) => readOne(network, one)));
    },
    /** Why no new swap is begun over the pegged token of a chain, in either direction. */
    closed(network: EvmNetwork): Refusal | null {
      const one = watched.get(network);
      const stops = one === undefined ? null : pegStops(one.memory, clock.now().wall);
      if (stops === null) return null;
      return refuse(
        'unavailable',
        stops === 'apart'
          ? 'New swaps on this chain wait: its pegged token is not worth a bitcoin on the market now. Try again later.'
          : 'New swaps on this chain wait: what its pegged token is worth is not known now. Try again later.',
      );
    },
  };
}

function figures({ memory, source: { boundBps } }: Watched): string {
  if (memory.is === 'unread') return 'no price was read';
  const { pegged, bitcoin } = memory.last;
  return `in the mean of half an hour it costs ${shown(pegged)} and a bitcoin ${shown(bitcoin)}, ${percent(apartBps(memory.last))} % apart; the bound is ${percent(boundBps)} % (evm.peg.boundBps)`;
}

function shown(price: number): string {
  return price >= 100 ? price.toFixed(0) : price.toPrecision(5);
}

function percent(bps: number): string {
  return (bps / 100).toFixed(2);
}
