import { setTimeout as pause } from 'node:timers/promises';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { Alert, Message } from './forms.ts';

export interface Channel {
  send(alert: Alert): void;
  /** Once and now, whatever waits; null when it arrived, else why it did not. */
  tryOnce(alert: Alert): Promise<string | null>;
  stop(): Promise<void>;
}

/** Milliseconds between the tries of one alert; after the last it is given up. */
const pauses = [1_000, 4_000, 16_000, 64_000] as const;
const patience = 10_000;
/** Alerts that may wait: a page that is away for long is told the latest ones. */
const mostWaiting = 100;

type Outcome =
  { readonly arrived: true } | { readonly arrived: false; readonly reason: string; readonly final: boolean };

/**
 * Brings alerts to one place of the owner's, one after the other. Nothing waits for it and nothing depends on it.
 * `form` makes the request when it is sent, so that a changed setting or token counts; null where nothing is set.
 */
export function createChannel(options: {
  form: (alert: Alert) => Message | Refusal | null;
  isSet: () => boolean;
  onLost: (reason: string) => void;
  pauses?: readonly number[];
}): Channel {
  const stopped = new AbortController();
  const waiting: Alert[] = [];
  let posting: Promise<void> | null = null;

  async function once(alert: Alert): Promise<Outcome> {
    const message = options.form(alert);
    if (message === null) return { arrived: true };
    if (isRefusal(message)) return { arrived: false, reason: message.sentence, final: true };
    try {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(patience)]);
      const { url, headers, body } = message;
      const reply = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
      await reply.body?.cancel();
      if (reply.ok) return { arrived: true };
      const { status } = reply;
      return {
        arrived: false,
        reason: `it answered ${status}`,
        final: status < 500 && status !== 408 && status !== 429,
      };
    } catch (cause) {
      return { arrived: false, reason: stopped.signal.aborted ? 'the node stopped' : reasonOf(cause), final: false };
    }
  }

  async function post(alert: Alert): Promise<string | null> {
    let reason = '';
    for (const wait of [0, ...(options.pauses ?? pauses)]) {
      if (wait > 0) await pause(wait, undefined, { signal: stopped.signal });
      const outcome = await once(alert);
      if (outcome.arrived) return null;
      ({ reason } = outcome);
      if (outcome.final || stopped.signal.aborted) return reason;
    }
    return reason;
  }

  async function postAll(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !stopped.signal.aborted; next = waiting.shift()) {
      const lost = await post(next);
      if (lost !== null && !stopped.signal.aborted) options.onLost(lost);
    }
  }

  return {
    send(alert) {
      if (!options.isSet()) return;
      waiting.push(alert);
      if (waiting.length > mostWaiting) {
        // Strangers may make any number of swaps: an alert of one never displaces one of the whole node.
        const ofSwap = waiting.findIndex(({ swap_id: swap }) => swap !== undefined);
        waiting.splice(Math.max(0, ofSwap), 1);
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
    async tryOnce(alert) {
      const outcome = await once(alert);
      return outcome.arrived ? null : outcome.reason;
    },
    async stop() {
      stopped.abort();
      await posting;
    },
  };
}

/** Never with the address: a token may stand in it. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return `${cause.message}${cause.cause instanceof Error ? ` (${cause.cause.message})` : ''}`;
}
