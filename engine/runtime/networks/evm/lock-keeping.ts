import { asSha256, sameBytes, type Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { EvmPort, LockEvent } from '../../../legs/evm/port.ts';
import { isWanted, needsDepositor } from '../../../legs/evm/wanted-locks.ts';
import { preimageMatches } from '../../../legs/secret.ts';
import type { Htlc, LockEventRow, OtherLocks } from '../../../store/evm-locks.ts';
import type { Store } from '../../../store/store.ts';
import { createDepositors, isCreated, type Created } from './depositors.ts';
import type { Watched } from './watched-hashes.ts';

/** A lock is known by its hash and its key: one RPC may tell of our key under another hash (facts/faults.md 356). */
function lockOf(hash: Uint8Array, key: Uint8Array): string {
  return `${toHex(hash)} ${toHex(key)}`;
}

/**
 * Ends that no contract told of: a claim whose preimage does not fit, or the end of a lock under another hash than the
 * lock's, or before it. Earlier builds took them from one RPC, in the place of the true ones (facts/faults.md 356).
 */
function falseEnds(rows: readonly LockEventRow[]): readonly LockEventRow[] {
  const made = Map.groupBy(
    rows.filter(({ event }) => event === 'created'),
    ({ key }) => toHex(key),
  );
  return rows.filter(({ event, hash, key, body, height, logIndex }) => {
    if (event === 'created') return false;
    if (event === 'redeemed' && preimageMatches(asSha256(hash), body as Uint8Array) === null) return true;
    const locks = made.get(toHex(key)) ?? [];
    const isBefore = (lock: LockEventRow): boolean =>
      lock.height < height || (lock.height === height && lock.logIndex < logIndex);
    return locks.length > 0 && !locks.some((lock) => sameBytes(lock.hash, hash) && isBefore(lock));
  });
}

/**
 * What is kept of the events of watched hashes: locks that somebody wants and their ends, and of the others where they
 * were made.
 */
export function createLockKeeping({ store, of, watched }: { store: Store; of: Htlc; watched: Watched }) {
  const depositors = createDepositors();

  const wantedOf = (hash: Sha256) => watched.wantedOf(hash).map(({ wanted }) => wanted);

  /** The locks whose ends count: those that were kept before, and those that are meant by their key alone. */
  function knownLocks(events: readonly LockEvent[]): Set<string> {
    const ends = events.filter((event) => !isCreated(event));
    const hashes = new Map(ends.map(({ preimageHash }) => [toHex(preimageHash), preimageHash]));
    return new Set(
      [...hashes.values()].flatMap((hash) => [
        ...store.evmLocks.of(of, hash).map(({ key }) => lockOf(hash, key)),
        ...wantedOf(hash).flatMap((wanted) => (wanted.are === 'one' ? [lockOf(hash, wanted.key)] : [])),
      ]),
    );
  }

  function keptOf(events: readonly LockEvent[], depositorOf: (lock: Created) => LockEventRow['depositor']) {
    const locks = knownLocks(events);
    const rows: LockEventRow[] = [];
    const others = new Map<string, OtherLocks & { heights: number[] }>();
    for (const event of events) {
      const { preimageHash: hash, key, height, logIndex, txid, blockHash, what } = event;
      const row = { hash, key, height, logIndex, txid, blockHash, event: what.is };
      if (!isCreated(event)) {
        if (locks.has(lockOf(hash, key)))
          rows.push({ ...row, body: what.is === 'redeemed' ? what.preimage : null, depositor: null });
        continue;
      }
      const { terms } = event.what;
      const depositor = depositorOf(event);
      const all = watched.wantedOf(hash);
      const wanting = all.filter(({ wanted }) => isWanted(wanted, { terms, key, depositor }));
      if (wanting.length > 0) {
        rows.push({ ...row, body: terms, depositor });
        locks.add(lockOf(hash, key));
      }
      for (const { name } of all.filter((one) => !wanting.includes(one))) {
        const id = `${toHex(hash)} ${name}`;
        const other = others.get(id) ?? { hash, wanted: name, heights: [] };
        other.heights.push(height);
        others.set(id, other);
      }
    }
    return { rows, others: [...others.values()] };
  }

  return {
    /** Once for each start, before the first blocks: blocks in which a false end was taken for true are read again. */
    mend(): void {
      const all = store.evmLocks.from(of, 0);
      const ends = falseEnds(all);
      if (ends.length === 0) return;
      // Where the lock itself was told above its true end, the end is true (facts/faults.md 374).
      const isOf = (row: LockEventRow, end: LockEventRow): boolean =>
        row.event === 'created' && sameBytes(row.key, end.key) && sameBytes(row.hash, end.hash);
      const locks = all.filter((row) => ends.some((end) => isOf(row, end)));
      store.atomically(() => store.evmLocks.readAgain(of, [...ends, ...locks]));
    },
    /** Whether an event may be one that somebody wants to hear of, by these and by what was kept before. */
    meant(events: readonly LockEvent[]): (event: LockEvent) => boolean {
      const isMade = ({ preimageHash, key, what }: Created): boolean =>
        wantedOf(preimageHash).some((wanted) =>
          wanted.are === 'one' ? sameBytes(wanted.key, key) : needsDepositor(wanted, what),
        );
      const locks = knownLocks(events);
      for (const event of events)
        if (isCreated(event) && isMade(event)) locks.add(lockOf(event.preimageHash, event.key));
      return ({ preimageHash, key }) => locks.has(lockOf(preimageHash, key));
    },
    /**
     * `from`: the first of their blocks. `early`: what is kept by what is known without asking whose a lock is; null
     * where nothing needs to be asked.
     */
    of(events: readonly LockEvent[], from: number, port: EvmPort) {
      const asking = depositors.of(port, events.filter(isCreated), {
        wanted: ({ preimageHash }) => wantedOf(preimageHash),
        known: store.evmLocks.from(of, from),
        from,
      });
      return {
        early: asking.isKnown ? null : keptOf(events, asking.depositorOf).rows,
        async whole() {
          await asking.ask();
          return keptOf(events, asking.depositorOf);
        },
      };
    },
  };
}
