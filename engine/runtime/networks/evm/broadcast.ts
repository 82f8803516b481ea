import type { Txid } from '../../../domain/outpoint.ts';
import type { EvmBroadcast } from '../../../legs/evm/port.ts';
import type { Store } from '../../../store/store.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { ifKnown } from '../if-known.ts';
import type { Look } from './lane.ts';

/** What was made of the last sending of a transaction: when, and at which height it was sent first. */
export interface Sending {
  readonly at: number;
  readonly since: number;
  readonly answer: EvmBroadcast;
}

export type Sendings = Map<Txid, Sending>;

/** Sent at once; the nodes put them in order. */
const atOnce = 32;
/** Sent again after so many seconds, for a node may have dropped it. */
const againAfter = 20;

/**
 * Sends what waits, given in the order of its nonces, and again now and then. That it may be out there is on the disk first: what was ever
 * handed to anybody is never taken for unsent.
 */
export async function broadcastAll(
  waiting: readonly TransactionRow[],
  look: Look,
  { store, sendings }: { readonly store: Store; readonly sendings: Sendings },
): Promise<void> {
  const due = waiting.filter(({ txid }) => look.wall - (sendings.get(txid)?.at ?? 0) >= againAfter);
  const bytes = new Map(due.map(({ txid }) => [txid, store.transactions.bytes(txid)]));
  const fresh = due.filter(({ state }) => state === 'prepared');
  if (fresh.length > 0)
    store.atomically(() => {
      for (const { txid } of fresh) store.transactions.sent(txid, look.wall);
    });
  const forget = new Set(sendings.keys());
  for (const { txid } of waiting) forget.delete(txid);
  for (const txid of forget) sendings.delete(txid);

  async function one({ txid }: TransactionRow): Promise<void> {
    const signed = bytes.get(txid) ?? null;
    if (signed === null) return;
    const answer = await ifKnown(() => look.port.broadcast(signed));
    if (answer !== null)
      sendings.set(txid, { at: look.wall, since: sendings.get(txid)?.since ?? look.tip.height, answer });
  }

  for (let i = 0; i < due.length; i += atOnce) await Promise.all(due.slice(i, i + atOnce).map(one));
}
