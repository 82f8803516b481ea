import type { Unix } from '../domain/time.ts';
import type { Event, Watch } from '../swap/machine.ts';
import type { Store } from '../store/store.ts';
import type { Log } from './log.ts';
import type { RulesOf } from './networks/evm/rules.ts';
import { everyWatching, watchingOf } from './networks/watches.ts';
import type { NetworkWatch, Watching, WatchOptions } from './networks/watching.ts';
import type { Ports } from './ports.ts';
import type { Entry } from './working-set.ts';

function keyOf(watch: Watch): string {
  return watchingOf(watch).keyOf(watch);
}

/** Keeps what is looked at equal to what the states of the open swaps ask for. */
export function createWatcher(options: {
  ports: Ports;
  store: Store;
  evm: RulesOf;
  deliver: (swapId: string, event: Event) => void;
  onBug: (swapId: string, cause: unknown) => void;
  pollMs: number;
  wall: () => Unix;
  log: Log;
}) {
  const { ports, store, evm, deliver, pollMs, wall, log } = options;
  const held = new Map<string, readonly Watch[]>();

  function onFailure(swapId: string | null, cause: unknown): void {
    if (swapId !== null && !(cause instanceof Error && cause.name === 'PortFailure')) options.onBug(swapId, cause);
    else
      log.warn(
        { ...(swapId === null ? {} : { swap: swapId }), cause: cause instanceof Error ? cause.message : String(cause) },
        'a look at a network failed',
      );
  }

  const of: WatchOptions = { ports, store, evm, deliver, onFailure, pollMs, wall };
  const networks = new Map<Watching<Watch>, NetworkWatch<Watch>>();
  for (const watching of everyWatching) {
    const network = watching.open(of);
    if (network !== null) networks.set(watching, network);
  }

  return {
    track({ row, machine }: Entry): void {
      const next = row.open ? machine.watches(row.terms, row.progress) : [];
      const before = held.get(row.id) ?? [];
      const nextKeys = new Set(next.map(keyOf));
      const beforeKeys = new Set(before.map(keyOf));
      for (const watch of before)
        if (!nextKeys.has(keyOf(watch))) networks.get(watchingOf(watch))?.remove(row.id, watch);
      for (const watch of next) if (!beforeKeys.has(keyOf(watch))) networks.get(watchingOf(watch))?.add(row.id, watch);
      if (next.length === 0) held.delete(row.id);
      else held.set(row.id, next);
    },
    start(): void {
      for (const network of networks.values()) network.start();
    },
    async stop(): Promise<void> {
      await Promise.all([...networks.values()].map((network) => network.stop()));
    },
  };
}
