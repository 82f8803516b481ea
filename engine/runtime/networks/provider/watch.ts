import type { ProviderWatch } from '../../../legs/provider/watch.ts';
import type { Event } from '../../../swap/machine.ts';
import type { Providers } from '../../../taker/port.ts';
import type { Watching } from '../watching.ts';
import { createChatter } from './chatter.ts';

interface Watched {
  readonly swapId: string;
  readonly provider: string;
  readonly providerSwapId: string;
  /** Its last look failed: said once, not at every look. */
  away: boolean;
}

/** A provider is asked this often at least, in milliseconds: its word is what a person waits for. */
const longestPollMs = 3_000;
/**
 * Looks on their way at the same time at one provider: one that answers nothing keeps no other's word waiting
 * (facts/faults.md 117).
 */
const atOnce = 8;

/** Asks providers every now and then what has become of our swaps. Their word decides nothing that could cost us. */
function createProviderWatch(options: {
  providers: Providers;
  deliver: (swapId: string, event: Event) => void;
  onFailure: (swapId: string, cause: unknown) => void;
  pollMs: number;
}) {
  const watched = new Map<string, Watched>();
  const wanted = new Set<string>();
  const running = new Map<string, Promise<void>>();
  /** By provider: how many of them. */
  const busy = new Map<string, number>();
  // They outlive a watch: what its provider says may be why a swap is not watched for a while.
  const words = createChatter(() => performance.now());
  const failures = createChatter(() => performance.now());
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function looksAt({ provider }: Watched): number {
    return busy.get(provider) ?? 0;
  }

  function pump(): void {
    for (const id of wanted) {
      if (stopped) return;
      if (running.has(id)) continue;
      const one = watched.get(id);
      if (one !== undefined && looksAt(one) >= atOnce) continue;
      wanted.delete(id);
      if (one === undefined) continue;
      busy.set(one.provider, looksAt(one) + 1);
      running.set(
        id,
        look(one).finally(() => {
          running.delete(id);
          busy.set(one.provider, looksAt(one) - 1);
          pump();
        }),
      );
    }
  }

  async function look(one: Watched): Promise<void> {
    try {
      const word = await options.providers(one.provider).status(one.providerSwapId);
      one.away = false;
      // One that is withheld is heard later, if it still stands.
      if (word !== null && watched.get(one.swapId) === one && words.passes(one.swapId, word.status))
        options.deliver(one.swapId, { is: 'provider.seen', ...word });
    } catch (cause) {
      if (!one.away && failures.passes(one.swapId, cause)) options.onFailure(one.swapId, cause);
      one.away = true;
    }
  }

  function lookAtAll(): void {
    for (const chatter of [words, failures]) chatter.sweep();
    for (const id of watched.keys()) wanted.add(id);
    pump();
  }

  return {
    start(): void {
      lookAtAll();
      timer = setInterval(lookAtAll, options.pollMs);
    },
    add(swapId: string, provider: string, providerSwapId: string): void {
      watched.set(swapId, { swapId, provider, providerSwapId, away: false });
      if (timer !== null) wanted.add(swapId);
      pump();
    },
    remove(swapId: string): void {
      watched.delete(swapId);
    },
    async stop(): Promise<void> {
      stopped = true;
      if (timer !== null) clearInterval(timer);
      await Promise.allSettled(running.values());
    },
  };
}

export const providerWatching: Watching<ProviderWatch> = {
  keyOf: ({ provider, swapId }) => `provider ${provider} ${swapId}`,
  open({ ports: { providers }, deliver, onFailure, pollMs }) {
    if (providers === undefined) return null;
    const watch = createProviderWatch({ providers, deliver, onFailure, pollMs: Math.min(pollMs, longestPollMs) });
    return {
      add: (swapId, target) => watch.add(swapId, target.provider, target.swapId),
      remove: (swapId) => watch.remove(swapId),
      start: () => watch.start(),
      stop: () => watch.stop(),
    };
  },
};
