import { setTimeout as pause } from 'node:timers/promises';

/** Something that a person should know, as it is posted. */
export interface Alert {
  readonly time: number;
  readonly severity: 'info' | 'warn' | 'act';
  readonly sentence: string;
  readonly swap_id?: string;
  /** How often it happened by now, from the second telling on. */
  readonly count?: number;
}

export interface Webhook {
  send(alert: Alert): void;
  stop(): Promise<void>;
}

/** Milliseconds between the tries of one alert; after the last it is given up. */
const pauses = [1_000, 4_000, 16_000, 64_000] as const;
const patience = 10_000;
/** Alerts that may wait: a page that is away for long is told the latest ones. */
const mostWaiting = 100;

/** Posts alerts as JSON to the owner's address, one after the other. Nothing waits for it and nothing depends on it. */
export function createWebhook(options: {
  url: () => string | null;
  onLost: (reason: string) => void;
  pauses?: readonly number[];
}): Webhook {
  const stopped = new AbortController();
  const waiting: Alert[] = [];
  let posting: Promise<void> | null = null;

  async function post(alert: Alert, url: string): Promise<string | null> {
    let reason = '';
    for (const wait of [0, ...(options.pauses ?? pauses)]) {
      if (wait > 0) await pause(wait, undefined, { signal: stopped.signal });
      try {
        const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(patience)]);
        const reply = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(alert),
          redirect: 'error',
          signal,
        });
        await reply.body?.cancel();
        if (reply.ok) return null;
        reason = `it answered ${reply.status}`;
        if (reply.status < 500 && reply.status !== 408 && reply.status !== 429) return reason;
      } catch (cause) {
        if (stopped.signal.aborted) return 'the node stopped';
        reason =
          cause instanceof Error
            ? `${cause.message}${cause.cause instanceof Error ? ` (${cause.cause.message})` : ''}`
            : String(cause);
      }
    }
    return reason;
  }

  async function postAll(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !stopped.signal.aborted; next = waiting.shift()) {
      const url = options.url();
      const lost = url === null ? null : await post(next, url);
      if (lost !== null && !stopped.signal.aborted) options.onLost(lost);
    }
  }

  return {
    send(alert) {
      if (options.url() === null) return;
      waiting.push(alert);
      if (waiting.length > mostWaiting) {
        waiting.shift();
        options.onLost('too many alerts wait for it');
      }
      posting ??= postAll()
        .catch((cause: unknown) => {
          if (!stopped.signal.aborted) throw cause;
        })
        .finally(() => {
          posting = null;
        });
    },
    async stop() {
      stopped.abort();
      await posting;
    },
  };
}
