import { fromHex, toHex } from '../../domain/hex.ts';
import type { ArkadeWatch } from '../../legs/vhtlc/port.ts';
import { portFailure } from './failures.ts';
import type { Operator } from './operator.ts';
import type { ArkadeOptions } from './operator.ts';

/** Milliseconds between two tries to connect again: doubled each time, within these bounds. */
const shortestWait = 250;
const longestWait = 10_000;

/**
 * Follows scripts by one subscription. The operator replays nothing, forgets subscriptions at its restart and drops
 * events silently, so every new subscription is a gap; polling is the caller's (arkade.md 1.11 f).
 */
export function createWatch({ indexer }: ArkadeOptions, operator: Operator, handlers: { onScript(script: Uint8Array): void; onGap(): void }): ArkadeWatch {
  const scripts = new Set<string>();
  const stopped = new AbortController();
  let subscription: string | null = null;
  let wake: (() => void) | null = null;
  /** Ends the stream that is being read, so that the loop subscribes anew. */
  let connection: AbortController | null = null;
  const touched = new Set<string>();
  let flush: ReturnType<typeof setImmediate> | null = null;
  const done = loop();

  function tell(script: string): void {
    if (!scripts.has(script)) return;
    touched.add(script);
    flush ??= setImmediate(() => {
      flush = null;
      const now = [...touched];
      touched.clear();
      for (const each of now) if (scripts.has(each) && !stopped.signal.aborted) handlers.onScript(fromHex(each));
    });
  }

  function pause(milliseconds: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === null ? null : setTimeout(resume, milliseconds);
      function resume(): void {
        if (timer) clearTimeout(timer);
        wake = null;
        resolve();
      }
      wake = resume;
    });
  }

  async function loop(): Promise<void> {
    let wait = shortestWait;
    let gap = false;
    while (!stopped.signal.aborted) {
      if (scripts.size === 0) {
        await pause(null);
        continue;
      }
      const began = performance.now();
      connection = new AbortController();
      const signal = AbortSignal.any([stopped.signal, connection.signal]);
      try {
        const asked = [...scripts];
        const id = await operator.read('subscribe', (provider) => provider.subscribeForScripts(asked));
        subscription = id;
        const events = indexer.getSubscription(id, signal);
        const first = events.next();
        const added = [...scripts].filter((script) => !asked.includes(script));
        if (added.length > 0) await operator.read('subscribe', (provider) => provider.subscribeForScripts(added, id));
        if (gap) handlers.onGap();
        gap = true;
        for (let next = await first; !next.done && !signal.aborted; next = await events.next()) {
          wait = shortestWait;
          const coins = [...next.value.newVtxos, ...next.value.spentVtxos, ...next.value.sweptVtxos];
          for (const script of new Set([...next.value.scripts, ...coins.map((coin) => coin.script)])) tell(script);
        }
      } catch (error) {
        // A lost stream is the normal end of one: what it may have missed is the gap that the next one reports.
        portFailure('watch', 'read', error);
        gap = true;
      } finally {
        subscription = null;
        connection.abort();
      }
      if (stopped.signal.aborted || scripts.size === 0) continue;
      if (performance.now() - began > longestWait) wait = shortestWait;
      await pause(wait * (0.5 + Math.random() / 2));
      wait = Math.min(longestWait, wait * 2);
    }
  }

  async function extend(added: readonly string[], id: string): Promise<void> {
    try {
      await operator.read('subscribe', (provider) => provider.subscribeForScripts([...added], id));
    } catch {
      connection?.abort(); // the next subscription has them all
    }
  }

  async function shrink(removed: readonly string[], id: string): Promise<void> {
    try {
      await operator.read('unsubscribe', (provider) => provider.unsubscribeForScripts(id, [...removed]));
    } catch {
      connection?.abort();
    }
  }

  return {
    add(more) {
      const added = more.map(toHex).filter((script) => !scripts.has(script));
      for (const script of added) scripts.add(script);
      if (added.length === 0) return;
      if (subscription) void extend(added, subscription);
      else wake?.();
    },
    remove(fewer) {
      const removed = fewer.map(toHex).filter((script) => scripts.delete(script));
      if (removed.length === 0) return;
      if (scripts.size === 0) connection?.abort();
      else if (subscription) void shrink(removed, subscription);
    },
    async stop() {
      stopped.abort();
      connection?.abort();
      wake?.();
      if (flush) clearImmediate(flush);
      await done;
    },
  };
}
