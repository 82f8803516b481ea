import type { Store } from '../store/store.ts';

export type Linked = 'arkade' | 'lightning' | 'bitcoin';

const who = { lightning: 'the Lightning node', arkade: 'the Arkade operator' } as const;

/**
 * Swaps belong to the node and the operator that they were opened with: a payment that one lnd was asked for is asked for
 * again there and nowhere else, or it is paid twice (faults.md 22).
 */
export function createIdentities(store: Store) {
  function openSwaps(network: Linked): number {
    const open = store.swaps.open();
    // Every swap reads its timelocks by Bitcoin's clock, whatever its legs are.
    return network === 'bitcoin' ? open.length : open.filter((row) => row.machine.split('-').includes(network)).length;
  }

  return {
    openSwaps,
    /** Null when the one at the other end may be used; it is remembered then. Else one sentence with both names. */
    judge(network: Linked, identity: string): string | null {
      if (network === 'bitcoin') return null;
      const key = `other-end-${network}`;
      const before = store.settings.get<string>(key);
      if (before === identity) return null;
      const open = before === null ? 0 : openSwaps(network);
      if (open > 0) return `${swapsAreOpen(open)} on ${who[network]} ${before}, and ${identity} answers in its place: connect ${before} again until they are over.`;
      store.settings.put(key, identity);
      return null;
    },
    /** As `judge`, for a connection that is only considered. */
    wouldRefuse(network: Linked, identity: string): string | null {
      if (network === 'bitcoin') return null;
      const before = store.settings.get<string>(`other-end-${network}`);
      const open = before === null || before === identity ? 0 : openSwaps(network);
      return open === 0 ? null : `${swapsAreOpen(open)} on ${who[network]} ${before}, and this is ${identity}: wait until they are over, or give another address of ${before}.`;
    },
  };
}

export function swapsAreOpen(count: number): string {
  return count === 1 ? '1 swap is open' : `${count} swaps are open`;
}

export type Identities = ReturnType<typeof createIdentities>;
