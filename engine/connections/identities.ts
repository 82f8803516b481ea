import { isEvm, kindOf, type Network } from '../domain/chain.ts';
import type { Store } from '../store/store.ts';

/** Who is at the other end of these is remembered; Bitcoin has one chain for each kind of node. */
type Named = Exclude<Network, 'bitcoin'>;

function who(network: Named): string {
  if (network === 'lightning') return 'the Lightning node';
  return network === 'arkade' ? 'the Arkade operator' : `the chain ${network.slice(4)} that begins with block`;
}

/**
 * Swaps belong to the node and the operator that they were opened with: a payment that one lnd was asked for is asked
 * for again there and nowhere else, or it is paid twice (facts/faults.md 22).
 */
export function createIdentities(store: Store) {
  function openSwaps(network: Network): number {
    const open = store.swaps.openMachines();
    // Every swap reads its timelocks by Bitcoin's clock, whatever its legs are.
    if (network === 'bitcoin') return open.length;
    const kind = kindOf(network);
    // One that names no chain may be on any.
    return open.filter(
      (one) => one.machine.split('-').includes(kind) && (!isEvm(network) || (one.network ?? network) === network),
    ).length;
  }

  /**
   * The one that open swaps are bound to, where it goes by none of these names. That it had another name before is its
   * own word, which anybody could give: it counts where that one was last seen, and nowhere else.
   */
  function missed(
    network: Named,
    names: readonly string[],
    at: string | null,
  ): { before: string; open: number } | null {
    const before = store.settings.get<string>(keyOf(network));
    const seenAt = store.settings.get<string>(placeOf(network));
    const believed = at === null || seenAt === null || at === seenAt ? names : names.slice(0, 1);
    if (before === null || believed.includes(before)) return null;
    const open = openSwaps(network);
    return open === 0 ? null : { before, open };
  }

  return {
    openSwaps,
    /** The one that open swaps are bound to; null where nothing is open there. */
    boundTo: (network: Named): string | null =>
      openSwaps(network) === 0 ? null : store.settings.get<string>(keyOf(network)),
    /**
     * Null when the one at the other end may be used; it is remembered then, with its address. Else one sentence with
     * both names.
     */
    judge(network: Named, names: readonly string[], at: string | null = null): string | null {
      const other = missed(network, names, at);
      if (other !== null)
        return (
          `${swapsAreOpen(other.open)} on ${who(network)} ${other.before}, and ${names[0]} answers in its place: ` +
          `connect ${other.before} again until they are over.`
        );
      if (store.settings.get<string>(keyOf(network)) !== names[0]) store.settings.put(keyOf(network), names[0]);
      if (at !== null && store.settings.get<string>(placeOf(network)) !== at) store.settings.put(placeOf(network), at);
      return null;
    },
    /** As `judge`, for a connection that is only considered. */
    wouldRefuse(network: Network, names: readonly string[], at: string | null = null): string | null {
      const other = network === 'bitcoin' ? null : missed(network, names, at);
      return other === null || network === 'bitcoin'
        ? null
        : `${swapsAreOpen(other.open)} on ${who(network)} ${other.before}, and this is ${names[0]}: wait until they ` +
            `are over, or give another address of ${other.before}.`;
    },
  };
}

function keyOf(network: Named): string {
  return `other-end-${network}`;
}

function placeOf(network: Named): string {
  return `other-end-at-${network}`;
}

export function swapsAreOpen(count: number): string {
  return count === 1 ? '1 swap is open' : `${count} swaps are open`;
}

export type Identities = ReturnType<typeof createIdentities>;
