import { btcOn, less, plus, type Sats } from '../../../domain/money.ts';
import { sameOutpoint, type Txid } from '../../../domain/outpoint.ts';
import type { Unix } from '../../../domain/time.ts';
import type { OnchainPurpose } from '../../../legs/onchain/effects.ts';
import type { BroadcastAnswer } from '../../../legs/onchain/port.ts';
import { paidOut, readRawTx } from '../../../legs/raw-tx.ts';
import { highestRate } from '../../../quote/ceilings.ts';
import type { EffectRow } from '../../../store/effects.ts';
import type { Store } from '../../../store/store.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import { latestOf } from '../latest.ts';
import { carriesFunding, unlessTaken } from '../reserved.ts';
import type { OnchainContext } from './context.ts';
import { believedRate } from './fee-rate.ts';
import { betterRate, urgencyOf, worthRaising } from './fee-urgency.ts';
import { carriedBy, type Paying } from './makers.ts';
import { noteFee, rateText } from './note.ts';
import { noteSpent } from './outlay.ts';

export type CpfpEffect = EffectOf<'onchain.broadcast'> & Required<Pick<EffectOf<'onchain.broadcast'>, 'push'>>;

/** A transaction of a leg that may be mined still. */
export interface PendingTx {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
  /** When it was signed, by the wall. */
  readonly since: number;
}

/** The last one of a purpose, which the others of it were replaced by; or one of them that carries a funding. */
export function pendingTx(
  { subject, leg }: EffectRow,
  purpose: OnchainPurpose,
  store: Pick<Store, 'transactions'>,
): PendingTx | null {
  const rows = store.transactions
    .of(subject, leg)
    .filter((row) => row.purpose === purpose && (row.state === 'prepared' || row.state === 'accepted'));
  const last = rows.find(({ txid }) => carriesFunding(txid, store)) ?? latestOf(rows);
  const bytes = last === undefined ? null : store.transactions.bytes(last.txid);
  return last === undefined || bytes === null ? null : { txid: last.txid, bytes, since: last.createdAt };
}

/** Sends a transaction, together with the child that pays for it where there is one. */
export async function sendWithChild(bytes: Uint8Array, context: OnchainContext): Promise<BroadcastAnswer> {
  const { ports, store, row, clock } = context;
  const bitcoin = bitcoinOf(ports);
  const child = pendingTx(row, 'push', store);
  if (child === null) return bitcoin.broadcast(bytes);
  const answers = await bitcoin.broadcastPackage(bytes, child.bytes);
  if (answers.child.is === 'accepted') store.transactions.accepted(child.txid, child.bytes, clock.now().wall);
  return answers.parent;
}

/**
 * Prepares, saves and sends a child of the change once parent and child together pay too little, with what they hang on
 * (facts/faults.md 206). It replaces the child before; the parent is never replaced, for a client may have built on it
 * already (facts/onchain.md 4).
 */
export async function bumpByChild(
  effect: CpfpEffect,
  parentBytes: Uint8Array,
  {
    sent,
    waits,
    ownerAsks,
    now,
    due,
  }: { sent: BroadcastAnswer; waits: boolean; ownerAsks: boolean; now: number; due: Unix | undefined },
  context: OnchainContext,
): Promise<void> {
  const { ports, store, clock, row } = context;
  const { change, mostFee } = effect.push;
  const tx = readRawTx(parentBytes);
  if (tx === null) throw new Error(`${effect.txid} is no transaction`);
  const child = pendingTx(row, 'push', store);
  // Spent by another funding of ours, whose child pays for both, since a reorganisation took this one back
  // (facts/faults.md 196, 205).
  const isSpent =
    child === null
      ? store.transactions.reservedCoins().some((one) => sameOutpoint(one, change.outpoint))
      : carriesFunding(child.txid, store);
  if (isSpent) return;
  const before = child === null ? null : feeOf(child, change.amount);
  const own = { fee: less(effect.amount, paidOut(tx)), size: tx.vsize };
  const more = child === null ? 0 : (readRawTx(child.bytes)?.vsize ?? 0);
  const rateOf = ({ fee, size }: Paying): number => Number(fee + (before ?? 0n)) / (size + more);
  const { within, late } = urgencyOf(due, now);
  const wanted = await believedRate(bitcoinOf(ports), { within, doubtAbove: rateOf(own) * worthRaising, late });
  const carried = await carriedBy(tx.inputs, wanted, context);
  const parent = { fee: plus(own.fee, carried.fee), size: own.size + carried.size };
  const rate = rateOf(parent);
  const better = betterRate({ rate, capped: false }, wanted, {
    sent,
    waits,
    ownerAsks,
    late,
    mayRaise: true,
    rival: null,
  });
  if (better === null || better.rate <= rate) return;
  const made = await bitcoinWalletOf(ports).prepareCpfp({
    change,
    parent,
    rate: Math.min(highestRate, better.rate),
    mostFee,
    replaces: before,
  });
  if (made === null || made.rate <= rate) return;
  const note = noteFee(
    context,
    `funding pushed to ${rateText(made.rate)} by a child for ${made.fee} ` +
      `sats${made.capped ? ', the most that it may cost' : ''}: ${better.reason}`,
  );
  const time = clock.now().wall;
  const save = (): void => {
    store.transactions.insert(
      {
        ...btcOn('bitcoin'),
        txid: made.txid,
        subject: row.subject,
        leg: 'bitcoin',
        purpose: 'push',
        bytes: made.bytes,
        // Every child spends the same coin, which stays promised to the first.
        inputs: child === null ? [change.outpoint] : [],
        replaces: child?.txid ?? null,
        makers: [{ txid: effect.txid, bytes: parentBytes }],
      },
      time,
    );
    note(store, time);
    noteSpent('push', made.fee, context)(store, time);
  };
  unlessTaken(() => store.atomically(save), 'its change was promised to another payment, whose child pays for both');
  await sendWithChild(parentBytes, context);
}

/** What a child of the change pays. */
function feeOf({ bytes, txid }: PendingTx, change: Sats): Sats {
  const tx = readRawTx(bytes);
  if (tx === null) throw new Error(`${txid} is no transaction`);
  return less(change, paidOut(tx));
}
