import type { Network } from '../../domain/chain.ts';
import { noSats, sats, type Sats } from '../../domain/money.ts';
import { both, withMore, type Unpaid } from '../../quote/unpaid.ts';

/** A lock that was promised to a client at its create. */
export interface PromisedLock {
  readonly network: Network;
  /** What it may cost, by the prices of the create. */
  readonly amount: Sats;
  /** The address of the create, of which alone it is certain whose it is; null for the owner. */
  readonly client: string | null;
  /** Whether what is kept for those who paid before was promised. */
  readonly paidBefore: boolean;
}

/** It waits for the client's funding, in a block; it is to be signed; it was signed, or is not wanted any more. */
export type Stage = 'waiting' | 'due' | 'over';

interface Place {
  readonly lock: PromisedLock;
  readonly stage: Stage;
  /** Whether there was room beside all others once it was due: then it stays its own. */
  readonly fits: boolean;
}

interface Left {
  readonly waits?: boolean;
  readonly except?: string;
  readonly isNext?: boolean;
}

const none: Unpaid = { all: noSats, strangers: noSats };

/**
 * What locks that were promised have still to cost, by client, by network and in all. The sums change with each swap:
 * creates are many, and none walks what is open. `hasRoom`: beside all that others spent and are to spend.
 */
export function createLockRoom(hasRoom: (swap: string, lock: PromisedLock) => boolean) {
  const sums = new Map<string, Unpaid>();
  const places = new Map<string, Place>();
  /** Those that are to be signed, in the order of their fundings. */
  const due = new Map<string, PromisedLock>();

  function count({ lock, stage }: Pick<Place, 'lock' | 'stage'>, sign: 1n | -1n): void {
    if (stage === 'over') return;
    const { network, amount, client, paidBefore } = lock;
    const names = new Set([client]);
    // What waits counts for its client alone.
    if (stage === 'due') names.add(null);
    else names.delete(null);
    for (const name of names) {
      const key = keyOf(network, stage, name);
      const { all, strangers } = sums.get(key) ?? none;
      const more = sign * amount;
      const now = { all: sats(all + more), strangers: sats(paidBefore ? strangers : strangers + more) };
      if (now.all === noSats) sums.delete(key);
      else sums.set(key, now);
    }
  }

  function put(swap: string, place: Omit<Place, 'fits'> | null): void {
    const fits = place?.stage === 'due' && hasRoom(swap, place.lock);
    const before = places.get(swap);
    if (before !== undefined) count(before, -1n);
    places.delete(swap);
    due.delete(swap);
    if (place === null) return;
    count(place, 1n);
    places.set(swap, { ...place, fits });
    if (place.stage === 'due') due.set(swap, place.lock);
  }

  /** What is to be signed that was funded before a swap, which is funded. */
  function fundedBefore(swap: string, network: Network, client: string | null): Unpaid {
    let sum = none;
    for (const [other, lock] of due) {
      if (other === swap) break;
      if (lock.network !== network || (client !== null && lock.client !== client)) continue;
      sum = withMore(sum, lock.amount, lock.paidBefore);
    }
    return sum;
  }

  return {
    /** From before the create has a swap; what it answers ends it. */
    hold(lock: PromisedLock): () => void {
      count({ lock, stage: 'waiting' }, 1n);
      return () => count({ lock, stage: 'waiting' }, -1n);
    },
    put(swap: string, lock: PromisedLock, stage: Stage): void {
      put(swap, { lock, stage });
    },
    /** What was signed once is counted where it was signed, and never here again. */
    is(swap: string, stage: Stage): void {
      const place = places.get(swap);
      if (place !== undefined && place.stage !== 'over' && place.stage !== stage)
        put(swap, { lock: place.lock, stage });
    },
    leave(swap: string): void {
      put(swap, null);
    },
    of: (swap: string): PromisedLock | null => places.get(swap)?.lock ?? null,
    fits: (swap: string): boolean => places.get(swap)?.fits === true,
    /**
     * What is to come, in all or for one client, without one swap; `waits`: also what waits for its funding; `isNext`:
     * of what is to be signed only what was funded before that swap (facts/faults.md 286).
     */
    sum(network: Network, client: string | null, { waits = false, except = '', isNext = false }: Left = {}): Unpaid {
      if (isNext && due.has(except)) return fundedBefore(except, network, client);
      const left = places.get(except);
      if (left !== undefined) count(left, -1n);
      const signs = sums.get(keyOf(network, 'due', client)) ?? none;
      const sum = waits ? both(signs, sums.get(keyOf(network, 'waiting', client)) ?? none) : signs;
      if (left !== undefined) count(left, 1n);
      return sum;
    },
    waiting: (network: Network, client: string): Sats => (sums.get(keyOf(network, 'waiting', client)) ?? none).all,
  };
}

export type LockRoom = ReturnType<typeof createLockRoom>;

function keyOf(network: Network, stage: Stage, client: string | null): string {
  return `${network} ${stage} ${client ?? ''}`;
}
