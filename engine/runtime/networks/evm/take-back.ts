import type { Txid } from '../../../domain/outpoint.ts';
import type { SwapStatus } from '../../../domain/status.ts';
import { lockedBy } from '../../../legs/evm/calls.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { ifKnown } from '../if-known.ts';
import { cappedAt, ceilingOf, dearer, mostBudget, raised } from './gas.ts';
import type { Look } from './look.ts';
import { nothing } from './nothing.ts';
import { savingOf } from './prepare.ts';
import { insteadOf, nothingGas, waitingFor, type Queue } from './replace.ts';
import { isPast, readTransaction, type Variants } from './variants.ts';

/*
 * A lock of ours that was handed out and is in no block when its timelock is over is taken back by using its nonce for
 * nothing, as one in a block is by its refund, and as early.
 *
 * Loses money when wrong: mined once the client has its own leg again, the lock is claimed by it for nothing
 * (facts/faults.md 329).
 */

/** Of a swap whose client claimed our lock in a block, and has not its own leg back as well. */
const claimed: ReadonlySet<SwapStatus> = new Set<SwapStatus>(['clientredeemed', 'serverredeemed']);

/**
 * Whether nobody is to mine it any more. Where its claim was in a block that went away it is the client's, and what
 * that gave is ours: its swap says so. A secret that its client gave us for a relay alone says nothing (facts/faults.md
 * 345).
 */
export function isOverdue(
  row: NonceRow,
  latest: TransactionRow | null,
  look: Pick<Look, 'now' | 'tip'>,
  store: Pick<Store, 'transactions' | 'swaps'>,
): boolean {
  if (latest?.purpose !== 'lock' || !isPast(row, look)) return false;
  const bytes = store.transactions.bytes(latest.txid);
  const lock = bytes === null ? null : lockedBy(readTransaction(bytes));
  if (lock === null || Math.max(look.now, look.tip.time) < lock.timelock) return false;
  const status = store.swaps.statusOf(row.subject);
  return status === null || !claimed.has(status);
}

/**
 * Puts nothing in the place of each such lock, at more than that offered. Answers those that stay without it for now,
 * and are not sent again all the same.
 */
export async function takeLocksBack(
  rows: readonly NonceRow[],
  variants: (row: NonceRow) => Variants,
  look: Look,
  queue: Queue,
): Promise<ReadonlySet<Txid>> {
  const { store, rules } = queue;
  const overdue = rows.flatMap((row) => {
    const { latest } = variants(row);
    return latest !== null && isOverdue(row, latest, look, store) ? [{ row, latest }] : [];
  });
  if (overdue.length === 0) return new Set();
  const wanted = await ifKnown(() => look.port.gasFees());
  for (const { row, latest } of overdue) {
    const bytes = store.transactions.bytes(latest.txid);
    if (wanted === null || bytes === null) continue;
    const savings = waitingFor(row, rows).behind.map((each) => savingOf(each, queue));
    const ceiling = ceilingOf(mostBudget(savings, look.now, rules), nothingGas, rules);
    const fees = dearer(cappedAt(wanted, ceiling), raised(readTransaction(bytes).fees));
    const variant = { ...nothing(look), nonce: row.nonce, gas: nothingGas, fees };
    await ifKnown(() => insteadOf(latest, { row, purpose: 'cancel', variant }, look, queue));
  }
  return new Set(overdue.map(({ latest }) => latest.txid));
}
