import { toHex } from '../../../domain/hex.ts';
import type { EvmWatch } from '../../../legs/evm/watch.ts';
import { evmOf } from '../../ports.ts';
import type { Watching } from '../watching.ts';

type BalanceWatch = Extract<EvmWatch, { on: 'evm-balance' }>;

interface Reader {
  readonly watch: BalanceWatch;
  /** What it heard last, and when. */
  last: bigint | null;
  at: number;
}

interface Watched {
  readonly watch: BalanceWatch;
  readonly swaps: Map<string, Reader>;
  /** What was there at the look before. */
  before: bigint;
}

/** What did not change is said again now and then, milliseconds: an act that failed is tried again by it. */
const sameEveryMs = 20_000;

function accountOf({ on, network, token, account }: BalanceWatch): string {
  return `${on} ${network} ${toHex(token)} ${toHex(account)}`;
}

function keyOf(watch: BalanceWatch): string {
  return `${accountOf(watch)} ${watch.signed}`;
}

/**
 * What each may take where one account does not hold enough for all that wait: first what is signed already, then the
 * swap of which the amount came, then the newest. An order that was forgotten does not take what was brought for the
 * one on the page (facts/faults.md 111).
 */
function shares({ swaps, before }: Watched, held: bigint): ReadonlyMap<string, bigint> {
  const came = (amount: bigint): boolean => amount === held || amount === held - before;
  const rank = ({ signed, amount }: BalanceWatch): number => (signed ? 0 : came(amount) ? 1 : 2);
  const inTurn = [...swaps].toSorted(
    ([, { watch: one }], [, { watch: other }]) => rank(one) - rank(other) || other.ordered - one.ordered,
  );
  let left = held;
  const parts = new Map<string, bigint>();
  for (const [id, { watch }] of inTurn) {
    parts.set(id, left);
    if (watch.amount <= left) left -= watch.amount;
  }
  return parts;
}

/** Tells swaps what an account of the taker's holds, with one question for all of them. */
export const evmBalanceWatching: Watching<BalanceWatch> = {
  keyOf,
  open({ ports, deliver, onFailure, pollMs }) {
    const watched = new Map<string, Watched>();
    let timer: NodeJS.Timeout | null = null;
    let looking: Promise<void> | null = null;

    async function lookAt(watched: Watched): Promise<void> {
      const { watch, swaps } = watched;
      const { network, token, account } = watch;
      const held = await evmOf(ports, network).sureBalance(token, account);
      const now = performance.now();
      const parts = shares(watched, held);
      watched.before = held;
      for (const [id, reader] of [...swaps]) {
        const amount = parts.get(id) ?? 0n;
        if (reader.last === amount && now - reader.at < sameEveryMs) continue;
        if (swaps.get(id) !== reader) continue;
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
        const one = watched.get(accountOf(watch)) ?? { watch, swaps: new Map(), before: 0n };
        one.swaps.set(id, { watch, last: null, at: -Infinity });
        watched.set(accountOf(watch), one);
      },
      remove(id, watch) {
        const one = watched.get(accountOf(watch));
        one?.swaps.delete(id);
        if (one?.swaps.size === 0) watched.delete(accountOf(watch));
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
