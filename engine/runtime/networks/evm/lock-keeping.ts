import { sameBytes, type Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { EvmPort, LockEvent } from '../../../legs/evm/port.ts';
import { isWanted, needsDepositor } from '../../../legs/evm/wanted-locks.ts';
import type { Htlc, LockEventRow, OtherLocks } from '../../../store/evm-locks.ts';
import type { Store } from '../../../store/store.ts';
import { createDepositors, isCreated, type Created } from './depositors.ts';
import type { Watched } from './watched-hashes.ts';

/**
 * What is kept of the events of watched hashes: locks that somebody wants and their ends, and of the others where they
 * were made.
 */
export function createLockKeeping({ store, of, watched }: { store: Store; of: Htlc; watched: Watched }) {
  const depositors = createDepositors();

  const wantedOf = (hash: Sha256) => watched.wantedOf(hash).map(({ wanted }) => wanted);

  /** Of the locks whose ends count: those that were kept before, and those that are meant by their key alone. */
  function knownKeys(events: readonly LockEvent[]): Set<string> {
    const ends = events.filter((event) => !isCreated(event));
    const hashes = new Map(ends.map(({ preimageHash }) => [toHex(preimageHash), preimageHash]));
    return new Set(
      [...hashes.values()].flatMap((hash) => [
        ...store.evmLocks.of(of, hash).map(({ key }) => toHex(key)),
        ...wantedOf(hash).flatMap((wanted) => (wanted.are === 'one' ? [toHex(wanted.key)] : [])),
      ]),
    );
  }

  function keptOf(events: readonly LockEvent[], depositorOf: (lock: Created) => LockEventRow['depositor']) {
    const keys = knownKeys(events);
    const rows: LockEventRow[] = [];
    const others = new Map<string, OtherLocks & { heights: number[] }>();
    for (const event of events) {
      const { preimageHash: hash, key, height, logIndex, txid, blockHash, what } = event;
      const row = { hash, key, height, logIndex, txid, blockHash, event: what.is };
      if (!isCreated(event)) {
        if (keys.has(toHex(key)))
          rows.push({ ...row, body: what.is === 'redeemed' ? what.preimage : null, depositor: null });
        continue;
      }
      const { terms } = event.what;
      const depositor = depositorOf(event);
      const all = watched.wantedOf(hash);
      const wanting = all.filter(({ wanted }) => isWanted(wanted, { terms, key, depositor }));
      if (wanting.length > 0) {
        rows.push({ ...row, body: terms, depositor });
        keys.add(toHex(key));
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
    /** Whether an event may be one that somebody wants to hear of, by these and by what was kept before. */
    meant(events: readonly LockEvent[]): (event: LockEvent) => boolean {
      const isMade = ({ preimageHash, key, what }: Created): boolean =>
        wantedOf(preimageHash).some((wanted) =>
          wanted.are === 'one' ? sameBytes(wanted.key, key) : needsDepositor(wanted, what),
        );
      const keys = knownKeys(events);
      for (const event of events) if (isCreated(event) && isMade(event)) keys.add(toHex(event.key));
      return ({ key }) => keys.has(toHex(key));
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
