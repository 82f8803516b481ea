import type { EvmAddress } from '../../../domain/evm.ts';
import { toHex } from '../../../domain/hex.ts';
import type { SeenLock } from '../../../legs/evm/events.ts';
import type { EvmTip } from '../../../legs/evm/port.ts';
import type { EvmWatch } from '../../../legs/evm/watch.ts';
import { evmOf } from '../../ports.ts';
import { slices } from '../../slices.ts';
import type { Watching } from '../watching.ts';
import { createFollower, type Follower } from './follower.ts';
import { pictureOf, type Agreed } from './picture.ts';
import { deepest } from './rules.ts';

type LockWatch = Extract<EvmWatch, { on: 'evm-lock' }>;

/** Where nothing is to be told of, it is said so now and then, milliseconds: what ends by the clock of the chain ends by a look. */
const emptyEveryMs = 20_000;

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
  /** With how many swaps each is of. */
  readonly hashes: Map<string, { coordinators: EvmAddress[]; parties: EvmAddress[]; swaps: number }>;
  /** Of swaps that are over: the store forgets them with the next look. */
  readonly over: Map<string, LockWatch['hash']>;
  readonly follower: Follower;
  readonly agreed: Agreed;
}

function keyOf({ on, network, htlc, hash }: LockWatch): string {
  return `${on} ${network} ${toHex(htlc)} ${toHex(hash)}`;
}

function groupKey({ network, htlc }: LockWatch): string {
  return `${network} ${toHex(htlc)}`;
}

function textOf(locks: readonly SeenLock[]): string {
  return locks
    .map(({ key, txid, confirmations, doubt = '', state }) => {
      const end = state.is === 'active' ? '' : `${state.txid} ${state.confirmations}`;
      return `${toHex(key)} ${txid} ${confirmations} ${doubt} ${state.is} ${end}`;
    })
    .join('\n');
}

/** Tells each swap of all locks of its hash, by one reader for each contract. */
export const evmLockWatching: Watching<LockWatch> = {
  keyOf,
  open({ ports, store, evm, deliver, onFailure, pollMs, wall }) {
    const groups = new Map<string, Group>();
    let timer: NodeJS.Timeout | null = null;
    let looking: Promise<void> | null = null;

    function groupOf(watch: LockWatch): Group {
      const { network, htlc } = watch;
      const hashes: Group['hashes'] = new Map();
      const overlap = (): number => deepest(evm(network));
      const group = groups.get(groupKey(watch)) ?? {
        watch,
        subjects: new Map(),
        hashes,
        over: new Map(),
        follower: createFollower({ network, htlc, store, hashes, overlap }),
        agreed: new Map(),
      };
      groups.set(groupKey(watch), group);
      return group;
    }

    async function tell(group: Group, subject: Subject, tip: EvmTip, since: ReturnType<typeof wall>): Promise<void> {
      const { hash, network, agreed = true } = subject.watch;
      const port = evmOf(ports, network);
      const rows = group.follower.rows(hash);
      const by = { port, agreed: group.agreed, oneWord: !agreed };
      const locks = rows.length === 0 ? [] : await pictureOf(hash, rows, tip, by);
      const text = textOf(locks);
      const now = performance.now();
      if (text === subject.last && now - subject.at < emptyEveryMs) return;
      if (!group.subjects.has(subject.id)) return;
      subject.last = text;
      subject.at = now;
      deliver(subject.id, { is: 'evm.seen', network, height: tip.height, time: tip.time, asked: since, locks });
    }

    function keepAll(group: Group): void {
      for (const subject of group.subjects.values()) {
        if (subject.kept) continue;
        const { network, htlc, hash, since } = subject.watch;
        store.atomically(() => store.evmLocks.watch({ network, htlc }, hash, since));
        subject.kept = true;
      }
    }

    /** A burst of swaps that end costs one commit. */
    function forgetAll(): void {
      for (const { watch, hashes, over } of groups.values()) {
        if (over.size === 0) continue;
        const { network, htlc } = watch;
        const hashesOver = [...over].filter(([name]) => !hashes.has(name));
        over.clear();
        try {
          store.atomically(() => {
            for (const [, hash] of hashesOver) store.evmLocks.unwatch({ network, htlc }, hash);
          });
        } catch (cause) {
          onFailure(null, cause); // rows that nobody reads
        }
      }
    }

    async function lookAt(group: Group): Promise<void> {
      const { network } = group.watch;
      const port = evmOf(ports, network);
      const pause = slices();
      keepAll(group);
      const since = wall();
      const tip = await port.tip();
      if (!(await group.follower.read(port, tip))) return;
      for (const subject of [...group.subjects.values()]) {
        try {
          await tell(group, subject, tip, since);
        } catch (cause) {
          onFailure(subject.id, cause);
        }
        await pause();
      }
    }

    async function look(): Promise<void> {
      forgetAll();
      await Promise.all(
        [...groups.values()]
          .filter(({ subjects }) => subjects.size > 0)
          .map((group) => lookAt(group).catch((cause: unknown) => onFailure(null, cause))),
      );
    }

    function soon(): void {
      looking ??= look().finally(() => {
        looking = null;
      });
    }

    return {
      add(id, watch) {
        const group = groupOf(watch);
        const { hash, coordinator, parties = [] } = watch;
        const entry = group.hashes.get(toHex(hash)) ?? { coordinators: [], parties: [], swaps: 0 };
        entry.coordinators.push(coordinator);
        entry.parties.push(...parties);
        entry.swaps += group.subjects.has(id) ? 0 : 1;
        group.hashes.set(toHex(hash), entry);
        group.subjects.set(id, { id, watch, kept: false, last: 'never', at: -Infinity });
      },
      remove(id, watch) {
        const group = groups.get(groupKey(watch));
        if (group === undefined) return;
        const { hash } = watch;
        const name = toHex(hash);
        const entry = group.hashes.get(name);
        if (entry === undefined || !group.subjects.delete(id)) return;
        entry.swaps -= 1;
        if (entry.swaps > 0) return;
        group.hashes.delete(name);
        group.over.set(name, hash);
      },
      start() {
        timer = setInterval(soon, pollMs);
      },
      async stop() {
        if (timer !== null) clearInterval(timer);
        await looking;
        forgetAll();
      },
    };
  },
};
