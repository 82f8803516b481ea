import { setTimeout as pause } from 'node:timers/promises';
import type { Unix } from '../domain/time.ts';
import { failedOnEvm } from '../legs/evm/failures.ts';
import type { Event, Watch } from '../swap/machine.ts';
import type { Store } from '../store/store.ts';
import type { Log } from './log.ts';
import type { RulesOf } from './networks/evm/rules.ts';
import type { SentMemory } from './networks/sent-memory.ts';
import { lookLate as lookAtLocks } from './networks/evm/look-late.ts';
import { lookLate as lookAtCoins } from './networks/onchain/look-late.ts';
import { everyWatching, watchingOf } from './networks/watches.ts';
import type { NetworkWatch, Watching, WatchOptions } from './networks/watching.ts';
import { evmOf, type Ports } from './ports.ts';
import type { Entry } from './working-set.ts';

/** An operator's list of the coins at one script is there by then. */
const lookMs = 10_000;

function keyOf(watch: Watch): string {
  return watchingOf(watch).keyOf(watch);
}

/** Keeps what is looked at equal to what the states of the open swaps ask for. */
export function createWatcher(options: {
  ports: Ports;
  store: Store;
  evm: RulesOf;
  taken: SentMemory;
  deliver: (swapId: string, event: Event) => void;
  onBug: (swapId: string, cause: unknown) => void;
  /** Tells a person. */
  alert: (swapId: string, sentence: string) => void;
  pollMs: number;
  wall: () => Unix;
  log: Log;
}) {
  const { ports, store, evm, taken, deliver, pollMs, wall, log } = options;
  const held = new Map<string, readonly Watch[]>();

  function onFailure(swapId: string | null, cause: unknown): void {
    // Nothing but another RPC ends it.
    if (swapId !== null && failedOnEvm(cause, 'evm-pruned')) options.alert(swapId, cause.message);
    if (swapId !== null && !(cause instanceof Error && cause.name === 'PortFailure')) options.onBug(swapId, cause);
    else
      log.warn(
        { ...(swapId === null ? {} : { swap: swapId }), cause: cause instanceof Error ? cause.message : String(cause) },
        'a look at a network failed',
      );
  }

  const of: WatchOptions = { ports, store, evm, taken, deliver, onFailure, pollMs, wall };
  const networks = new Map<Watching<Watch>, NetworkWatch<Watch>>();
  for (const watching of everyWatching) {
    const network = watching.open(of);
    if (network !== null) networks.set(watching, network);
  }

  /** What is not noted for the swap is a stranger's. */
  function watchesOf({ row, machine }: Entry): readonly Watch[] {
    const all = machine.watches(row.terms, row.progress);
    return all.filter(({ ifNoted }) => ifNoted !== true || store.intents.has('payment', row.id));
  }

  return {
    track({ row, machine }: Entry): void {
      const next = row.open ? watchesOf({ row, machine }) : [];
      const before = held.get(row.id) ?? [];
      const nextKeys = new Set(next.map(keyOf));
      const beforeKeys = new Set(before.map(keyOf));
      for (const watch of before)
        if (!nextKeys.has(keyOf(watch))) networks.get(watchingOf(watch))?.remove(row.id, watch);
      for (const watch of next) if (!beforeKeys.has(keyOf(watch))) networks.get(watchingOf(watch))?.add(row.id, watch);
      if (next.length === 0) held.delete(row.id);
      else held.set(row.id, next);
    },
    /**
     * Once, for a swap that is over: its coins on the Bitcoin chain by name, its locks on an EVM chain by key, a VHTLC
     * for as long as a look takes.
     */
    async lookLate({ row, machine }: Entry): Promise<void> {
      if (held.has(row.id)) return;
      const watches = watchesOf({ row, machine });
      for (const watch of watches) {
        const event =
          watch.on === 'htlc' && ports.bitcoin !== null
            ? await lookAtCoins(watch, {
                bitcoin: ports.bitcoin,
                given: (coin) => store.partials.of(coin),
                wall: wall(),
              })
            : watch.on === 'evm-lock' && watch.locks !== undefined && watch.locks.length > 0
              ? await lookAtLocks(watch, evmOf(ports, watch.network))
              : null;
        if (event !== null) deliver(row.id, event);
      }
      const vhtlcs = watches.filter(({ on }) => on === 'vhtlc');
      if (vhtlcs.length === 0 || ports.arkade === null) return;
      held.set(row.id, vhtlcs);
      for (const watch of vhtlcs) networks.get(watchingOf(watch))?.add(row.id, watch);
      await pause(lookMs, undefined, { ref: false });
      if (held.get(row.id) !== vhtlcs) return;
      held.delete(row.id);
      for (const watch of vhtlcs) networks.get(watchingOf(watch))?.remove(row.id, watch);
    },
    onMined(): void {
      for (const network of networks.values()) network.onMined?.();
    },
    start(): void {
      for (const network of networks.values()) network.start();
    },
    async stop(): Promise<void> {
      await Promise.all([...networks.values()].map((network) => network.stop()));
    },
  };
}
