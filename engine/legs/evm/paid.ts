import { z } from 'zod';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { EvmReceipt, TokenTransfer } from './port.ts';
import { evmAddress } from './shape.ts';

/**
 * What a depositor gave for a lock, by the transaction that made it: smallest units of a token other than the one that
 * is locked.
 */
export type Paid = Readonly<z.infer<typeof paid>>;
export const paid = z.strictObject({
  token: evmAddress,
  /** What the coordinator took of it. */
  taken: z.bigint(),
  /** What it gave back in the same transaction, for the exchange did not need it. */
  returned: z.bigint(),
});

/**
 * Reads it from the logs of the token: what the coordinator took last before it made the lock, and what it gave back
 * before it took anything again. Other fundings of the same depositor may stand in the transaction. Null where the lock
 * holds what was given, and where the coordinator took nothing. Wrong: a record tells another price than the one that
 * was paid; nothing is given or claimed by it.
 */
export function paidFor(
  { events, transfers }: Pick<EvmReceipt, 'events' | 'transfers'>,
  { key, depositor }: { readonly key: Uint8Array; readonly depositor: EvmAddress },
): Paid | null {
  const made = events.find(({ what, key: other }) => what.is === 'created' && sameBytes(other, key));
  if (made?.what.is !== 'created') return null;
  const { token: locked, refundAddress: coordinator } = made.what.terms;
  const isTaken = ({ from, to }: TokenTransfer): boolean => sameBytes(from, depositor) && sameBytes(to, coordinator);
  const isReturned = ({ from, to }: TokenTransfer): boolean => sameBytes(from, coordinator) && sameBytes(to, depositor);
  const taken = transfers.findLast((one) => one.logIndex < made.logIndex && isTaken(one));
  if (taken === undefined || sameBytes(taken.token, locked)) return null;
  const { token, amount } = taken;
  const after = transfers.filter((one) => one.logIndex > made.logIndex && sameBytes(one.token, token));
  const next = after.find((one) => isTaken(one) || isReturned(one));
  return { token, taken: amount, returned: next !== undefined && isReturned(next) ? next.amount : 0n };
}
