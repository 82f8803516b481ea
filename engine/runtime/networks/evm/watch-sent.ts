import type { EvmNetwork } from '../../../domain/chain.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import type { SentState } from '../../../legs/evm/events.ts';
import type { EvmWatch } from '../../../legs/evm/watch.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { evmOf } from '../../ports.ts';
import { slices } from '../../slices.ts';
import { ifKnown } from '../if-known.ts';
import type { SentMemory } from '../sent-memory.ts';
import type { Watching } from '../watching.ts';
import { isFirstShown } from './variants.ts';

type SentWatch = Extract<EvmWatch, { on: 'evm-sent' }>;

/** `last`: what its swap was told of it. */
interface Watched {
  readonly watch: SentWatch;
  readonly subject: string;
  last: string;
}

function keyOf({ network, txid }: Pick<NonceRow, 'network'> & Pick<SentWatch, 'txid'>): string {
  return `evm-sent ${network} ${txid}`;
}

interface Sources {
  readonly store: Store;
  readonly taken: SentMemory;
}

/**
 * Of a transaction and all that replaced it, the last that a node took; what only gives its place back is none of them.
 */
function lastTaken(row: NonceRow, { store, taken }: Sources): Txid | null {
  const variants = store.transactions.onNonce(row);
  return variants.findLast(({ txid, purpose }) => purpose !== 'cancel' && taken.has(txid))?.txid ?? null;
}

/** It was to show our secret, and came too late for that before anybody was handed it. */
function isHeldBack(row: NonceRow, store: Store): boolean {
  const isOurs = ({ purpose }: TransactionRow): boolean => purpose !== 'cancel';
  const claims = isFirstShown(row, store) ? store.transactions.onNonce(row).filter(isOurs) : [];
  return claims.length > 0 && claims.every(({ state }) => state === 'dead');
}

/** What became of a transaction of ours by what its queue saw; null for one that nobody knows. */
function stateOf(row: NonceRow, height: number | null, { store, taken }: Sources): SentState | null {
  if (row.state === 'gone') return { is: 'gone' };
  if (isHeldBack(row, store)) return { is: 'gone', unsent: true };
  if (row.mined === null) return { is: 'waiting', taken: lastTaken(row, { store, taken }) };
  const { by, ok, cost } = row.mined;
  if (store.transactions.byId(by)?.purpose === 'cancel')
    return row.state === 'settled' ? { is: 'gone' } : { is: 'waiting', taken: null };
  if (height === null) return null;
  return { is: 'mined', by, ok, cost, confirmations: Math.max(1, height - row.mined.height + 1) };
}

function textOf(state: SentState): string {
  if (state.is === 'waiting') return `waiting ${state.taken}`;
  return state.is === 'mined' ? `mined ${state.by} ${state.ok} ${state.confirmations}` : state.is;
}

/** Tells of a transaction whenever something about it is new. */
export const evmSentWatching: Watching<SentWatch> = {
  keyOf,
  open({ ports, store, taken, deliver, onFailure, pollMs }) {
    const watched = new Map<string, Watched>();
    let timer: NodeJS.Timeout | null = null;
    let looking: Promise<void> | null = null;
    let off: (() => void) | null = null;

    function tell(one: Watched, state: SentState): void {
      if (textOf(state) === one.last) return;
      one.last = textOf(state);
      const { purpose, txid } = one.watch;
      try {
        deliver(one.subject, { is: 'evm.sent', purpose, txid, state });
      } catch (cause) {
        onFailure(one.subject, cause);
      }
    }

    /** A client waits for the hash of what a node took: it is told at once, whichever variant its swap knows it by. */
    function tookOne(by: Txid): void {
      const row = store.nonces.ofTransaction(by);
      if (row === null || row.mined !== null || row.state !== 'open') return;
      const state = { is: 'waiting', taken: lastTaken(row, { store, taken }) } as const;
      for (const { txid } of store.transactions.onNonce(row)) {
        const one = watched.get(`${row.subject} ${keyOf({ network: row.network, txid })}`);
        if (one !== undefined && state.taken !== null) tell(one, state);
      }
    }

    async function lookAt(network: EvmNetwork): Promise<void> {
      const tip = await ifKnown(() => evmOf(ports, network).tip());
      const pause = slices();
      for (const one of watched.values()) {
        await pause();
        if (one.watch.network !== network) continue;
        const row = store.nonces.ofTransaction(one.watch.txid);
        const state = row === null ? null : stateOf(row, tip?.height ?? null, { store, taken });
        if (state !== null) tell(one, state);
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
        off = taken.on(tookOne);
      },
      async stop() {
        off?.();
        if (timer !== null) clearInterval(timer);
        await looking;
      },
    };
  },
};
