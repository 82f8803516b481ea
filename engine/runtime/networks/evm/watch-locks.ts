import type { EvmNetwork } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import type { SeenLock } from '../../../legs/evm/events.ts';
import { evmFailure } from '../../../legs/evm/failures.ts';
import { unix, type Unix } from '../../../domain/time.ts';
import type { EvmHeads, EvmTip } from '../../../legs/evm/port.ts';
import { nameOfWanted } from '../../../legs/evm/wanted-locks.ts';
import type { EvmWatch } from '../../../legs/evm/watch.ts';
import { evmOf } from '../../ports.ts';
import { slices } from '../../slices.ts';
import type { Watching, WatchOptions } from '../watching.ts';
import { createFollower, type Follower, type Reading } from './follower.ts';
import { createLooks, type Looks } from './looks.ts';
import { createNewBlocks } from './new-blocks.ts';
import { pictureOf, type Agreed } from './picture.ts';
import { deepest } from './rules.ts';
import { watchedHashes } from './watched-hashes.ts';

type LockWatch = Extract<EvmWatch, { on: 'evm-lock' }>;

/**
 * Where nothing new is to be told of, it is told again after so many looks, and so many milliseconds at most: what ends
 * by the clock of the chain ends by a look, and so does a swap that had more to wait for.
 */
const againAfter = { looks: 20, ms: 20_000 };
/**
 * Swaps whose locks are read at once: an RPC is asked for all their receipts in one request, of the creation and of the
 * end of each.
 */
const atOnce = 16;
/**
 * Blocks that are read anew at the least, however few confirmations are enough for their owner: what a reorganisation
 * replaced would else stand for ever (facts/faults.md 288).
 */
const leastOverlap = 16;

interface Subject {
  readonly id: string;
  readonly watch: LockWatch;
  /** Its hash is kept in the store from the height that it wants. */
  kept: boolean;
  last: string;
  at: number;
}

interface Group {
  readonly watch: LockWatch;
  readonly subjects: Map<string, Subject>;
  readonly watched: ReturnType<typeof watchedHashes>;
  /** Of swaps that are over: the store forgets them with the next look. */
  readonly over: Map<string, Pick<LockWatch, 'hash' | 'wanted'>>;
  readonly follower: Follower;
  readonly agreed: Agreed;
  /** What the last look that was sure of everything came to. */
  sure: Sure;
}

/** Up to which time of the chain, and of the wall, it is sure what is not there. */
interface Sure {
  readonly time: Unix;
  readonly asked: Unix;
}

function keyOf({ on, network, htlc, hash, wanted }: LockWatch): string {
  return `${on} ${network} ${toHex(htlc)} ${toHex(hash)} ${nameOfWanted(wanted)}`;
}

function groupKey({ network, htlc }: LockWatch): string {
  return `${network} ${toHex(htlc)}`;
}

/** What is told of at once where it changes; of what is so deep that nothing takes it back, no further block is. */
function textOf(locks: readonly SeenLock[], depth: number): string {
  return locks
    .map(({ key, txid, confirmations, doubt = '', state, paid }) => {
      const end = state.is === 'active' ? '' : `${state.txid} ${Math.min(state.confirmations, depth)}`;
      return `${toHex(key)} ${txid} ${Math.min(confirmations, depth)} ${doubt} ${state.is} ${end} ${paid?.taken ?? ''}`;
    })
    .join('\n');
}

/** What the looks go by, and what they remember. */
interface Looking extends Pick<WatchOptions, 'ports' | 'store' | 'evm' | 'deliver' | 'onFailure' | 'wall' | 'pollMs'> {
  readonly groups: Map<string, Group>;
  /** An RPC that hangs keeps the looks at its own chain waiting, and at no other. */
  readonly looks: Map<EvmNetwork, Looks>;
  stopped: boolean;
}

/** Tells each swap of the locks of its hash that it wants, by one reader for each contract. */
export const evmLockWatching: Watching<LockWatch> = {
  keyOf,
  open(options) {
    const { ports, pollMs, onFailure } = options;
    const own: Looking = { ...options, groups: new Map(), looks: new Map(), stopped: false };
    const { groups } = own;
    const blocks = createNewBlocks({
      ports,
      pollMs,
      onFailure,
      networks: () => networksOf([...groups.values()].filter(({ subjects }) => subjects.size > 0)),
      onBlock: (network) => looksAt(own, network)?.onBlock(),
    });
    let timer: NodeJS.Timeout | null = null;

    function everywhere(begin: (looks: Looks) => void): void {
      for (const network of networksOf(groups.values())) {
        const looks = looksAt(own, network);
        if (looks !== null) begin(looks);
      }
    }

    return {
      add(id, watch) {
        const group = groupOf(own, watch);
        if (!group.subjects.has(id)) group.watched.add(watch.hash, watch.wanted);
        group.subjects.set(id, { id, watch, kept: false, last: 'never', at: -Infinity });
      },
      remove(id, watch) {
        const group = groups.get(groupKey(watch));
        if (group === undefined) return;
        const { hash, wanted } = watch;
        if (!group.subjects.delete(id)) return;
        group.watched.remove(hash, wanted);
        if (!group.watched.has(hash, wanted))
          group.over.set(`${toHex(hash)} ${nameOfWanted(wanted)}`, { hash, wanted });
      },
      start() {
        timer = setInterval(() => everywhere((looks) => looks.now()), pollMs);
        blocks.start();
      },
      onMined() {
        everywhere((looks) => looks.anew());
      },
      async stop() {
        own.stopped = true;
        if (timer !== null) clearInterval(timer);
        blocks.stop();
        await Promise.all([...own.looks.values()].map((looks) => looks.stop()));
        forgetAll(own);
      },
    };
  },
};

function networksOf(groups: Iterable<Group>): ReadonlySet<EvmNetwork> {
  return new Set(Array.from(groups, ({ watch }) => watch.network));
}

function groupOf({ store, evm, groups }: Looking, watch: LockWatch): Group {
  const { network, htlc } = watch;
  const watched = watchedHashes();
  const overlap = (): number => Math.max(deepest(evm(network)), leastOverlap);
  const group = groups.get(groupKey(watch)) ?? {
    watch,
    subjects: new Map(),
    watched,
    over: new Map(),
    follower: createFollower({ network, htlc, store, watched, overlap }),
    agreed: new Map(),
    sure: { time: unix(0), asked: unix(0) },
  };
  groups.set(groupKey(watch), group);
  return group;
}

async function tell(
  { ports, evm, deliver, pollMs }: Looking,
  group: Group,
  subject: Subject,
  tip: EvmTip,
  all: boolean,
): Promise<void> {
  const { hash, network, agreed = true } = subject.watch;
  const by = { port: evmOf(ports, network), agreed: group.agreed, bySingleSource: !agreed };
  const locks = await pictureOf(subject.watch, group.follower.rows(hash), tip, by);
  // A preimage waits for nothing that others have not shown yet.
  if (!all && !locks.some(({ state }) => state.is === 'redeemed')) return;
  const text = textOf(locks, deepest(evm(network)));
  const now = performance.now();
  if (text === subject.last && now - subject.at < Math.min(againAfter.ms, againAfter.looks * pollMs)) return;
  if (!group.subjects.has(subject.id)) return;
  subject.last = text;
  subject.at = now;
  deliver(subject.id, { is: 'evm.seen', network, height: tip.height, ...group.sure, locks });
}

/** The same of one look, and says so where a lock of its may have ended unseen. */
async function tellAfter(
  own: Looking,
  group: Group,
  subject: Subject,
  { tip, isWhole, gaps }: Reading & { readonly tip: EvmTip },
): Promise<void> {
  const first = gaps.get(toHex(subject.watch.hash));
  await tell(own, group, subject, tip, isWhole && first === undefined);
  if (first === undefined) return;
  throw evmFailure(
    'evm-pruned',
    'safe',
    `Too few RPCs of ${subject.watch.network} that answer keep the logs of blocks before ${first}, where a lock of ` +
      'this swap may have been claimed: give one that keeps them.',
  );
}

function keepAll({ store }: Looking, group: Group): void {
  for (const subject of group.subjects.values()) {
    if (subject.kept) continue;
    const { network, htlc, hash, wanted, since } = subject.watch;
    const what = { hash, wanted: nameOfWanted(wanted) };
    store.atomically(() => store.evmLocks.watch({ network, htlc }, what, since));
    subject.kept = true;
  }
}

/** A burst of swaps that end costs one commit. */
function forgetAll({ store, onFailure, groups }: Looking): void {
  for (const { watch, watched, over } of groups.values()) {
    if (over.size === 0) continue;
    const { network, htlc } = watch;
    const unwanted = [...over].filter(([, { hash, wanted }]) => !watched.has(hash, wanted));
    over.clear();
    try {
      store.atomically(() => {
        for (const [, { hash, wanted }] of unwanted)
          store.evmLocks.unwatch({ network, htlc }, { hash, wanted: nameOfWanted(wanted) });
      });
    } catch (cause) {
      onFailure(null, cause); // rows that nobody reads
    }
  }
}

/** What the RPCs of a chain name as its tip, asked for once in a look, and the moment of before. */
interface Asking {
  readonly since: Unix;
  readonly heads: Promise<EvmHeads>;
}

function askingOnce({ ports, wall }: Looking, network: EvmNetwork): () => Asking {
  let asking: Asking | null = null;
  return () => (asking ??= { since: wall(), heads: evmOf(ports, network).heads() });
}

async function lookAt(own: Looking, group: Group, askingOf: () => Asking): Promise<void> {
  const { ports, onFailure } = own;
  const { network } = group.watch;
  const port = evmOf(ports, network);
  const pause = slices();
  keepAll(own, group);
  const asking = askingOf();
  const { since } = asking;
  const heads = await asking.heads;
  async function tellAll(subjects: readonly Subject[], reading: Reading): Promise<void> {
    for (let i = 0; i < subjects.length; i += atOnce) {
      await Promise.all(
        subjects
          .slice(i, i + atOnce)
          .map((subject) =>
            tellAfter(own, group, subject, { ...reading, tip: heads.tip }).catch((cause: unknown) =>
              onFailure(subject.id, cause),
            ),
          ),
      );
      await pause();
    }
  }

  const isClaimed = ({ watch }: Subject): boolean =>
    group.follower.rows(watch.hash).some(({ event }) => event === 'redeemed');
  // A preimage waits for nobody who says whose other locks are (facts/faults.md 341).
  const reading = await group.follower.read(port, heads, () =>
    tellAll([...group.subjects.values()].filter(isClaimed), { isWhole: false, gaps: new Map() }),
  );
  const { time, ago } = heads.sure;
  if (reading.isWhole) group.sure = { time, asked: unix(Math.max(0, Math.floor(since - ago))) };
  await tellAll([...group.subjects.values()], reading);
}

async function look(own: Looking, network: EvmNetwork): Promise<void> {
  const { onFailure, groups } = own;
  forgetAll(own);
  const askingOf = askingOnce(own, network);
  await Promise.all(
    [...groups.values()]
      .filter(({ watch, subjects }) => watch.network === network && subjects.size > 0)
      .map((group) => lookAt(own, group, askingOf).catch((cause: unknown) => onFailure(null, cause))),
  );
}

/** Null once nothing is looked at any more. */
function looksAt(own: Looking, network: EvmNetwork): Looks | null {
  if (own.stopped) return null;
  const looks = own.looks.get(network) ?? createLooks(() => look(own, network));
  own.looks.set(network, looks);
  return looks;
}
