import { PortFailure } from '../../../domain/errors.ts';
import { asSha256, sameBytes, type Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import type { LockTerms } from '../../../legs/evm/swap-key.ts';
import { isBy, type WantedLocks } from '../../../legs/evm/wanted-locks.ts';
import { asEvmAddress } from '../../../domain/evm.ts';
import type { Htlc, LockEventRow } from '../../../store/evm-locks.ts';
import type { Store } from '../../../store/store.ts';
import { atOnce } from '../../at-once.ts';
import type { Watched } from './watched-hashes.ts';

/** Hashes whose locks are asked about at once: an RPC is asked about them in one batch. */
const most = 32;

/** Hashes in hex of locks whose end may lie where too few RPCs keep the logs, each with the first block behind that. */
export type Gaps = ReadonlyMap<string, number>;

/**
 * Blocks whose logs too few RPCs keep that answer, after the node was away for long. A lock that stands now did
 * not end there; of any other it is unknown how it ended, until an RPC is named that has the logs. What is owed keeps
 * the cursor on the disk where it is.
 *
 * Loses money when wrong: the claim of our lock, and with it the preimage, lies there (facts/faults.md 228).
 */
export function createGapLooks({ store, of, watched }: { store: Store; of: Htlc; watched: Watched }) {
  let gaps: Gaps = new Map();
  /** Locks that stood after a gap, by their keys, with the first block behind it: from there on they are read. */
  let standing = new Map<string, number>();

  /** Whether everything that matters of the hash is read, or shows in the contract. */
  async function isSure(port: EvmPort, hash: Sha256, first: number, rows: readonly LockEventRow[]): Promise<boolean> {
    const events = [...store.evmLocks.of(of, hash), ...rows.filter((row) => toHex(row.hash) === toHex(hash))];
    const ended = new Set(events.filter(({ event }) => event !== 'created').map(({ key }) => toHex(key)));
    const made = new Map(events.filter(({ event }) => event === 'created').map((row) => [toHex(row.key), row.body]));
    const isThere = (wanted: WantedLocks): boolean => {
      if (wanted.are === 'one') return made.has(toHex(wanted.key)) || ended.has(toHex(wanted.key));
      // A client's lock for us costs nothing unseen; ours may have been made there.
      if (sameBytes(wanted.lock.claimAddress, port.account())) return true;
      return events.some(({ event, depositor }) => event === 'created' && isBy({ depositor }, wanted.by));
    };
    if (!watched.wantedOf(hash).every(({ wanted }) => isThere(wanted))) return false;
    for (const [key, terms] of made) {
      if (ended.has(key) || (standing.get(key) ?? -1) >= first) continue;
      if (!(await port.isActive(asEvmAddress(of.htlc), terms as LockTerms, { agreed: true }))) return false;
      standing.set(key, first);
    }
    return true;
  }

  return {
    last: (): Gaps => gaps,
    /** `first`: the first block that enough RPCs tell of what is not read yet; null where it is all of it. */
    async look(port: EvmPort, first: number | null, rows: readonly LockEventRow[]): Promise<Gaps> {
      if (first === null) {
        standing = new Map();
        return (gaps = new Map());
      }
      const next = new Map<string, number>();
      const hashes = store.evmLocks.watchedBefore(of, first).map(asSha256);
      await atOnce(
        most,
        hashes.filter((hash) => watched.wantedOf(hash).length > 0),
        async (hash) => {
          const sure = await isSure(port, hash, first, rows).catch((cause: unknown) => {
            if (!(cause instanceof PortFailure)) throw cause;
            return false;
          });
          if (!sure) next.set(toHex(hash), first);
        },
      );
      return (gaps = next);
    },
  };
}
