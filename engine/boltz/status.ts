import { greater, noSats, type Sats } from '../domain/money.ts';
import { locktimePassed } from '../legs/timelocks.ts';
import { isAmended, isQuotable } from '../service/refund/amend.ts';
import type { DoorContext } from './context.ts';
import { sidesOf, type ArkLock, type BtcLock, type Sides } from './sides.ts';
import type { DoorSwap } from './swap.ts';
import { isToSign } from './to-sign.ts';
import { wordOf, type Word } from './words.ts';

/** What a client is told of its swap; what there is nothing of is left out. */
export interface Status {
  readonly status: Word;
  /** Nothing is given for a coin that is in no block, and clients say so to their user. */
  readonly zeroConfRejected?: true;
  readonly failureReason?: string;
  readonly failureDetails?: { readonly expected: number; readonly actual: number };
  readonly transaction?: ShownTransaction;
}

/** `hex` is always there for one of the Bitcoin chain: some clients read no other. */
interface ShownTransaction {
  readonly id: string;
  readonly hex?: string;
  readonly confirmed?: boolean;
}

/** Why a swap failed, in the words that its client shows. */
const reasons: Partial<Readonly<Record<Word, string>>> = {
  'swap.expired': 'The swap expired, or its lockup cannot be used: any lockup can be refunded.',
  'invoice.failedToPay': 'The invoice could not be paid.',
  'transaction.lockupFailed': 'What was locked is not the amount of the swap.',
  'transaction.failed': 'Nothing was locked for this swap, and its payment is given back.',
  'transaction.refunded': 'The lockup of this swap was not claimed in time, and was refunded.',
};

/** Null while what its client needs of it cannot be read: it asks again, and would stop at half of it. */
export async function statusOf(door: DoorContext, swap: DoorSwap): Promise<Status | null> {
  const sides = sidesOf(swap);
  const status = statusNow(door, swap, sides);
  const reason = reasons[status];
  const transaction = await transactionOf(door, status, sides);
  if (transaction === 'unread' && actedUpon.has(status)) return null;
  return {
    status,
    ...(status === 'transaction.mempool' && sides.source !== null && !isSure(sides.source)
      ? { zeroConfRejected: true }
      : {}),
    ...(reason === undefined ? {} : { failureReason: reason }),
    ...(status === 'transaction.lockupFailed' ? { failureDetails: amountsOf(sides) } : {}),
    ...(transaction === null || transaction === 'unread' ? {} : { transaction }),
  };
}

/** What the status says, and what of it depends on blocks and the clock. */
export function statusNow(door: DoorContext, swap: DoorSwap, sides: Sides): Word {
  const { context } = door;
  const { source, target } = sides;
  const { pair, entry } = swap;
  const word = wordOf(pair, entry.row.status);
  switch (word) {
    // What was locked is there, and was never the amount that was asked for.
    case 'swap.created':
      return pair.kind === 'chain' && isAmended(entry) ? 'transaction.mempool' : word;
    case 'invoice.set':
      return entry.row.progress.at === 'unnamed' ? 'swap.created' : word;
    // Its client's alone from its timeout on, as a swap that expired; what was quoted for it has less time than that.
    case 'transaction.lockupFailed':
      if (pair.kind === 'chain') return isQuotable(context, entry) ? word : 'swap.expired';
      return source !== null && locktimePassed(source.timeout, context.runtime.clock.now().bitcoin)
        ? 'swap.expired'
        : word;
    case 'invoice.paid':
    case 'transaction.server.confirmed':
      return isToSign(door, swap, sides) ? 'transaction.claim.pending' : word;
    case 'transaction.server.mempool':
      return isSure(target) ? 'transaction.server.confirmed' : word;
    case 'transaction.mempool':
      return pair.kind === 'reverse' && isSure(target) ? 'transaction.confirmed' : word;
    default:
      return word;
  }
}

/** A coin of Arkade is as sure as it gets once its operator has made it final. */
function isSure(lock: ArkLock | BtcLock | null): boolean {
  return lock !== null && (lock.on === 'ARK' || lock.confirmed);
}

/** Of the largest coin, for one alone is quoted; on the Bitcoin chain of those in a block, where there are any. */
function amountsOf({ source, besides }: Sides): { expected: number; actual: number } {
  const lying = besides.filter(({ spent }) => !spent);
  const mined = lying.filter((coin) => coin.mined === true);
  const coins = mined.length === 0 ? lying : mined;
  const actual = coins.reduce<Sats>((most, { amount }) => greater(most, amount), noSats);
  return { expected: Number(source?.amount ?? noSats), actual: Number(actual) };
}

/** Of these our own lock is what its client has to see. */
const aboutOurs: ReadonlySet<Word> = new Set<Word>([
  'transaction.server.mempool',
  'transaction.server.confirmed',
  'invoice.settled',
  'transaction.refunded',
]);

/** On these a client spends what the transaction paid. */
const actedUpon: ReadonlySet<Word> = new Set<Word>([
  'transaction.mempool',
  'transaction.confirmed',
  'transaction.server.mempool',
  'transaction.server.confirmed',
]);

/** The transaction that a status is about; null while there is none, `unread` while nobody shows what it needs. */
async function transactionOf(
  door: DoorContext,
  status: Word,
  { source, target }: Sides,
): Promise<ShownTransaction | null | 'unread'> {
  if (source === null || aboutOurs.has(status)) return target === null ? null : shownLock(door, target);
  // The last word of a swap names what its client waits for: its own claim, or else ours.
  if (status === 'transaction.claimed') return takenBy(target ?? source);
  return shownLock(door, source);
}

function shownLock(door: DoorContext, lock: ArkLock | BtcLock) {
  return lock.on === 'ARK' ? arkLockOf(lock) : lockOf(door, lock);
}

function takenBy({ takeTxid, fundTxid }: ArkLock | BtcLock): ShownTransaction | null {
  const id = takeTxid ?? fundTxid;
  return id === null ? null : { id };
}

function arkLockOf({ fundTxid }: ArkLock): ShownTransaction | null {
  return fundTxid === null ? null : { id: fundTxid };
}

async function lockOf({ raws }: DoorContext, lock: BtcLock): Promise<ShownTransaction | null | 'unread'> {
  const { fundTxid: id, confirmed } = lock;
  if (id === null) return null;
  const hex = await raws.of(id);
  return hex === null ? 'unread' : { id, hex, confirmed };
}
