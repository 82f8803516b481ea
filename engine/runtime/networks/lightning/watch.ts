import type { Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { LightningPort, LightningSubscription, PaymentState } from '../../../legs/lightning/port.ts';
import type { LightningWatch } from '../../../legs/lightning/watch.ts';
import { preimageMatches } from '../../../legs/secret.ts';
import type { Event } from '../../../swap/machine.ts';
import type { Watching, WatchOptions } from '../watching.ts';
import { dropBegun } from './begun.ts';
import { createTurns } from './turns.ts';

interface Watched {
  readonly swapId: string;
  readonly hash: Sha256;
  readonly kind: 'hold' | 'payment';
}

/** Questions to the node at the same time; more only queue up inside it. */
const atOnce = 16;
interface Options extends Pick<WatchOptions, 'deliver' | 'onFailure' | 'pollMs'> {
  readonly lightning: LightningPort;
}

function keyOf(kind: Watched['kind'], hash: Sha256): string {
  return `${kind} ${toHex(hash)}`;
}

/** Its preimage proves it, whoever tells: no second look makes it truer, and a claim waits. */
function believe(one: Watched | undefined, state: PaymentState & { is: 'settled' }, to: Options): void {
  if (one === undefined) return;
  dropBegun(to.lightning, one.hash);
  try {
    to.deliver(one.swapId, { is: 'payment.seen', state });
  } catch (cause) {
    to.onFailure(one.swapId, cause);
  }
}

/**
 * Looks at the hold invoices and payments of open swaps: on every change that the node tells, and every now and then.
 */
function createLightningWatch(options: Options) {
  const { lightning } = options;
  const watched = new Map<string, Watched>();
  /** What the node spoke of comes before what is merely looked at again. */
  const urgent = new Set<string>();
  const queue = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const unpaid = createTurns();
  let subscription: LightningSubscription | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

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
    const key = keyOf(one.kind, one.hash);
    try {
      const event: Extract<Event, { is: 'hold.seen' | 'payment.seen' }> =
        one.kind === 'hold'
          ? { is: 'hold.seen', state: await lightning.hold(one.hash) }
          : { is: 'payment.seen', state: await lightning.payment(one.hash) };
      const { is } = event.state;
      if (one.kind === 'payment' && (is === 'settled' || is === 'failed')) dropBegun(lightning, one.hash);
      if (!watched.has(key)) return;
      if (is === 'open') unpaid.take(key);
      else unpaid.leave(key);
      options.deliver(one.swapId, event);
    } catch (cause) {
      unpaid.leave(key);
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
        onHold(hash) {
          unpaid.leave(keyOf('hold', hash));
          ask([keyOf('hold', hash)], 'urgent');
        },
        onPayment(hash, settled) {
          const key = keyOf('payment', hash);
          if (settled !== undefined && preimageMatches(hash, settled.preimage) !== null)
            believe(watched.get(key), settled, options);
          else ask([key], 'urgent');
        },
        onGap: () => ask(watched.keys()),
      });
      for (const one of watched.values()) subscribe(one);
      ask(watched.keys());
      timer = setInterval(() => {
        const isDue = unpaid.nextRound();
        for (const [key, { hash }] of watched)
          if (isDue(key) || subscription?.followsHold(hash) !== true) queue.add(key);
        ask([]);
      }, options.pollMs);
    },
    add(kind: Watched['kind'], swapId: string, hash: Sha256): void {
      const key = keyOf(kind, hash);
      if (watched.has(key)) return;
      const one: Watched = { swapId, hash, kind };
      watched.set(key, one);
      // One that is watched from its making on is unpaid, or its stream says otherwise.
      if (kind === 'hold' && subscription !== null) unpaid.take(key);
      subscribe(one);
      // A hold invoice that is watched from its making on reports by itself; a payment may be over already.
      if (subscription === null || kind === 'payment') ask([key], 'urgent');
    },
    remove(kind: Watched['kind'], hash: Sha256): void {
      const key = keyOf(kind, hash);
      unpaid.leave(key);
      if (!watched.delete(key)) return;
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
