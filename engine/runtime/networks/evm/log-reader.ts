import { toHex } from '../../../domain/hex.ts';
import type { EvmHead, EvmTip, LockEvent, LogRange } from '../../../legs/evm/port.ts';
import type { Blocks, ToldLogs } from '../../../legs/evm/told-logs.ts';
import { firstWithLogs, hasLogs } from './logs-there.ts';

/**
 * Blocks that are read in one go: what is far behind is read piece by piece; and how far beyond the tip of the chain an
 * RPC is followed.
 */
const blocksAtOnce = 5_000;
/** New blocks of the first piece of these, each next one has twice as many; and events after whose block it ends. */
const firstBite = 128;
const mostTold = 20_000;
/**
 * The logs of the same last block are read again after so long, milliseconds, the first time and from then on: an RPC
 * may have the block before its logs.
 */
const sameAgainMs = { first: 2_500, then: 10_000 };
/** What is contested is asked for again as often, and in so many blocks at a time. */
const contestedEveryMs = 30_000;
const mostContested = 8;
/** For so long, milliseconds, what an RPC told after a leap of its tip is read anew should it take that back. */
const leapMs = 3_600_000;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** What one look goes by. */
export interface Reach {
  /** The first block of which anything is still open. */
  readonly base: number;
  /** Of the chain, as enough RPCs name it. */
  readonly tip: EvmTip;
  /** Blocks that may still be taken back. */
  readonly overlap: number;
  readonly contested: readonly number[];
}

/** What an RPC does not keep it may only not have given for a while: it is asked for it again after so long. */
const prunedAgainMs = 60_000;

/**
 * What one RPC told of the logs of an HTLC, with a cursor of its own: it is read to its own tip, whatever the others
 * say. What it told beyond the tip of the chain is its word alone, so it is read again until others have come there,
 * and forgotten when it takes that tip back (facts/faults.md 64).
 */
export function createLogReader(htlc: LogRange['htlc'], wanted: (event: LockEvent) => boolean) {
  /** Where its memory begins, and the lowest block that was ever wanted. */
  let from = 0;
  let lowest = Infinity;
  let cursor = -1;
  /** To where it was moved back since its last reading began: what that read above was not read for a newer hash. */
  let backTo = Infinity;
  /** Where the last look had to stop: among blocks that are read anew none would come further than the one before. */
  let stoppedAt = -1;
  /** The last of these blocks to which another RPC has come as well. */
  let shared = -1;
  let events: readonly LockEvent[] = [];
  const dropped = new Map<string, Blocks>();
  let last = { hash: '', at: -Infinity, pause: 0 };
  let contestedAt = -Infinity;
  let leap = { from: Infinity, at: -Infinity };
  let forgotAt = -Infinity;

  /** How many it told of what is wanted, and up to which block. */
  async function take(rpc: EvmHead, range: Range): Promise<{ readonly count: number; readonly to: number }> {
    const { news, to } = await pieceOf(rpc, { htlc, ...range }, wanted);
    const others = events.filter(({ height }) => height < range.from || height > to);
    events = [...others, ...news];
    return { count: news.length, to };
  }

  /** The first block that is read next, some of them anew. */
  function startOf({ tip: own }: EvmHead, { base, overlap }: Pick<Reach, 'base' | 'overlap'>): number {
    return Math.max(base, from, Math.min(cursor, shared, own.height - 1) + 1 - overlap, stoppedAt + 1);
  }

  /** Whether it gives the logs again that it did not give. */
  async function remember(rpc: EvmHead, base: number): Promise<void> {
    forgotAt = performance.now();
    if (!(await hasLogs(rpc, htlc, base))) return;
    from = base;
    moveTo(base - 1);
  }

  function begin(base: number): void {
    if (base < lowest) {
      moveTo(lowest === Infinity ? base - 1 : Math.min(cursor, base - 1));
      from = lowest = base;
    }
    events = events.filter(({ height }) => height >= base);
    for (const [hash, { to }] of dropped) if (to < base) dropped.delete(hash);
  }

  function moveTo(to: number): void {
    cursor = to;
    shared = Math.min(shared, to);
    stoppedAt = Math.min(stoppedAt, to);
  }

  /** What was read above a tip that it does not stand by any more, and all since it leapt up there. */
  function takeBack(to: number): void {
    moveTo(performance.now() - leap.at < leapMs ? Math.min(to, leap.from) : to);
    leap = { from: Infinity, at: -Infinity };
    events = events.filter(({ height }) => height <= to);
  }

  return {
    /** Blocks below are wanted again, for a hash that nobody asked for when they were read. */
    back(to: number): void {
      backTo = Math.min(backTo, to);
      moveTo(Math.min(cursor, to));
    },
    /** It keeps no logs of so long ago: its memory begins with the first block of which it has them. */
    async forget(rpc: EvmHead, reach: Reach): Promise<void> {
      const below = startOf(rpc, reach);
      if (await hasLogs(rpc, htlc, below)) return;
      const there = Math.max(below + 1, reach.tip.height + 1 - reach.overlap);
      from = await firstWithLogs(rpc, htlc, { below, there });
      forgotAt = performance.now();
      moveTo(from - 1);
    },
    /** Of what it alone tells, what goes beyond its share. */
    drop(beyond: ReadonlySet<LockEvent>): void {
      events = events.filter((event) => !beyond.has(event));
      noteDropped(dropped, beyond);
    },
    /** Of earlier blocks it has told nothing. */
    from: () => from,
    /** True when anything was asked. */
    async read(rpc: EvmHead, { base, tip, overlap, contested }: Reach): Promise<boolean> {
      backTo = Infinity;
      begin(base);
      if (from > base && performance.now() - forgotAt > prunedAgainMs) await remember(rpc, base);
      const own = rpc.tip;
      if (own.height < cursor && cursor > tip.height) takeBack(Math.max(own.height, tip.height));
      const now = performance.now();
      let isNew = false;
      if (contested.length > 0 && now - contestedAt > contestedEveryMs) {
        contestedAt = now;
        for (const height of contested.slice(0, mostContested).filter((one) => one >= from && one <= cursor)) {
          await take(rpc, { from: height, to: height });
          isNew = true;
        }
      }
      if (own.height < cursor) return isNew;
      const isSame = own.height === cursor && own.hash === last.hash;
      if (isSame && now - last.at < last.pause) return isNew;
      let to = Math.min(own.height, cursor + blocksAtOnce, tip.height + blocksAtOnce);
      const start = startOf(rpc, { base, overlap });
      if (own.height - cursor > overlap) leap = { from: Math.min(leap.from, cursor), at: now };
      const end = to;
      if (to >= start) to = await inBites({ from: start, to, overlap }, (range) => take(rpc, range));
      stoppedAt = to < end ? Math.min(to, backTo) : -1;
      cursor = Math.min(Math.max(cursor, to), backTo);
      shared = Math.min(cursor, tip.height);
      const pause = isSame ? sameAgainMs.then : sameAgainMs.first;
      last = { hash: to === own.height ? own.hash : '', at: now, pause };
      return true;
    },
    logs: ({ name, own, counts }: Pick<EvmHead, 'name' | 'own' | 'counts'>): ToldLogs => {
      return { name, own, counts, from, to: cursor, events, dropped };
    },
    cursor: () => cursor,
  };
}

export type LogReader = ReturnType<typeof createLogReader>;

function noteDropped(dropped: Map<string, Blocks>, events: ReadonlySet<LockEvent>): void {
  for (const { preimageHash, height } of events) {
    const hash = toHex(preimageHash);
    const { from, to } = dropped.get(hash) ?? { from: height, to: height };
    dropped.set(hash, { from: Math.min(from, height), to: Math.max(to, height) });
  }
}

/** What one tells of a range: nothing above the block where it comes to more than can be held. */
async function pieceOf(
  rpc: EvmHead,
  range: LogRange,
  wanted: (event: LockEvent) => boolean,
): Promise<{ readonly news: readonly LockEvent[]; readonly to: number }> {
  let count = 0;
  let to = range.to;
  const answer = await rpc.events(range, (event) => {
    if (event.height > to || !wanted(event)) return false;
    count += 1;
    if (count === mostTold) to = event.height;
    return true;
  });
  return { news: answer.filter((event) => event.height <= to && wanted(event)), to };
}

/** To which block it was read: of one that tells more than can be held the rest follows with the next looks. */
async function inBites(
  { from: first, to, overlap }: Range & { readonly overlap: number },
  take: (range: Range) => Promise<{ readonly count: number; readonly to: number }>,
): Promise<number> {
  let end = first - 1;
  let count = 0;
  for (let bite = overlap + firstBite; end < to && count < mostTold; bite *= 2) {
    const read = await take({ from: end + 1, to: Math.min(to, end + bite) });
    end = read.to;
    count += read.count;
  }
  return end;
}
