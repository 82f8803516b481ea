import { randomUUID } from 'node:crypto';
import type { Outpoint } from '../../../domain/outpoint.ts';
import type { Coin } from './coins.ts';
import { refusal } from './errors.ts';

/** Something happened at a script; `tx` is a PSBT in base64, or raw hex for a commitment transaction. */
export interface ScriptEvent {
  readonly txid: string;
  readonly scripts: readonly string[];
  readonly newVtxos: readonly Coin[];
  readonly spentVtxos: readonly Coin[];
  readonly tx: string;
  /** By the outpoint that the checkpoint spends. */
  readonly checkpointTxs: Readonly<Record<string, { readonly txid: string; readonly tx: string }>>;
}

export interface ScriptReader {
  event(event: ScriptEvent): void;
  /** Another reader took over, or the operator went away. */
  end(reason: 'replaced' | 'away'): void;
}

export interface ScriptHub {
  /** Makes a subscription, or adds to the one named. */
  subscribe(scripts: readonly string[], id?: string): string;
  /** Without scripts the whole subscription goes. */
  unsubscribe(id: string, scripts?: readonly string[]): void;
  /** One reader at a time: the newest. Returns how to leave. */
  attach(id: string, reader: ScriptReader): () => void;
  publish(event: Omit<ScriptEvent, 'scripts'>): void;
  clear(): void;
}

interface Subscription {
  readonly id: string;
  readonly scripts: Set<string>;
  reader: ScriptReader | null;
  detachedAt: number;
  waiting: ScriptEvent[];
}

const bufferedEvents = 100;
const unattachedMs = 60_000;

/** `loses` says of each event whether it is lost for everybody. */
export function scriptHub(loses: () => boolean): ScriptHub {
  const subscriptions = new Map<string, Subscription>();
  const byScript = new Map<string, Set<Subscription>>();

  function add(subscription: Subscription, scripts: readonly string[]): void {
    for (const script of scripts) {
      subscription.scripts.add(script);
      const set = byScript.get(script) ?? new Set();
      byScript.set(script, set.add(subscription));
    }
  }
  function remove(subscription: Subscription, scripts: Iterable<string>): void {
    for (const script of [...scripts]) {
      subscription.scripts.delete(script);
      const set = byScript.get(script);
      set?.delete(subscription);
      if (set?.size === 0) byScript.delete(script);
    }
  }
  function forget(subscription: Subscription): void {
    remove(subscription, subscription.scripts);
    subscriptions.delete(subscription.id);
  }
  function find(id: string): Subscription {
    const subscription = subscriptions.get(id);
    const stale = subscription?.reader === null && Date.now() - subscription.detachedAt > unattachedMs;
    if (subscription !== undefined && !stale) return subscription;
    if (subscription !== undefined) forget(subscription);
    throw refusal('SUBSCRIPTION_NOT_FOUND', `subscription ${id} not found`, { subscription_id: id });
  }

  return {
    subscribe(scripts, id) {
      const subscription: Subscription =
        id === undefined
          ? { id: randomUUID(), scripts: new Set(), reader: null, detachedAt: Date.now(), waiting: [] }
          : find(id);
      subscriptions.set(subscription.id, subscription);
      add(subscription, scripts);
      return subscription.id;
    },
    unsubscribe(id, scripts) {
      const subscription = find(id);
      if (scripts === undefined || scripts.length === 0) forget(subscription);
      else remove(subscription, scripts);
    },
    attach(id, reader) {
      const subscription = find(id);
      subscription.reader?.end('replaced');
      subscription.reader = reader;
      for (const event of subscription.waiting.splice(0)) reader.event(event);
      return () => {
        if (subscription.reader !== reader) return;
        subscription.reader = null;
        subscription.detachedAt = Date.now();
      };
    },
    publish(event) {
      if (loses()) return;
      const touched = new Set([...event.newVtxos, ...event.spentVtxos].map((coin) => coin.script));
      const readers = new Set([...touched].flatMap((script) => [...(byScript.get(script) ?? [])]));
      for (const subscription of readers) {
        const mine = (coin: Coin) => subscription.scripts.has(coin.script);
        const part: ScriptEvent = {
          ...event,
          scripts: [...touched].filter((script) => subscription.scripts.has(script)),
          newVtxos: event.newVtxos.filter(mine),
          spentVtxos: event.spentVtxos.filter(mine),
        };
        if (subscription.reader !== null) subscription.reader.event(part);
        else if (subscription.waiting.length < bufferedEvents) subscription.waiting.push(part);
      }
    },
    clear() {
      for (const subscription of [...subscriptions.values()]) {
        subscription.reader?.end('away');
        forget(subscription);
      }
    },
  };
}

/** One line of the operator's public transaction stream. */
export interface TransactionNotice {
  readonly kind: 'commitmentTx' | 'arkTx' | 'sweepTx';
  readonly txid: string;
  readonly tx: string;
  readonly spentVtxos: readonly Coin[];
  readonly spendableVtxos: readonly Coin[];
  readonly sweptVtxos: readonly Outpoint[];
  readonly checkpointTxs: ScriptEvent['checkpointTxs'];
}

export interface TransactionHub {
  listen(listener: (notice: TransactionNotice) => void): () => void;
  publish(notice: TransactionNotice): void;
}

export function transactionHub(): TransactionHub {
  const listeners = new Set<(notice: TransactionNotice) => void>();
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    publish(notice) {
      for (const listener of listeners) listener(notice);
    },
  };
}
