import type { Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { LightningPort, LightningSubscription } from '../../../legs/lightning/port.ts';
import type { LightningWatch } from '../../../legs/lightning/watch.ts';
import type { Event } from '../../../swap/machine.ts';
import type { Watching } from '../watching.ts';

interface Watched {
  readonly swapId: string;
  readonly hash: Sha256;
  readonly kind: 'hold' | 'payment';
}

/** Questions to the node at the same time; more only queue up inside it. */
const atOnce = 16;

/**
 * Looks at the hold invoices and payments of open swaps: on every change that the node tells, and every now and then.
 */
function createLightningWatch(options: {
  lightning: LightningPort;
  deliver: (swapId: string, event: Event) => void;
  onFailure: (swapId: string | null, cause: unknown) => void;
  pollMs: number;
}) {
  const { lightning } = options;
  const watched = new Map<string, Watched>();
  /** What the node spoke of comes before what is merely looked at again. */
  const urgent = new Set<string>();
  const queue = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let subscription: LightningSubscription | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function keyOf(kind: Watched['kind'], hash: Sha256): string {
    return `${kind} ${toHex(hash)}`;
  }

  function ask(wantedKeys: Iterable<string>, how: 'urgent' | 'routine' = 'routine'): void {
    for (const key of wantedKeys) (how === 'urgent' ? urgent : queue).add(key);
    for (const keys of [urgent, queue]) {
      for (const key of keys) {
        if (stopped || running.size >= atOnce) return;
        if (running.has(key)) continue;
        urgent.delete(key);
        queue.delete(key);
        const one = watched.get(key);
        if (one === undefined) continue;
        running.set(
          key,
          look(one).finally(() => {
            running.delete(key);
            ask([]);
          }),
        );
      }
    }
  }

  async function look(one: Watched): Promise<void> {
    try {
      const event: Event =
        one.kind === 'hold'
          ? { is: 'hold.seen', state: await lightning.hold(one.hash) }
          : { is: 'payment.seen', state: await lightning.payment(one.hash) };
      if (watched.has(keyOf(one.kind, one.hash))) options.deliver(one.swapId, event);
    } catch (cause) {
      options.onFailure(one.swapId, cause); // the next poll looks again
    }
  }

  function subscribe(one: Watched): void {
    if (one.kind === 'hold') subscription?.addHold(one.hash);
    else subscription?.addPayment(one.hash);
  }

  return {
    start(): void {
      subscription = lightning.watch({
        onHold: (hash) => ask([keyOf('hold', hash)], 'urgent'),
        onPayment: (hash) => ask([keyOf('payment', hash)], 'urgent'),
        onGap: () => ask(watched.keys()),
      });
      for (const one of watched.values()) subscribe(one);
      ask(watched.keys());
      timer = setInterval(() => ask(watched.keys()), options.pollMs);
    },
    add(kind: Watched['kind'], swapId: string, hash: Sha256): void {
      const key = keyOf(kind, hash);
      if (watched.has(key)) return;
      const one: Watched = { swapId, hash, kind };
      watched.set(key, one);
      subscribe(one);
      // A hold invoice that is watched from its making on reports by itself; a payment may be over already.
      if (subscription === null || kind === 'payment') ask([key], 'urgent');
    },
    remove(kind: Watched['kind'], hash: Sha256): void {
      if (!watched.delete(keyOf(kind, hash))) return;
      if (kind === 'hold') subscription?.removeHold(hash);
      else subscription?.removePayment(hash);
    },
    async stop(): Promise<void> {
      stopped = true;
      if (timer !== null) clearInterval(timer);
      await subscription?.stop();
      await Promise.allSettled(running.values());
    },
  };
}

export const lightningWatching: Watching<LightningWatch> = {
  keyOf: ({ on, hash }) => `${on} ${toHex(hash)}`,
  open({ ports: { lightning }, ...options }) {
    if (lightning === null) return null;
    const watch = createLightningWatch({ ...options, lightning });
    return {
      add: (swapId, { on, hash }) => watch.add(on, swapId, hash),
      remove: (_, { on, hash }) => watch.remove(on, hash),
      start: () => watch.start(),
      stop: () => watch.stop(),
    };
  },
};
