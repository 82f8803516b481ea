import { toHex } from '../../../domain/hex.ts';
import type { EvmPort, LockEvent } from '../../../legs/evm/port.ts';
import { isWanted } from '../../../legs/evm/wanted-locks.ts';
import type { Htlc, LockEventRow, OtherLocks } from '../../../store/evm-locks.ts';
import type { Store } from '../../../store/store.ts';
import { createDepositors, isCreated } from './depositors.ts';
import type { Watched } from './watched-hashes.ts';

/**
 * What is kept of the events of watched hashes: locks that somebody wants and their ends, and of the others where they
 * were made.
 */
export function createLockKeeping({ store, of, watched }: { store: Store; of: Htlc; watched: Watched }) {
  const depositors = createDepositors();

  /** Of the locks whose ends count: those that were kept before, and those that are meant by their key alone. */
  function knownKeys(events: readonly LockEvent[]): Set<string> {
    const ends = events.filter((event) => !isCreated(event));
    const hashes = new Map(ends.map(({ preimageHash }) => [toHex(preimageHash), preimageHash]));
    return new Set(
      [...hashes.values()].flatMap((hash) => [
        ...store.evmLocks.of(of, hash).map(({ key }) => toHex(key)),
        ...watched.wantedOf(hash).flatMap(({ wanted }) => (wanted.are === 'one' ? [toHex(wanted.key)] : [])),
      ]),
    );
  }

  return {
    /** `from`: the first of their blocks. */
    async of(events: readonly LockEvent[], from: number, port: EvmPort) {
      const depositorOf = await depositors.of(port, events.filter(isCreated), {
        wanted: ({ preimageHash }) => watched.wantedOf(preimageHash).map(({ wanted }) => wanted),
        known: store.evmLocks.from(of, from),
        from,
      });
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
    },
  };
}
