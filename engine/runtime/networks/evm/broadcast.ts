import type { Txid } from '../../../domain/outpoint.ts';
import { hasPassed } from '../../../domain/time.ts';
import type { EvmBroadcast } from '../../../legs/evm/port.ts';
import type { Store } from '../../../store/store.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { atOnce } from '../../at-once.ts';
import { ifKnown } from '../if-known.ts';
import type { Look } from './look.ts';
import type { SentMemory } from '../sent-memory.ts';
import { isFirstShown } from './variants.ts';

/** What was made of the last sending of a transaction: when, and at which height it was sent first. */
interface Sending {
  readonly at: number;
  readonly since: number;
  readonly answer: EvmBroadcast;
}

export type Sendings = Map<Txid, Sending>;

/** Sent at once, one taking another's place as soon as it is answered; the nodes put them in order. */
const most = 64;
/** Noted as sent in one commit. */
const together = 256;
/** Sent again after so many seconds, for a node may have dropped it. */
const againAfter = 20;

interface Queue {
  readonly store: Store;
  readonly sendings: Sendings;
  readonly taken: SentMemory;
}

/** What waits, given in the order of its nonces, and was not sent for a while. */
export function dueAgain(
  waiting: readonly TransactionRow[],
  look: Look,
  { sendings, taken }: Pick<Queue, 'sendings' | 'taken'>,
): readonly TransactionRow[] {
  const forget = new Set(sendings.keys());
  for (const { txid } of waiting) forget.delete(txid);
  for (const txid of forget) {
    sendings.delete(txid);
    taken.forget(txid);
  }
  return waiting.filter(({ txid }) => hasPassed(againAfter, sendings.get(txid)?.at ?? 0, look.wall));
}

/**
 * Sends what is given, in the order of its nonces. That it may be out there is on the disk first, and so is that it
 * shows our secret: what was ever handed to anybody is never taken for unsent. A claim of what is ours already waits
 * for no disk (facts/faults.md 3): taken for unsent it is sent again.
 */
export async function broadcastAll(
  due: readonly TransactionRow[],
  look: Look,
  { store, sendings, taken }: Queue,
): Promise<void> {
  async function one({ txid }: TransactionRow): Promise<void> {
    const signed = store.transactions.bytes(txid);
    if (signed === null) return;
    const answer = await ifKnown(() => look.port.broadcast(signed));
    if (answer === null) return;
    sendings.set(txid, { at: look.wall, since: sendings.get(txid)?.since ?? look.tip.height, answer });
    if (answer.is === 'accepted') taken.add(txid);
  }

  function note(fresh: readonly TransactionRow[]): void {
    for (const row of fresh) if (isFirstShown(row, store)) store.intents.note('payment', row.subject, null);
    if (fresh.length > 0)
      store.atomically(() => {
        for (const { txid } of fresh) store.transactions.sent(txid, look.wall);
      });
  }

  for (let i = 0; i < due.length; i += together) {
    const some = due.slice(i, i + together);
    try {
      note(some.filter(({ state }) => state === 'prepared'));
    } catch (cause) {
      await atOnce(most, some.filter(waitsForNoDisk), one);
      throw cause;
    }
    await atOnce(most, some, one);
  }
}

/** What was sent before, and a claim. */
export function waitsForNoDisk({ state, purpose }: TransactionRow): boolean {
  return state === 'accepted' || purpose === 'claim';
}
