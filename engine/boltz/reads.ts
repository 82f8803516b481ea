import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import type { DoorContext } from './context.ts';
import { sidesOf, type ArkLock, type BtcLock } from './sides.ts';
import { statusOf, type Status } from './status.ts';
import { findSwap, type DoorSwap } from './swap.ts';
import { noteRead } from './to-sign.ts';

/** GET swap/{id}. */
export async function readStatus(door: DoorContext, id: string): Promise<Status | Refusal> {
  const swap = findSwap(door, id);
  return isRefusal(swap) ? swap : ((await statusRead(door, swap)) ?? notNow);
}

async function statusRead(door: DoorContext, swap: DoorSwap): Promise<Status | null> {
  const status = await statusOf(door, swap);
  noteRead(door, swap, status?.status);
  return status;
}

const notNow = refuse('unavailable', 'The Bitcoin chain cannot be read now: try again in a moment.');

/** Ids that one request may name. */
const mostIds = 64;
/** Digits of transactions in one answer: two of the largest that nodes hand on (facts/faults.md 186). */
const mostDigits = 1_600_000;

/** GET swap/status?ids=…: the status of each. */
export async function readStatuses(
  door: DoorContext,
  ids: readonly string[],
): Promise<Readonly<Record<string, Status>> | Refusal> {
  if (ids.length === 0 || ids.length > mostIds)
    return refuse('invalid', `ids: it takes 1 to ${mostIds} ids, and there are ${ids.length}`);
  const statuses: [string, Status][] = [];
  let digits = 0;
  for (const id of ids) {
    const swap = findSwap(door, id);
    if (isRefusal(swap)) return swap;
    const status = await statusRead(door, swap);
    if (status === null) return notNow;
    digits += status.transaction?.hex?.length ?? 0;
    if (digits > mostDigits)
      return refuse('invalid', `ids: one answer holds ${mostDigits} digits of transactions; name fewer ids at once`);
    statuses.push([id, status]);
  }
  return Object.fromEntries(statuses);
}

const paid: ReadonlySet<string> = new Set(['clientredeemed', 'serverredeemed', 'clientredeemedandclientrefunded']);

/** GET swap/submarine/{id}/preimage: what the payment of the invoice showed. */
export function readPreimage(door: DoorContext, id: string): { readonly preimage: string } | Refusal {
  const swap = findSwap(door, id, 'submarine');
  if (isRefusal(swap)) return swap;
  const { store } = door.context.runtime;
  const preimage = paid.has(swap.entry.row.status) ? store.preimages.find(hash160OfSha256(sidesOf(swap).hash)) : null;
  return preimage === null
    ? refuse('not-found', 'the preimage of this swap is not known yet')
    : { preimage: toHex(preimage) };
}

const noLock = 'this swap has no lock yet';
/** Clients read 404 as not yet of our lock, and 400 of their own. */
const nothingYet = { submarine: refuse('forbidden', noLock), reverse: refuse('not-found', noLock) } as const;

/** GET swap/submarine/{id}/transaction and swap/reverse/{id}/transaction: the client's lock, or ours. */
export async function readLock(door: DoorContext, kind: 'submarine' | 'reverse', id: string) {
  const swap = findSwap(door, id, kind);
  if (isRefusal(swap)) return swap;
  const { source, target } = sidesOf(swap);
  const lock = kind === 'submarine' ? source : target;
  const transaction = lock === null ? null : await fundingOf(door, lock);
  return lock === null || transaction === null
    ? nothingYet[kind]
    : { ...transaction, timeoutBlockHeight: Number(lock.timeout) };
}

/** GET swap/chain/{id}/transactions: both locks, as far as they are seen. */
export async function readLocks(door: DoorContext, id: string) {
  const swap = findSwap(door, id, 'chain');
  if (isRefusal(swap)) return swap;
  const { source, target } = sidesOf(swap);
  const userLock = source === null ? null : await timedFunding(door, source);
  const serverLock = target === null ? null : await timedFunding(door, target);
  return { ...(userLock === null ? {} : { userLock }), ...(serverLock === null ? {} : { serverLock }) };
}

async function timedFunding(door: DoorContext, lock: ArkLock | BtcLock) {
  const transaction = await fundingOf(door, lock);
  return transaction === null ? null : { transaction, timeout: { blockHeight: Number(lock.timeout) } };
}

/** With its bytes where it is one of the Bitcoin chain; null while there is none, or nobody shows it. */
async function fundingOf(
  { raws }: DoorContext,
  { on, fundTxid }: ArkLock | BtcLock,
): Promise<{ readonly id: string; readonly hex?: string } | null> {
  if (fundTxid === null) return null;
  if (on === 'ARK') return { id: fundTxid };
  const hex = await raws.of(fundTxid);
  return hex === null ? null : { id: fundTxid, hex };
}
