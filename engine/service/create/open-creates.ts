import { refuse, type Refusal } from '../../domain/errors.ts';
import { siteOf } from '../../domain/site.ts';
import type { Commits } from '../../runtime/commit.ts';
import type { SwapRow } from '../../store/swaps.ts';

/** A place among the unfunded swaps of a client, held from before its create until its funding or its end. */
export interface OpenCreate {
  /** The swap that the create made. */
  is(id: string): void;
  /** Nothing came of it. */
  giveBack(): void;
}

/**
 * Seconds. A place comes back with a funding or at the end of a funding window: asking every second finds neither
 * sooner.
 */
export const placesComeBackAfter = 60;
/** Seconds. What nobody paid for is over at the end of its timelock. */
const closesAfter = 3_600;

/* How many there may be, as multiples of the swaps of one client that may wait for their funding. */

/** Of one client that nobody paid for, in their funding window or past it. */
const mostUnpaid = 5;
/** The same of all clients together, above which each may still have a few: nobody shuts out the others. */
const mostUnpaidOfAll = 50;
const fewUnpaid = 1 / 20;
/** Of all clients of one site, as of one client. */
const clientsOfSite = 4;

/** What a swap counts as, and whose it is: null where a restart forgot that. */
interface Place {
  readonly client: string | null;
  readonly waits: boolean;
  readonly unpaid: boolean;
}

/**
 * How many swaps of each client wait for their funding: each promises liquidity, and free ones would be a way to take
 * all of it, or the disk (facts/faults.md 53). Past its window a swap that nobody paid for holds nothing but memory and
 * a part of each look at its network, until its timelock ends: of those a client may have more (267).
 *
 * After a restart the client is known of those alone that liquidity is promised to.
 */
export function createOpenCreates(options: {
  most: () => number;
  commits: Pick<Commits, 'onCommit'>;
  row: (id: string) => SwapRow | null;
  /** Open swaps of before a restart. */
  before: () => readonly { readonly swap: string; readonly client: string | null }[];
}) {
  const waiting = createCounts();
  const unpaid = createCounts();
  const placeOf = new Map<string, Place>();

  function count({ client, waits, unpaid: isUnpaid }: Place, by: 1 | -1): void {
    for (const name of [everybody, ...(client === null ? [] : namesOf(client))]) {
      if (waits) waiting.add(name, by);
      if (isUnpaid) unpaid.add(name, by);
    }
  }

  /** In place of what it was. */
  function put(id: string, client: string | null, row: SwapRow | null): void {
    const before = placeOf.get(id);
    if (before !== undefined) count(before, -1);
    placeOf.delete(id);
    if (row?.open !== true) return;
    const place = { client, waits: isUnfunded(row), unpaid: isUnpaid(row) };
    placeOf.set(id, place);
    count(place, 1);
  }

  function refused(client: string): Refusal | null {
    const most = options.most();
    const isCrowded = unpaid.of(everybody) >= mostUnpaidOfAll * most;
    const mostNow = isCrowded ? Math.max(1, Math.floor(fewUnpaid * most)) : mostUnpaid * most;
    for (const [at, name] of namesOf(client).entries()) {
      const clients = at === 0 ? 1 : clientsOfSite;
      if (waiting.of(name) >= clients * most) return tooManyWait(clients * most);
      if (unpaid.of(name) >= clients * mostNow) return tooManyUnpaid(clients * mostNow);
    }
    return null;
  }

  for (const { swap, client } of options.before()) put(swap, client, options.row(swap));
  options.commits.onCommit(({ entry: { row } }) => {
    const place = placeOf.get(row.id);
    // A funding that is replaced before it is in a block has its swap wait again, for the price of one fee.
    if (place !== undefined) put(row.id, place.client, row);
  });

  return {
    /** A refusal where the client has as many as it may. */
    take(client: string): OpenCreate | Refusal {
      const why = refused(client);
      if (why !== null) return why;
      const place = { client, waits: true, unpaid: true };
      count(place, 1);
      return {
        is(id) {
          count(place, -1);
          put(id, client, options.row(id));
        },
        giveBack: () => count(place, -1),
      };
    },
  };
}

/** What lies there before the swap has an amount may be dust, which its sender has back. */
export function isUnfunded({ status, progress }: Pick<SwapRow, 'status' | 'progress'>): boolean {
  return status === 'pending' || (progress as { readonly at: string }).at === 'unnamed';
}

/** In its funding window or past it. */
function isUnpaid(row: Pick<SwapRow, 'status' | 'progress'>): boolean {
  return isUnfunded(row) || row.status === 'expired';
}

/** No address. */
const everybody = '';

/** The client, and the site that it is of. */
function namesOf(client: string): readonly string[] {
  const site = siteOf(client);
  return site === null ? [client] : [client, site];
}

function createCounts() {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, by: 1 | -1): void {
      if (of(name) + by === 0) counts.delete(name);
      else counts.set(name, of(name) + by);
    },
  };
}

function tooManyWait(most: number): Refusal {
  return refuse(
    'flood',
    `${most} swaps of yours wait for their funding, which is the most: fund some of them, or wait until ` +
      'they expire.',
    placesComeBackAfter,
  );
}

function tooManyUnpaid(most: number): Refusal {
  return refuse(
    'flood',
    `${most} swaps of yours that nobody paid for are open until their timelocks end, which is the most now: fund ` +
      'those that wait for it, or try again later.',
    closesAfter,
  );
}
