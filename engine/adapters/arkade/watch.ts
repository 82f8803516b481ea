import { fromHex, toHex } from '../../domain/hex.ts';
import type { ArkadeSubscription } from '../../legs/arkade/port.ts';
import { portFailure } from './failures.ts';
import type { Operator } from './operator.ts';
import type { ArkadeOptions } from './operator.ts';

/** Milliseconds between two tries to connect again: doubled each time, within these bounds. */
const shortestWait = 250;
const longestWait = 10_000;

/** Milliseconds for which scripts are gathered before the operator is told of them. */
const gathering = 10;

/**
 * Follows scripts by one subscription. The operator replays nothing, forgets subscriptions at its restart and drops
 * events silently, so every new subscription is a gap; polling is the caller's (facts/arkade.md 51).
 */
export function createWatch(
  { indexer }: ArkadeOptions,
  operator: Operator,
  handlers: { onScript(script: Uint8Array): void; onGap(): void },
): ArkadeSubscription {
  const scripts = new Set<string>();
  const stopped = new AbortController();
  let subscription: string | null = null;
  let wake: (() => void) | null = null;
  /** Ends the stream that is being read, so that the loop subscribes anew. */
  let connection: AbortController | null = null;
  const touched = new Set<string>();
  let flush: ReturnType<typeof setImmediate> | null = null;
  /** Scripts that the running subscription is to be told of, or to lose, with the next request. */
  const joining = new Set<string>();
  const leaving = new Set<string>();
  let change: NodeJS.Timeout | null = null;
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
        joining.clear();
        leaving.clear();
        const subscribed = [...scripts];
        const id = await operator.read('subscribe', (provider) => provider.subscribeForScripts(subscribed));
        subscription = id;
        const events = indexer.getSubscription(id, signal);
        const first = events.next();
        await changeNow();
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

  function changeSoon(): void {
    change ??= setTimeout(() => {
      change = null;
      void changeNow();
    }, gathering);
  }

  /** Many swaps that come or go at once cost one request. */
  async function changeNow(): Promise<void> {
    const id = subscription;
    const added = [...joining];
    const removed = [...leaving];
    joining.clear();
    leaving.clear();
    if (id === null) return; // the next subscription begins with them all
    try {
      if (added.length > 0) await operator.read('subscribe', (provider) => provider.subscribeForScripts(added, id));
      if (removed.length > 0)
        await operator.read('unsubscribe', (provider) => provider.unsubscribeForScripts(id, removed));
    } catch {
      connection?.abort();
    }
    // What happened to them before the operator knew that we follow them makes no event.
    for (const script of added) tell(script);
  }

  return {
    add(more) {
      const added = more.map(toHex).filter((script) => !scripts.has(script));
      for (const script of added) scripts.add(script);
      if (added.length === 0) return;
      for (const script of added) if (!leaving.delete(script)) joining.add(script);
      if (subscription) changeSoon();
      else wake?.();
    },
    remove(fewer) {
      const removed = fewer.map(toHex).filter((script) => scripts.delete(script));
      if (removed.length === 0) return;
      for (const script of removed) if (!joining.delete(script)) leaving.add(script);
      if (scripts.size === 0) connection?.abort();
      else if (subscription) changeSoon();
    },
    async stop() {
      stopped.abort();
      connection?.abort();
      wake?.();
      if (flush) clearImmediate(flush);
      if (change) clearTimeout(change);
      await done;
    },
  };
}
