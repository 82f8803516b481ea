import type { OwnerSwaps, OwnerSwapsQuery } from '../../contract/owner/swaps.ts';
import { ownerDirectionOf, ownerDirections, type DirectionName, type WalletJob } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { expectedAt, furthest, type ChainReading, type Clocks, type Unix } from '../../domain/time.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { SwapHead } from '../../store/swaps.ts';
import type { ServiceContext } from '../context.ts';
import { invalidCursor, pageOf, readCursor } from '../pages.ts';
import { matches, searchOf, type SwapSearch } from './swap-search.ts';

type Line = OwnerSwaps['swaps'][number];

/** `left`: nobody waits for the answer any more. */
export async function swaps(
  context: ServiceContext,
  query: OwnerSwapsQuery,
  left?: AbortSignal,
): Promise<OwnerSwaps | Refusal> {
  const search = query.text === null ? null : await searchOf(context, query.text, left);
  if (query.open === true) return openSwaps(context, query, search);
  const before = query.cursor === null ? null : readCursor(query.cursor);
  if (isRefusal(before)) return before;
  const rows = context.runtime.store.swaps.page({
    limit: query.limit + 1,
    ...(query.direction === null ? {} : { machine: query.direction }),
    ...(query.status === null ? {} : { status: query.status }),
    ...(query.open === null ? {} : { open: query.open }),
    ...(search === null ? {} : { q: search.part, also: [...search.also] }),
    ...(before === null ? {} : { before }),
  });
  const { page, next } = pageOf(rows, query.limit);
  return {
    swaps: page.map((head) => lineOf(context, head)).filter((one) => one !== null),
    next_cursor: next,
  };
}

/**
 * Where an open swap stands in the list. By its deadline, and not by what is left of it: that is another one on each
 * page.
 */
interface OpenPlace {
  readonly rank: number;
  readonly deadline: Unix | null;
  readonly id: string;
}

/** The last place of a page, and the reading of Bitcoin that its deadlines go by: each block moves those by height. */
interface OpenCursor {
  readonly last: OpenPlace;
  readonly bitcoin: ChainReading;
}

/*
 * What strangers make for nothing stands behind everything that holds money, and what they pay in part behind
 * everything that something is given for, however much of it there is.
 */
const ranks = { forPeople: 0, given: 1, paid: 2, unreadUnpaid: 3, unpaid: 4 } as const;

/** In front of the others, for nobody but a person does anything about these; or something of ours may be lost. */
function isFirst(rank: number): boolean {
  return rank === ranks.forPeople || rank === ranks.given;
}

/** The working set, the most urgent first; small enough to be sorted as a whole. */
function openSwaps(context: ServiceContext, query: OwnerSwapsQuery, search: SwapSearch | null): OwnerSwaps | Refusal {
  const after = query.cursor === null ? null : readOpenCursor(query.cursor);
  if (isRefusal(after)) return after;
  const bitcoin = after?.bitcoin ?? furthest(context.runtime.clock.now().bitcoin);
  const places = [
    ...unreadOpen(context, query, search).map((head) => ({
      ...placeOfUnread(head),
      line: () => unreadable(context, head),
    })),
    ...readableOpen(context, query, search).map((entry) => ({
      ...placeOf(entry, { bitcoin }),
      line: () => line(context, entry),
    })),
  ]
    .filter((place) => after === null || inOrder(after.last, place) < 0)
    .sort(inOrder);
  const page = places.slice(0, query.limit);
  const last = page.at(-1);
  return {
    swaps: page.map((place) => place.line()),
    next_cursor: places.length > page.length && last !== undefined ? openCursor({ last, bitcoin }) : null,
  };
}

function openCursor({ last: { rank, deadline, id }, bitcoin: { mtp, height } }: OpenCursor): string {
  return `${rank}.${deadline ?? ''}.${id}.${mtp ?? ''}.${height ?? ''}`;
}

function readOpenCursor(cursor: string): OpenCursor | Refusal {
  const [, rank, deadline, id, mtp, tip] = /^([0-4])\.(\d{0,12})\.([^.]+)\.(\d{0,12})\.(\d{0,9})$/.exec(cursor) ?? [];
  if (id === undefined) return invalidCursor;
  const numberOf = (text = ''): number | null => (text === '' ? null : Number(text));
  return {
    last: { rank: Number(rank), deadline: numberOf(deadline) as Unix | null, id },
    bitcoin: { mtp: numberOf(mtp) as Unix | null, height: numberOf(tip) },
  };
}

function inOrder(a: OpenPlace, b: OpenPlace): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  // What is given and has no deadline is a claim or a payment that nothing but its network ends.
  const without = isFirst(a.rank) ? -1 : Infinity;
  if (a.deadline !== b.deadline) return (a.deadline ?? without) - (b.deadline ?? without);
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function placeOf({ row, machine }: Entry, now: Pick<Clocks, 'bitcoin'>): OpenPlace {
  return { rank: rankOf({ row, machine }), deadline: deadlineOf({ row, machine }, now), id: row.id };
}

/** Nothing is given yet, or our claim has what it was given for. */
const standsBehind: ReadonlySet<SwapStatus> = new Set(['clientfundingseen', 'serverredeemed']);

function rankOf({ row, machine }: Entry): number {
  if (row.flag !== null) return ranks.forPeople;
  // No stranger opens a job of a wallet.
  if (machine.unfunded === undefined) return ranks.given;
  if (isFree(row.status)) return ranks.unpaid;
  const isGiven = !standsBehind.has(row.status) && machine.isAtStake?.(row.progress) === true;
  return isGiven ? ranks.given : ranks.paid;
}

/** Nobody paid for it, in its time or yet. */
function isFree(status: SwapStatus): boolean {
  return status === 'pending' || status === 'expired';
}

function placeOfUnread({ id, status }: SwapHead): OpenPlace {
  return { rank: isFree(status) ? ranks.unreadUnpaid : ranks.forPeople, deadline: null, id };
}

function readableOpen(context: ServiceContext, query: OwnerSwapsQuery, search: SwapSearch | null): Entry[] {
  return [...context.runtime.workingSet.all()].filter(
    ({ row, machine }) =>
      machine.name in ownerDirections &&
      (query.direction === null || row.machine === query.direction) &&
      (query.status === null || row.status === query.status) &&
      (search === null || matches(search, row.id)),
  );
}

function unreadOpen(context: ServiceContext, query: OwnerSwapsQuery, search: SwapSearch | null): SwapHead[] {
  const { store, workingSet } = context.runtime;
  return [...workingSet.unread()]
    .map((id) => store.swaps.head(id))
    .filter((head) => head !== null)
    .filter(
      (head) =>
        (query.direction === null || head.machine === query.direction) &&
        (query.status === null || head.status === query.status) &&
        (search === null || matches(search, head.id)),
    );
}

function lineOf(context: ServiceContext, head: SwapHead): Line | null {
  const entry = context.runtime.workingSet.readable(head.id);
  if (entry === null) return unreadable(context, head);
  return entry.machine.name in ownerDirections ? line(context, entry) : null;
}

function unreadable({ runtime: { store } }: ServiceContext, { id, machine, status, at, valueSats }: SwapHead): Line {
  return {
    id,
    label: store.labels.of(id).label,
    direction: ownerDirectionOf(machine) ?? null,
    status,
    at,
    value_sats: Number(valueSats),
    next_action:
      `nothing: this swap (${machine}) cannot be read from the database. Start the newest build that ran here, or ` +
      'go back to the newest backup',
    deadline: null,
    slack_seconds: null,
    flagged: true,
  };
}

function deadlineOf({ row, machine }: Entry, now: Pick<Clocks, 'bitcoin'>): Unix | null {
  const locktime = row.open ? machine.deadline(row.terms, row.progress) : null;
  return locktime === null ? null : expectedAt(locktime, now);
}

/** Of a swap of clients, or a job of a wallet. */
function line(context: ServiceContext, entry: Entry): Line {
  const { row, machine } = entry;
  const now = context.runtime.clock.now();
  const deadline = deadlineOf(entry, now);
  const boltzId = context.runtime.store.boltzSwaps.idOf(row.id);
  return {
    id: row.id,
    label: context.runtime.store.labels.of(row.id).label,
    ...(boltzId === null ? {} : { boltz_id: boltzId }),
    direction: ownerDirections[machine.name as DirectionName | WalletJob],
    status: row.status,
    at: row.progress.at,
    value_sats: Number(row.valueSats),
    next_action: machine.nextAction(row.terms, row.progress),
    deadline,
    slack_seconds: deadline === null ? null : deadline - now.wall,
    flagged: row.flag !== null,
  };
}
