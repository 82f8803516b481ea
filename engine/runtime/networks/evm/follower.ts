import type { EvmNetwork } from '../../../domain/chain.ts';
import { PortFailure } from '../../../domain/errors.ts';
import type { EvmAddress } from '../../../domain/evm.ts';
import { sameBytes, type Sha256 } from '../../../domain/hash.ts';
import { reachedByEnough } from '../../../legs/evm/agreement.ts';
import { failedOnEvm } from '../../../legs/evm/failures.ts';
import type { EvmHead, EvmHeads, EvmPort, LockEvent } from '../../../legs/evm/port.ts';
import { contradictionIn, standingLogs, type ToldLogs } from '../../../legs/evm/told-logs.ts';
import type { Htlc, LockEventRow } from '../../../store/evm-locks.ts';
import type { Store } from '../../../store/store.ts';
import { createGapLooks, type Gaps } from './gaps.ts';
import { createLockKeeping } from './lock-keeping.ts';
import { createLogReader, type Reach, type LogReader } from './log-reader.ts';
import { createInTime } from './in-time.ts';
import { beyondAlone } from './told-alone.ts';
import type { Watched } from './watched-hashes.ts';

/** Milliseconds until the logs of one are all that there is, where the others do not give theirs. */
const patienceMs = 600_000;

/** What a look came to. */
export interface Reading {
  /** Everything up to the tip of the chain is read, by enough RPCs; else what nobody showed yet may be there. */
  readonly isWhole: boolean;
  /** Of a hash it is not: a lock of it may have ended where too few RPCs keep the logs. */
  readonly gaps: Gaps;
}

/** How far they told every block from `first` on: what one has no memory of, another has to bring. */
function toldFrom(first: number, voters: readonly { readonly from: number; readonly cursor: number }[]): number {
  return voters
    .toSorted((a, b) => a.from - b.from)
    .reduce((to, { from, cursor }) => (from <= to + 1 ? Math.max(to, cursor) : to), first - 1);
}

function voterOf({ own }: EvmHead, reader: LogReader) {
  return { own, from: reader.from(), cursor: reader.cursor() };
}

/** What the RPCs told, without what one of several tells alone and nobody can hold. */
function wordsOf(
  readers: ReadonlyMap<string, LogReader>,
  {
    port,
    heads,
    counting,
    meant,
  }: {
    readonly port: EvmPort;
    readonly heads: EvmHeads;
    readonly counting: readonly EvmHead[];
    readonly meant: (events: readonly LockEvent[]) => (event: LockEvent) => boolean;
  },
): readonly ToldLogs[] {
  const words = () =>
    [...readers].map(([name, one]) => {
      const own = heads.rpcs.some((rpc) => rpc.name === name && rpc.own);
      return one.logs({ name, own, counts: counting.some((rpc) => rpc.name === name) });
    });
  const all = words();
  if (port.rpcs().length === 1) return all;
  const beyond = beyondAlone(all, () => meant(all.flatMap(({ events }) => events)));
  for (const [name, events] of beyond) readers.get(name)?.drop(events);
  return beyond.size === 0 ? all : words();
}

/**
 * Reads the logs of an HTLC from block to block, of each RPC by a cursor of its own, and keeps what stands of them of
 * the locks that are wanted. The last blocks are read anew at each look, so that a reorganisation heals itself. What is
 * on the disk as read is what enough of them told the same of: from there every start reads again (facts/faults.md 36,
 * 64).
 */
export function createFollower(options: {
  readonly network: EvmNetwork;
  readonly htlc: EvmAddress;
  readonly store: Store;
  readonly watched: Watched;
  /** Blocks that may still be taken back. */
  readonly overlap: () => number;
}) {
  const { network, htlc, store, watched, overlap } = options;
  const of: Htlc = { network, htlc };
  const readers = new Map<string, LogReader>();
  const inTime = createInTime();
  let contested: readonly number[] = [];
  let scannedBefore: number | null = null;
  let loneSince: number | null = null;

  const lockKeeping = createLockKeeping({ store, of, watched });
  const gapLooks = createGapLooks({ store, of, watched });

  const isWatched = (event: LockEvent): boolean =>
    sameBytes(event.htlc, htlc) && watched.wantedOf(event.preimageHash).length > 0;

  function readerOf({ name }: EvmHead): LogReader {
    const one = readers.get(name) ?? createLogReader(htlc, isWatched);
    readers.set(name, one);
    return one;
  }

  /** What it still has of them is read with the next look. */
  async function forgets(rpc: EvmHead, reach: Reach): Promise<void> {
    try {
      await readerOf(rpc).forget(rpc, reach);
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
    }
  }

  /** One that gives no logs now, or not in time, counts as one that is silent. */
  async function readEach(heads: EvmHeads, reach: Reach): Promise<{ read: boolean; failing: ReadonlySet<EvmHead> }> {
    const results = await inTime(heads.rpcs, async (rpc) => {
      try {
        return await readerOf(rpc).read(rpc, reach);
      } catch (cause) {
        if (!(cause instanceof PortFailure)) throw cause;
        if (failedOnEvm(cause, 'evm-pruned')) await forgets(rpc, reach);
        return cause;
      }
    });
    const failing = new Set(heads.rpcs.filter((_, i) => typeof results[i] !== 'boolean'));
    const failure = results.find((one) => one instanceof PortFailure);
    if (failing.size === heads.rpcs.length && failure !== undefined) throw failure;
    return { read: results.includes(true), failing };
  }

  /** One alone gives logs while others name blocks too: for a while what it does not show may be in theirs. */
  function waits(voters: number, { rpcs }: EvmHeads): boolean {
    if (voters > 1 || rpcs.filter(({ counts }) => counts).length === 1) {
      loneSince = null;
      return false;
    }
    loneSince ??= performance.now();
    return performance.now() - loneSince < patienceMs;
  }

  return {
    /** `early`: the claims that are kept may be told, and all else is not known yet. */
    async read(port: EvmPort, heads: EvmHeads, early: () => Promise<void>): Promise<Reading> {
      const { tip, agreed } = heads;
      if (scannedBefore === null) lockKeeping.mend();
      const scanned = store.evmLocks.scanned(of) ?? tip.height;
      if (scannedBefore !== null && scanned < scannedBefore) for (const one of readers.values()) one.back(scanned);
      scannedBefore = scanned;
      const base = Math.max(0, Math.min(scanned, tip.height) + 1 - overlap());
      const { read, failing } = await readEach(heads, { base, tip, overlap: overlap(), contested });
      const counting = heads.rpcs.filter((rpc) => rpc.counts && !failing.has(rpc));
      const voters = counting.map((rpc) => voterOf(rpc, readerOf(rpc)));
      // Below that none of them tells anything.
      const first = Math.max(base, Math.min(...voters.map(({ from }) => from)));
      // What one alone tells of it may be left out (facts/faults.md 284).
      const sure = Math.max(base, reachedByEnough(voters, ({ from }) => -from)?.from ?? first);
      const byEnough = reachedByEnough(voters, ({ cursor }) => cursor)?.cursor ?? -1;
      const reached = Math.min(tip.height, byEnough, toldFrom(first, voters));
      const isWhole = reached >= tip.height && !waits(voters.length, heads);
      if (!read) return { isWhole, gaps: gapLooks.last() };
      const standing = standingLogs(wordsOf(readers, { port, heads, counting, meant: lockKeeping.meant }));
      contested = standing.contested;
      const sentence = contradictionIn(standing, tip.height);
      if (sentence !== null) port.doubt(sentence);
      // Where none counts nothing is taken back.
      const from = Math.min(first, Number.MAX_SAFE_INTEGER);
      const least = Math.min(scanned, tip.height);
      const isBehind = (): boolean => (store.evmLocks.scanned(of) ?? tip.height) < scanned;
      const keeping = lockKeeping.of(standing.events, base, port);
      if (keeping.early?.some(({ event }) => event === 'redeemed') === true && !isBehind()) {
        const range = { from, to: least, settled: least - overlap(), at: null };
        store.atomically(() => store.evmLocks.replace(of, range, keeping.early ?? [], []));
        await early();
      }
      const { rows, others } = await keeping.whole();
      const gaps = voters.length === 0 ? gapLooks.last() : await gapLooks.look(port, sure > base ? sure : null, rows);
      // A hash that came meanwhile moved the cursor back: it is read with the next look.
      if (isBehind()) return { isWhole: false, gaps };
      const isAgreed = agreed && gaps.size === 0 && (voters.length > 1 || heads.rpcs.length === 1);
      const to = isAgreed ? Math.max(least, Math.min(reached, ...contested.map((height) => height - 1))) : least;
      const at = isAgreed && isWhole ? { height: tip.height, time: heads.sure.time } : null;
      const range = { from, to, settled: to - overlap(), at };
      store.atomically(() => store.evmLocks.replace(of, range, rows, others));
      scannedBefore = to;
      return { isWhole, gaps };
    },
    rows: (hash: Sha256): LockEventRow[] => store.evmLocks.of(of, hash),
  };
}

export type Follower = ReturnType<typeof createFollower>;
