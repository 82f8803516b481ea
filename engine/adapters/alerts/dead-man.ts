import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { reasonOf } from './channel.ts';

export interface DeadMan {
  /** One call now; null when it was answered, else why not. */
  tryOnce(): Promise<string | null>;
  /** The interval may be another from here on. */
  apply(): void;
  stop(): Promise<void>;
}

const patience = 10_000;

/**
 * Asks for an address while the node is well: a service there tells its owner when that stops, whatever stopped it. A
 * call that is not answered is told of in the log alone, for its absence is what the service tells of.
 */
export function createDeadMan(options: {
  /** Null where none is set. */
  url: () => string | Refusal | null;
  everyMs: () => number;
  isWell: () => boolean;
  onLost: (reason: string) => void;
}): DeadMan {
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let calling: Promise<void> | null = null;

  async function tryOnce(): Promise<string | null> {
    const url = options.url();
    if (url === null) return null;
    if (isRefusal(url)) return url.sentence;
    try {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(patience)]);
      const reply = await fetch(url, { redirect: 'follow', signal });
      await reply.body?.cancel();
      return reply.ok ? null : `it answered ${reply.status}`;
    } catch (cause) {
      return reasonOf(cause);
    }
  }

  async function call(): Promise<void> {
    if (!options.isWell()) return;
    const lost = await tryOnce();
    if (lost !== null && !stopped.signal.aborted) options.onLost(lost);
  }

  function again(): void {
    if (timer !== null) clearInterval(timer);
    timer = setInterval(() => {
      calling ??= call().finally(() => {
        calling = null;
      });
    }, options.everyMs());
    timer.unref();
  }
  again();

  return {
    tryOnce,
    apply: again,
    async stop() {
      stopped.abort();
      if (timer !== null) clearInterval(timer);
      await calling;
    },
  };
}

/** The address in a file, as a service gives it. */
export function addressIn(text: string | Refusal): string | Refusal {
  if (isRefusal(text)) return text;
  const address = text.trim();
  return /^https?:\/\/\S+$/.test(address) && URL.canParse(address)
    ? address
    : refuse(
        'invalid',
        'The file of alerts.deadMan.urlFile holds no http or https address: put the address that is to be called alone into it.',
      );
}
