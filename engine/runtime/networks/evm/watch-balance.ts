import { toHex } from '../../../domain/hex.ts';
import type { EvmWatch } from '../../../legs/evm/watch.ts';
import { evmOf } from '../../ports.ts';
import type { Watching } from '../watching.ts';

type BalanceWatch = Extract<EvmWatch, { on: 'evm-balance' }>;

interface Watched {
  readonly watch: BalanceWatch;
  /** By swap: what it heard last, and when. */
  readonly swaps: Map<string, { last: bigint | null; at: number }>;
}

/** What did not change is said again now and then, milliseconds: an act that failed is tried again by it. */
const sameEveryMs = 20_000;

function keyOf({ on, network, token, account }: BalanceWatch): string {
  return `${on} ${network} ${toHex(token)} ${toHex(account)}`;
}

/** Tells swaps what an account of the taker's holds, with one question for all of them. */
export const evmBalanceWatching: Watching<BalanceWatch> = {
  keyOf,
  open({ ports, deliver, onFailure, pollMs }) {
    const watched = new Map<string, Watched>();
    let timer: NodeJS.Timeout | null = null;
    let looking: Promise<void> | null = null;

    async function lookAt({ watch, swaps }: Watched): Promise<void> {
      const { network, token, account } = watch;
      const amount = await evmOf(ports, network).balance(token, account);
      const now = performance.now();
      for (const [id, reader] of [...swaps]) {
        if (reader.last === amount && now - reader.at < sameEveryMs) continue;
        if (!swaps.has(id)) continue;
        reader.last = amount;
        reader.at = now;
        try {
          deliver(id, { is: 'evm.balance', network, token, account, amount });
        } catch (cause) {
          onFailure(id, cause);
        }
      }
    }

    function soon(): void {
      looking ??= Promise.all(
        [...watched.values()].map((one) => lookAt(one).catch((cause: unknown) => onFailure(null, cause))),
      )
        .then(() => undefined)
        .finally(() => {
          looking = null;
        });
    }

    return {
      add(id, watch) {
        const one = watched.get(keyOf(watch)) ?? { watch, swaps: new Map() };
        one.swaps.set(id, { last: null, at: -Infinity });
        watched.set(keyOf(watch), one);
      },
      remove(id, watch) {
        const one = watched.get(keyOf(watch));
        one?.swaps.delete(id);
        if (one?.swaps.size === 0) watched.delete(keyOf(watch));
      },
      start() {
        timer = setInterval(soon, pollMs);
      },
      async stop() {
        if (timer !== null) clearInterval(timer);
        await looking;
      },
    };
  },
};
