import { toHex } from '../domain/hex.ts';
import type { Event, Watch } from '../swap/machine.ts';
import type { Log } from './log.ts';
import type { Ports } from './ports.ts';
import type { Entry } from './working-set.ts';
import { createLightningWatch } from './networks/lightning/watch.ts';
import { createProviderWatch } from './networks/provider/watch.ts';
import { createVhtlcWatch } from './networks/arkade/watch.ts';
import type { Unix } from '../domain/time.ts';

function keyOf(watch: Watch): string {
  switch (watch.on) {
    case 'vhtlc':
      return `vhtlc ${toHex(watch.script)}`;
    case 'queue':
      return `queue ${toHex(watch.script)} ${watch.always}`;
    case 'provider':
      return `provider ${watch.provider} ${watch.swapId}`;
    default:
      return `${watch.on} ${toHex(watch.hash)}`;
  }
}

/** A provider is asked this often at least, in milliseconds: its word is what a person waits for. */
const providerPollMs = 3_000;

/** Keeps what is looked at equal to what the states of the open swaps ask for. */
export function createWatcher(options: {
  ports: Ports;
  deliver: (swapId: string, event: Event) => void;
  onBug: (swapId: string, cause: unknown) => void;
  pollMs: number;
  wall: () => Unix;
  log: Log;
}) {
  const { ports, deliver, pollMs, log } = options;
  const held = new Map<string, readonly Watch[]>();

  function onFailure(swapId: string | null, cause: unknown): void {
    if (swapId !== null && !(cause instanceof Error && cause.name === 'PortFailure')) options.onBug(swapId, cause);
    else
      log.warn(
        { ...(swapId === null ? {} : { swap: swapId }), cause: cause instanceof Error ? cause.message : String(cause) },
        'a look at a network failed',
      );
  }

  const vhtlc =
    ports.arkade === null
      ? null
      : createVhtlcWatch({
          arkade: ports.arkade,
          bitcoin: ports.bitcoin,
          deliver,
          onFailure,
          pollMs,
          wall: options.wall,
        });
  const lightning =
    ports.lightning === null ? null : createLightningWatch({ lightning: ports.lightning, deliver, onFailure, pollMs });
  const provider =
    ports.providers === undefined
      ? null
      : createProviderWatch({
          providers: ports.providers,
          deliver,
          onFailure,
          pollMs: Math.min(pollMs, providerPollMs),
        });

  function add(swapId: string, watch: Watch): void {
    if (watch.on === 'vhtlc') vhtlc?.add(swapId, watch.terms, watch.script);
    else if (watch.on === 'queue') vhtlc?.prove(watch.script, watch.key, watch.always);
    else if (watch.on === 'provider') provider?.add(swapId, watch.provider, watch.swapId);
    else lightning?.add(watch.on, swapId, watch.hash);
  }

  function remove(swapId: string, watch: Watch): void {
    if (watch.on === 'vhtlc') vhtlc?.remove(swapId, watch.script);
    else if (watch.on === 'queue') vhtlc?.unprove(watch.script);
    else if (watch.on === 'provider') provider?.remove(swapId);
    else lightning?.remove(watch.on, watch.hash);
  }

  return {
    track({ row, machine }: Entry): void {
      const next = row.open ? machine.watches(row.terms, row.progress) : [];
      const before = held.get(row.id) ?? [];
      const nextKeys = new Set(next.map(keyOf));
      const beforeKeys = new Set(before.map(keyOf));
      for (const watch of before) if (!nextKeys.has(keyOf(watch))) remove(row.id, watch);
      for (const watch of next) if (!beforeKeys.has(keyOf(watch))) add(row.id, watch);
      if (next.length === 0) held.delete(row.id);
      else held.set(row.id, next);
    },
    start(): void {
      vhtlc?.start();
      lightning?.start();
      provider?.start();
    },
    async stop(): Promise<void> {
      await Promise.all([vhtlc?.stop(), lightning?.stop(), provider?.stop()]);
    },
  };
}
