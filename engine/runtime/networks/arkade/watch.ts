import { toHex } from '../../../domain/hex.ts';
import type { VhtlcTerms } from '../../../legs/arkade/terms.ts';
import type { ArkadeWatch } from '../../../legs/arkade/watch.ts';
import { createQueueWatch } from './queue.ts';
import {
  lookAt,
  lookByName,
  lookOnChain,
  tell,
  unlistedOf,
  type Watch,
  type Watched,
  type WatchOptions,
} from './watch-looks.ts';

/** Scripts asked for in one request: a query string has its limits. */
const scriptsPerLook = 40;
/**
 * Of these some are for what is merely looked at again: events that a stranger makes without end keep nobody else
 * waiting (facts/faults.md 89).
 */
const keptForRoutine = 10;

/**
 * Looks at the scripts of open swaps: at once when the operator says that something happened there, and all of them
 * every now and then, because subscriptions lose events and pending spends make none (facts/arkade.md 17 and 51). Coins
 * that lie on the chain are looked for there.
 */
export function createVhtlcWatch(options: WatchOptions) {
  const { arkade, bitcoin, store } = options;
  const watched = new Map<string, Watched>();

  /** Looks at one script that are under way. */
  const apart = new Map<string, Promise<void>>();
  const queue = createQueueWatch({
    arkade,
    wall: options.wall,
    onClaim(script, coin, spend) {
      for (const swapId of watched.get(script)?.swapIds ?? [])
        tell({ options }, swapId, { is: 'vhtlc.seen', coins: [{ ...coin, spend }] });
    },
    onFailure: (cause) => options.onFailure(null, cause),
  });
  const own: Watch = {
    options,
    arkade,
    bitcoin,
    store,
    watched,
    urgent: new Set(),
    wanted: new Set(),
    subscription: null,
    looking: null,
    timer: null,
    stopped: false,
    apart,
    queue,
  };

  return {
    start: () => start(own),
    add(swapId: string, terms: VhtlcTerms, script: Uint8Array): void {
      const key = toHex(script);
      const entry = watched.get(key);
      if (entry === undefined) {
        watched.set(key, {
          swapIds: new Set([swapId]),
          terms,
          script,
          key: null,
          always: false,
          queued: [],
          listed: [],
          apart: false,
          spends: new Map(),
          final: new Set(),
          unread: new Map(),
        });
        own.subscription?.add([script]);
      } else {
        entry.swapIds.add(swapId);
      }
      ask(own, [key]);
    },
    remove(swapId: string, script: Uint8Array): void {
      const key = toHex(script);
      const entry = watched.get(key);
      entry?.swapIds.delete(swapId);
      if (entry?.swapIds.size !== 0) return;
      watched.delete(key);
      queue.forget(key);
      own.subscription?.remove([script]);
    },
    /** Reads the operator's queue over coins of a script that is watched, with our key in it. */
    prove({ script, key, always, coins }: Omit<Extract<ArkadeWatch, { on: 'queue' }>, 'on'>): void {
      const one = watched.get(toHex(script));
      if (one === undefined) return;
      one.key = key;
      one.always = always;
      one.queued = coins;
      ask(own, [toHex(script)]);
    },
    unprove(script: Uint8Array): void {
      const one = watched.get(toHex(script));
      if (one !== undefined) one.key = null;
      queue.forget(toHex(script));
    },
    async stop(): Promise<void> {
      own.stopped = true;
      if (own.timer !== null) clearInterval(own.timer);
      await own.subscription?.stop();
      await queue.stop();
      await own.looking;
      await Promise.all(apart.values());
    },
  };
}

function ask(own: Watch, keys: Iterable<string>, how: 'urgent' | 'routine' = 'routine'): void {
  const { urgent, wanted } = own;
  for (const key of keys) (how === 'urgent' ? urgent : wanted).add(key);
  if (own.looking !== null || own.stopped || urgent.size + wanted.size === 0) return;
  own.looking = lookAtWanted(own).finally(() => {
    own.looking = null;
    ask(own, []);
  });
}

async function lookAtWanted(own: Watch): Promise<void> {
  const { options, watched, urgent, wanted } = own;
  for (const from of [urgent, wanted]) for (const key of from) if (!watched.has(key)) from.delete(key);
  const first = [...urgent].slice(0, scriptsPerLook - keptForRoutine);
  const keys = [...new Set([...first, ...wanted, ...urgent])].slice(0, scriptsPerLook);
  for (const key of keys) {
    urgent.delete(key);
    wanted.delete(key);
  }
  try {
    await look(
      own,
      keys.map((key) => watched.get(key)).filter((one) => one !== undefined),
    );
  } catch (cause) {
    options.onFailure(null, cause); // the next poll looks again
  }
}

/**
 * A list that fails for one script fails for all that are asked for with it: a stranger who pays a script ten
 * thousand times must not blind us to the others, nor to what is ours at that one (facts/faults.md 95). So each is
 * asked for alone then, and what is not listed by name.
 */
async function look(own: Watch, group: readonly Watched[]): Promise<void> {
  const { options } = own;
  for (const one of group) if (one.apart) lookApart(own, one);
  const shared = group.filter(({ apart }) => !apart);
  const askedAt = options.wall();
  try {
    await lookAt(own, shared);
  } catch (cause) {
    const unlisted = await unlistedOf(own, shared);
    const isAway = !(await lookByName(own, unlisted)) && unlisted.length === shared.length;
    if (isAway) await lookOnChain(own, unlisted, askedAt);
    else for (const one of unlisted) one.apart = true;
    throw cause;
  }
}

/** However long its list takes, nobody else waits for it. */
function lookApart(own: Watch, one: Watched): void {
  const { options, apart } = own;
  const key = toHex(one.script);
  if (apart.has(key)) return;
  const askedAt = options.wall();
  const work = lookAt(own, [one])
    .catch(async (cause: unknown) => {
      if (!(await lookByName(own, [one]))) await lookOnChain(own, [one], askedAt);
      options.onFailure(null, cause);
    })
    .finally(() => apart.delete(key));
  apart.set(key, work);
}

function start(own: Watch): void {
  const { options, arkade, watched, queue } = own;
  own.subscription = arkade.watch({
    onScript: (script) => ask(own, [toHex(script)], 'urgent'),
    onGap: () => ask(own, watched.keys()),
  });
  if (watched.size > 0) own.subscription.add([...watched.values()].map(({ script }) => script));
  ask(own, watched.keys());
  queue.start();
  own.timer = setInterval(() => ask(own, watched.keys()), options.pollMs);
}
