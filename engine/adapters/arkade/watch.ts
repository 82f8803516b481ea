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

/** What is watched, and over which connection. */
interface Watching {
  readonly indexer: ArkadeOptions['indexer'];
  readonly operator: Operator;
  readonly handlers: { onScript(script: Uint8Array): void; onGap(): void };
  readonly scripts: Set<string>;
  readonly stopped: AbortController;
  subscription: string | null;
  wake: (() => void) | null;
  /** Ends the stream that is being read, so that the loop subscribes anew. */
  connection: AbortController | null;
  readonly touched: Set<string>;
  flush: ReturnType<typeof setImmediate> | null;
  /** Scripts that the running subscription is to be told of, or to lose, with the next request. */
  readonly joining: Set<string>;
  readonly leaving: Set<string>;
  change: NodeJS.Timeout | null;
}

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

  /** Scripts that the running subscription is to be told of, or to lose, with the next request. */
  const joining = new Set<string>();
  const leaving = new Set<string>();
  const own: Watching = {
    indexer,
    operator,
    handlers,
    scripts,
    stopped,
    subscription: null,
    wake: null,
    connection: null,
    touched: new Set(),
    flush: null,
    joining,
    leaving,
    change: null,
  };

  const done = loop(own);

  return {
    add(more) {
      const added = more.map(toHex).filter((script) => !scripts.has(script));
      for (const script of added) scripts.add(script);
      if (added.length === 0) return;
      for (const script of added) if (!leaving.delete(script)) joining.add(script);
      if (own.subscription) changeSoon(own);
      else own.wake?.();
    },
    remove(fewer) {
      const removed = fewer.map(toHex).filter((script) => scripts.delete(script));
      if (removed.length === 0) return;
      for (const script of removed) if (!joining.delete(script)) leaving.add(script);
      if (scripts.size === 0) own.connection?.abort();
      else if (own.subscription) changeSoon(own);
    },
    async stop() {
      stopped.abort();
      own.connection?.abort();
      own.wake?.();
      if (own.flush) clearImmediate(own.flush);
      if (own.change) clearTimeout(own.change);
      await done;
    },
  };
}

function tell(own: Watching, script: string): void {
  const { handlers, scripts, stopped, touched } = own;
  if (!scripts.has(script)) return;
  touched.add(script);
  own.flush ??= setImmediate(() => {
    own.flush = null;
    const now = [...touched];
    touched.clear();
    for (const each of now) if (scripts.has(each) && !stopped.signal.aborted) handlers.onScript(fromHex(each));
  });
}

function pause(own: Watching, milliseconds: number | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = milliseconds === null ? null : setTimeout(resume, milliseconds);
    function resume(): void {
      if (timer) clearTimeout(timer);
      own.wake = null;
      resolve();
    }
    own.wake = resume;
  });
}

async function loop(own: Watching): Promise<void> {
  const { indexer, operator, handlers, scripts, stopped, joining, leaving } = own;
  let wait = shortestWait;
  let gap = false;
  while (!stopped.signal.aborted) {
    if (scripts.size === 0) {
      await pause(own, null);
      continue;
    }
    const began = performance.now();
    own.connection = new AbortController();
    const signal = AbortSignal.any([stopped.signal, own.connection.signal]);
    try {
      joining.clear();
      leaving.clear();
      const subscribed = [...scripts];
      const id = await operator.read('subscribe', (provider) => provider.subscribeForScripts(subscribed));
      own.subscription = id;
      const events = indexer.getSubscription(id, signal);
      const first = events.next();
      await changeNow(own);
      if (gap) handlers.onGap();
      gap = true;
      for (let next = await first; !next.done && !signal.aborted; next = await events.next()) {
        wait = shortestWait;
        const coins = [...next.value.newVtxos, ...next.value.spentVtxos, ...next.value.sweptVtxos];
        for (const script of new Set([...next.value.scripts, ...coins.map((coin) => coin.script)])) tell(own, script);
      }
    } catch (error) {
      // A lost stream is the normal end of one: what it may have missed is the gap that the next one reports.
      portFailure('watch', 'read', error);
      gap = true;
    } finally {
      own.subscription = null;
      own.connection.abort();
    }
    if (stopped.signal.aborted || scripts.size === 0) continue;
    if (performance.now() - began > longestWait) wait = shortestWait;
    await pause(own, wait * (0.5 + Math.random() / 2));
    wait = Math.min(longestWait, wait * 2);
  }
}

function changeSoon(own: Watching): void {
  own.change ??= setTimeout(() => {
    own.change = null;
    void changeNow(own);
  }, gathering);
}

/** Many swaps that come or go at once cost one request. */
async function changeNow(own: Watching): Promise<void> {
  const { operator, joining, leaving } = own;
  const id = own.subscription;
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
    own.connection?.abort();
  }
  // What happened to them before the operator knew that we follow them makes no event.
  for (const script of added) tell(own, script);
}
