import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import {
  apartBps,
  lostBefore,
  noPeg,
  pegStops,
  rememberPeg,
  type PegMemory,
  type PegReading,
} from '../../quote/peg.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { isStorageFailure } from '../../store/failure.ts';

/** Where it is asked what the pegged token of a chain costs, and what a bitcoin does. */
export interface PegSource {
  /** What is asked, and the bound: the same for as long as the owner sets the same. */
  readonly name: string;
  readonly boundBps: number;
  pegged(): Promise<number>;
  bitcoin(): Promise<number>;
}

type PegRuntime = Pick<Runtime, 'clock' | 'alert' | 'log' | 'store'>;

interface Watched {
  source: PegSource;
  memory: PegMemory;
  /** What stands in the database. */
  onDisk: PegMemory['is'];
  /** What was told of it last. */
  told: ReturnType<typeof pegStops>;
}

/**
 * A token that lost its peg, as a start has to know: whoever makes a node start again must not give it back
 * (facts/faults.md 105).
 */
interface Lost {
  readonly name: string;
  readonly last: PegReading;
}

/**
 * A pegged token counts as bitcoin only while the market says so (facts/faults.md 69). What is open goes on whatever it
 * says. A chain without a source is not watched.
 */
export function createPegs({ clock, alert, log, store }: PegRuntime) {
  const watched = new Map<EvmNetwork, Watched>();

  function begun(network: EvmNetwork, source: PegSource): Watched {
    const lost = store.settings.get<Lost>(keyOf(network));
    const memory = lost?.name === source.name ? lostBefore(lost.last) : noPeg;
    return { source, memory, onDisk: memory.is, told: null };
  }

  function keep(network: EvmNetwork, one: Watched): void {
    const { memory, onDisk, source } = one;
    if (memory.is === onDisk || memory.is === 'unread') return;
    if (memory.is === 'stopped')
      store.settings.put(keyOf(network), { name: source.name, last: memory.last } satisfies Lost);
    else store.settings.remove(keyOf(network));
    one.onDisk = memory.is;
  }

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
    try {
      keep(network, one);
    } catch (cause) {
      if (!isStorageFailure(cause)) throw cause; // the next reading keeps it
    }
  }

  function tell(network: EvmNetwork, one: Watched): void {
    const stops = pegStops(one.memory, clock.now().wall);
    if (stops === one.told) return;
    const wasTold = one.told;
    one.told = stops;
    if (stops === null) {
      if (wasTold !== null) alert(null, `New swaps over the pegged token of ${network} go on: ${figures(one)}.`);
    } else if (stops === 'apart')
      alert(null, `New swaps over the pegged token of ${network} stop: ${figures(one)}. Open swaps go on.`);
    else if (one.memory.is !== 'unread')
      alert(
        null,
        `New swaps over the pegged token of ${network} stop: no price of it or of bitcoin can be read. The ` +
          `doctor has a line on prices.source and evm.${chainIdOf(network)}.peg.`,
      );
  }

  return {
    async read(sources: ReadonlyMap<EvmNetwork, PegSource>): Promise<void> {
      for (const network of watched.keys()) if (!sources.has(network)) watched.delete(network);
      for (const [network, source] of sources) {
        const one = watched.get(network);
        if (one?.source.name === source.name) one.source = source;
        else watched.set(network, begun(network, source));
      }
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
          : 'New swaps on this chain wait: the price of its pegged token is not known now. Try again later.',
      );
    },
  };
}

function keyOf(network: EvmNetwork): string {
  return `lost-peg ${network}`;
}

function figures({ memory, source: { boundBps } }: Watched): string {
  if (memory.is === 'unread') return 'no price was read';
  const { pegged, bitcoin } = memory.last;
  return (
    `its 30-minute mean is ${shown(pegged)}, a bitcoin costs ${shown(bitcoin)}, ` +
    `${percent(apartBps(memory.last))} % apart; the bound is ${percent(boundBps)} % (evm.peg.boundBps)`
  );
}

function shown(price: number): string {
  return price >= 100 ? price.toFixed(0) : price.toPrecision(5);
}

function percent(bps: number): string {
  return (bps / 100).toFixed(2);
}
