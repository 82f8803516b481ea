import type { EvmNetwork } from '../../../domain/chain.ts';
import type { SentState } from '../../../legs/evm/events.ts';
import type { EvmWatch } from '../../../legs/evm/watch.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import { evmOf } from '../../ports.ts';
import { slices } from '../../slices.ts';
import { ifKnown } from '../if-known.ts';
import type { Watching } from '../watching.ts';

type SentWatch = Extract<EvmWatch, { on: 'evm-sent' }>;

function keyOf({ on, network, txid }: SentWatch): string {
  return `${on} ${network} ${txid}`;
}

/** What became of a transaction of ours by what its queue saw; null for one that nobody knows. */
function stateOf(row: NonceRow, height: number | null, store: Store): SentState | null {
  if (row.state === 'gone') return { is: 'gone' };
  if (row.mined === null) return { is: 'waiting' };
  const { by, ok, cost } = row.mined;
  if (store.transactions.byId(by)?.purpose === 'cancel')
    return row.state === 'settled' ? { is: 'gone' } : { is: 'waiting' };
  if (height === null) return null;
  return { is: 'mined', by, ok, cost, confirmations: Math.max(1, height - row.mined.height + 1) };
}

function textOf(state: SentState): string {
  return state.is === 'mined' ? `mined ${state.by} ${state.ok} ${state.confirmations}` : state.is;
}

/** Tells of a transaction whenever something about it is new. */
export const evmSentWatching: Watching<SentWatch> = {
  keyOf,
  open({ ports, store, deliver, onFailure, pollMs }) {
    const watched = new Map<string, { readonly watch: SentWatch; readonly subject: string; last: string }>();
    let timer: NodeJS.Timeout | null = null;
    let looking: Promise<void> | null = null;

    async function lookAt(network: EvmNetwork): Promise<void> {
      const tip = await ifKnown(() => evmOf(ports, network).tip());
      const pause = slices();
      for (const one of watched.values()) {
        await pause();
        if (one.watch.network !== network) continue;
        const { purpose, txid } = one.watch;
        const row = store.nonces.ofTransaction(txid);
        const state = row === null ? null : stateOf(row, tip?.height ?? null, store);
        if (state === null || textOf(state) === one.last) continue;
        one.last = textOf(state);
        try {
          deliver(one.subject, { is: 'evm.sent', purpose, txid, state });
        } catch (cause) {
          onFailure(one.subject, cause);
        }
      }
    }

    async function look(): Promise<void> {
      const networks = new Set([...watched.values()].map(({ watch }) => watch.network));
      await Promise.all([...networks].map(lookAt));
    }

    function soon(): void {
      looking ??= look()
        .catch((cause: unknown) => onFailure(null, cause))
        .finally(() => {
          looking = null;
        });
    }

    return {
      add(subject, watch) {
        watched.set(`${subject} ${keyOf(watch)}`, { watch, subject, last: '' });
      },
      remove(subject, watch) {
        watched.delete(`${subject} ${keyOf(watch)}`);
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
