import { PortFailure } from '../../../domain/errors.ts';
import type { EvmAddress } from '../../../domain/evm.ts';
import { toHex } from '../../../domain/hex.ts';
import type { EvmPort, LockEvent } from '../../../legs/evm/port.ts';
import { needsDepositor, type WantedLocks } from '../../../legs/evm/wanted-locks.ts';
import type { LockEventRow } from '../../../store/evm-locks.ts';

export type Created = LockEvent & { readonly what: { readonly is: 'created' } };
type Depositor = EvmAddress | 'nobody';

/** Questions that are asked at once: the RPCs are given them in batches. */
const atOnce = 256;

export function isCreated(event: LockEvent): event is Created {
  return event.what.is === 'created';
}

/** With the height, which an RPC may tell another one of than the block has: it says what is buried. */
function placeOf({ key, blockHash, height }: Pick<LockEvent, 'key' | 'blockHash' | 'height'>): string {
  return `${toHex(key)} ${blockHash} ${height}`;
}

/**
 * Whose the locks of some blocks are. Only of those that may be wanted is it asked, many at once, and of each until it
 * is known that it is somebody's or nobody's: a stranger's thousand locks keep no swap waiting (facts/faults.md 66).
 */
export function createDepositors() {
  /** Of locks that may be made yet by another block, and that leave no row. */
  const answers = new Map<string, { readonly depositor: Depositor; readonly height: number }>();

  async function ask(port: EvmPort, { what, key, height, blockHash }: Created): Promise<Depositor | null> {
    try {
      return await port.depositorIn({ height, hash: blockHash }, what.terms.refundAddress, key);
    } catch (cause) {
      // Who cannot say it now must not keep the rest from being read: it is asked again.
      if (!(cause instanceof PortFailure)) throw cause;
      return null;
    }
  }

  return {
    /** `known`: rows of these blocks that were kept before; `from`: the first of them. */
    of(
      port: EvmPort,
      created: readonly Created[],
      at: {
        readonly wanted: (lock: Created) => readonly WantedLocks[];
        readonly known: readonly LockEventRow[];
        readonly from: number;
      },
    ) {
      for (const [place, { height }] of answers) if (height < at.from) answers.delete(place);
      const rows = new Map(at.known.map((row) => [placeOf(row), row.depositor]));
      const questions = created.filter(
        (lock) =>
          at.wanted(lock).some((wanted) => needsDepositor(wanted, lock.what)) &&
          !answers.has(placeOf(lock)) &&
          (rows.get(placeOf(lock)) ?? null) === null,
      );
      return {
        /** Nothing is to be asked. */
        isKnown: questions.length === 0,
        async ask(): Promise<void> {
          for (let i = 0; i < questions.length; i += atOnce)
            await Promise.all(
              questions.slice(i, i + atOnce).map(async (lock) => {
                const depositor = await ask(port, lock);
                if (depositor !== null) answers.set(placeOf(lock), { depositor, height: lock.height });
              }),
            );
        },
        /** As far as it is known by now. */
        depositorOf: (lock: Created): LockEventRow['depositor'] =>
          rows.get(placeOf(lock)) ?? answers.get(placeOf(lock))?.depositor ?? null,
      };
    },
  };
}
