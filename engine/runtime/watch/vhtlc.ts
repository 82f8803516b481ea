import { toHex } from '../../domain/hex.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { ArkadePort, ArkadeWatch, VhtlcSpend, Vtxo } from '../../legs/vhtlc/port.ts';
import { preimageIn, readSpend } from '../../legs/vhtlc/spend.ts';
import type { VhtlcTerms } from '../../legs/vhtlc/terms.ts';
import type { Event, SeenCoin } from '../../swap/machine.ts';

interface Watched {
  /** A node that swaps with itself watches one script for both of its sides. */
  readonly swapIds: Set<string>;
  readonly terms: VhtlcTerms;
  readonly script: Uint8Array;
  /** What transactions were read to be, by outpoint: a spend does not change once it is known. */
  readonly spends: Map<string, VhtlcSpend>;
}

/** Scripts asked for in one request: a query string has its limits. */
const scriptsPerLook = 40;

/**
 * Looks at the scripts of open swaps: at once when the operator says that something happened there, and all of them
 * every now and then, because subscriptions lose events and pending spends make none (arkade.md 1.11 f, 2.8).
 */
export function createVhtlcWatch(options: {
  arkade: ArkadePort;
  deliver: (swapId: string, event: Event) => void;
  onFailure: (swapId: string | null, cause: unknown) => void;
  pollMs: number;
}) {
  const { arkade } = options;
  const watched = new Map<string, Watched>();
  /** What the operator spoke of comes before what is merely looked at again: a preimage may wait there. */
  const urgent = new Set<string>();
  const wanted = new Set<string>();
  let subscription: ArkadeWatch | null = null;
  let looking: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function ask(keys: Iterable<string>, how: 'urgent' | 'routine' = 'routine'): void {
    for (const key of keys) (how === 'urgent' ? urgent : wanted).add(key);
    if (looking !== null || stopped || urgent.size + wanted.size === 0) return;
    looking = lookAtWanted().finally(() => {
      looking = null;
      ask([]);
    });
  }

  async function lookAtWanted(): Promise<void> {
    const from = urgent.size > 0 ? urgent : wanted;
    const keys = [...from].filter((key) => watched.has(key)).slice(0, scriptsPerLook);
    if (keys.length === 0) from.clear();
    for (const key of keys) {
      urgent.delete(key);
      wanted.delete(key);
    }
    try {
      await look(keys.map((key) => watched.get(key)).filter((one) => one !== undefined));
    } catch (cause) {
      options.onFailure(null, cause); // the next poll looks again
    }
  }

  async function look(group: readonly Watched[]): Promise<void> {
    if (group.length === 0) return;
    const coins = await arkade.coins(group.map(({ script }) => script));
    const byScript = new Map<string, Vtxo[]>();
    for (const coin of coins) {
      const key = toHex(coin.script);
      byScript.set(key, [...(byScript.get(key) ?? []), coin]);
    }
    const seen = group.map((one) => ({ one, coins: byScript.get(toHex(one.script)) ?? [] }));
    const spenders = await arkade.virtualTxs(unreadSpenders(seen));
    for (const { one, coins: found } of seen) {
      if (!watched.has(toHex(one.script))) continue;
      for (const swapId of [...one.swapIds]) {
        // Read apart for each: what one client made of its transaction must not blind us to the others.
        try {
          options.deliver(swapId, { is: 'vhtlc.seen', coins: found.map((coin) => withSpend(one, coin, spenders)) });
        } catch (cause) {
          options.onFailure(swapId, cause);
        }
      }
    }
  }

  function start(): void {
    subscription = arkade.watch({
      onScript: (script) => ask([toHex(script)], 'urgent'),
      onGap: () => ask(watched.keys()),
    });
    if (watched.size > 0) subscription.add([...watched.values()].map(({ script }) => script));
    ask(watched.keys());
    timer = setInterval(() => ask(watched.keys()), options.pollMs);
  }

  return {
    start,
    add(swapId: string, terms: VhtlcTerms, script: Uint8Array): void {
      const key = toHex(script);
      const known = watched.get(key);
      if (known === undefined) {
        watched.set(key, { swapIds: new Set([swapId]), terms, script, spends: new Map() });
        subscription?.add([script]);
      } else {
        known.swapIds.add(swapId);
      }
      ask([key]);
    },
    remove(swapId: string, script: Uint8Array): void {
      const key = toHex(script);
      const known = watched.get(key);
      known?.swapIds.delete(swapId);
      if (known?.swapIds.size !== 0) return;
      watched.delete(key);
      subscription?.remove([script]);
    },
    async stop(): Promise<void> {
      stopped = true;
      if (timer !== null) clearInterval(timer);
      await subscription?.stop();
      await looking;
    },
  };
}

function spenderOf(coin: Vtxo): string | null {
  return coin.spentIn ?? coin.spentBy;
}

function unreadSpenders(seen: readonly { one: Watched; coins: readonly Vtxo[] }[]): string[] {
  const txids = new Set<string>();
  for (const { one, coins } of seen) {
    for (const coin of coins) {
      const txid = spenderOf(coin);
      if (coin.spent && txid !== null && !one.spends.has(outpointKey(coin.outpoint))) txids.add(txid);
    }
  }
  return [...txids];
}

/** Reads how a spent coin was spent; an operator that does not show the transaction yet leaves it null. */
function withSpend(one: Watched, coin: Vtxo, spenders: ReadonlyMap<string, Uint8Array>): SeenCoin {
  if (!coin.spent) return { ...coin, spend: null };
  const key = outpointKey(coin.outpoint);
  const known = one.spends.get(key);
  if (known !== undefined) return { ...coin, spend: known };
  const txid = spenderOf(coin);
  if (txid === null) return { ...coin, spend: coin.settledBy === null ? null : 'unknown' };
  const bytes = spenders.get(txid);
  if (bytes === undefined) return { ...coin, spend: null };
  const spend = readSpend(one.terms, bytes, { ...coin.outpoint, amount: coin.amount }) ?? claimIn(one.terms, bytes);
  if (spend === null) return { ...coin, spend: 'unknown' };
  one.spends.set(key, spend);
  return { ...coin, spend };
}

/** A spender that says nothing of its leaf, and carries our secret all the same: nobody else could have put it there. */
function claimIn(terms: VhtlcTerms, bytes: Uint8Array): VhtlcSpend | null {
  const preimage = preimageIn(terms.hash, bytes);
  return preimage && { leaf: 'claim', preimage };
}
