import { nativeCoin } from '../../../domain/evm.ts';
import type { GasFees } from '../../../legs/evm/port.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import type { Log } from '../../log.ts';
import type { Sendings } from './broadcast.ts';
import { budgetOf, cappedAt, ceilingOf, dearer, doubled, mostBudget, own, priceOf, raised, stageOf } from './gas.ts';
import type { Look } from './look.ts';
import { nothing } from './nothing.ts';
import { noteVariant } from './outlay.ts';
import { insertVariant, savingOf } from './prepare.ts';
import type { EvmRules } from './rules.ts';
import type { SentMemory } from '../sent-memory.ts';
import type { UnpaidCosts } from '../../unpaid.ts';
import { readTransaction, variantsOf } from './variants.ts';
import type { EvmTransaction } from '../../../legs/evm/port.ts';

/** Blocks that a transaction waits before its price is looked at, and before it is raised though the price is right. */
const patience = { blocks: 3, stuck: 12 } as const;

/**
 * A transaction that waits, with what hurries it: its own deadline and value, and those of everything that waits behind
 * it.
 */
export interface Waiting {
  readonly row: NonceRow;
  readonly behind: readonly NonceRow[];
}

export interface Queue {
  readonly store: Store;
  readonly sendings: Sendings;
  readonly taken: SentMemory;
  readonly rules: EvmRules;
  readonly unpaid: UnpaidCosts;
  readonly log: Log;
}

/** Only what is next in line holds anything up; a few of them, so that one block may take them all. */
const heads = 16;

/** What waited for long enough at the head of the line, or was refused for its price. */
export function underpriced(rows: readonly NonceRow[], { tip, nonces }: Look, sendings: Sendings): readonly Waiting[] {
  const refused = [...sendings.values()].some(({ answer }) => answer.is === 'underpriced');
  const old = [...sendings.values()].some(({ since }) => tip.height - since >= patience.blocks);
  if (!refused && !old) return [];
  return rows.filter(({ nonce }) => nonce < nonces.mined + heads).map((row) => waitingFor(row, rows));
}

export function waitingFor(row: NonceRow, rows: readonly NonceRow[]): Waiting {
  return { row, behind: rows.filter(({ nonce }) => nonce >= row.nonce) };
}

/**
 * Signs a dearer variant with the same nonce where the price of the old one would miss a deadline, its own or that of
 * one behind it: a stuck one would hold them up for ever (facts/faults.md 33). Never above what is saved by all that
 * waits for it.
 */
export async function replace(all: readonly Waiting[], look: Look, queue: Queue): Promise<void> {
  if (all.length === 0) return;
  const wanted = await look.port.gasFees();
  for (const waiting of all) {
    const { latest } = variantsOf(waiting.row, queue.store);
    if (latest === null) continue;
    await one(waiting, latest, wanted, look, queue);
  }
}

async function one(
  { row, behind }: Waiting,
  latest: TransactionRow,
  wanted: GasFees,
  look: Look,
  queue: Queue,
): Promise<void> {
  const { store, sendings, rules, log } = queue;
  const sending = sendings.get(latest.txid);
  const bytes = store.transactions.bytes(latest.txid);
  if (sending === undefined || bytes === null) return;
  const before = readTransaction(bytes);
  const waits = look.tip.height - sending.since;
  const cheap = waits >= patience.blocks && priceOf(wanted) > priceOf(before.fees);
  const tooLow = sending.answer.is === 'underpriced' || cheap;
  const isStuck = waits >= patience.stuck;
  const isDeploy = latest.purpose === 'deploy';
  const isRefused = sending.answer.is === 'refused' && waits >= patience.blocks;
  if (isDeploy && behind.length > 1 && (tooLow || isRefused || isStuck))
    return giveWay({ row, behind }, latest, { wanted, before }, look, queue);
  if (isRefused) return payable({ row, behind }, latest, { wanted, before }, look, queue);
  if (!tooLow && !isStuck) return;
  if (isInTheWay({ row, behind }, latest, { wanted, before }, look, queue))
    return giveWay({ row, behind }, latest, { wanted, before }, look, queue);
  // What its owner was shown pays for a deployment, and for nothing else.
  const hurrying = isDeploy ? [row] : behind.filter((each) => each === row || each.purpose !== 'deploy');
  const savings = hurrying.map((each) => savingOf(each, queue));
  const late = savings.some((saving) => stageOf(saving, look.now) === 'last');
  if (!tooLow && !late) return;
  // Nothing pays for a client's transaction but what that saves.
  const paying = isClients(latest.purpose) ? [savingOf(row, queue)] : savings;
  const ceiling = ceilingOf(mostBudget(paying, look.now, rules), before.gas, rules);
  const least = raised(before.fees);
  if (await isBeyond({ row, gas: before.gas, price: priceOf(least) }, look, queue)) return;
  // Early a price that is too high is waited out, and half of it would be paid for nothing.
  if (ceiling !== null && priceOf(wanted) > ceiling && !late) return;
  if (ceiling !== null && priceOf(least) > ceiling) {
    if (late)
      log.warn(
        { network: look.network, nonce: row.nonce, ceiling: `${ceiling}` },
        'a transaction waits: its gas is at its ceiling',
      );
    return;
  }
  const more = late && isStuck ? dearer(wanted, doubled(before.fees)) : wanted;
  const fees = dearer(cappedAt(more, ceiling), least);
  await insteadOf(latest, { row, purpose: latest.purpose, variant: { ...before, fees } }, look, queue);
}

/**
 * Whether a client's transaction costs more by now than it may, and holds up what may cost that, or a claim or refund
 * of ours that is late. Raised as far as what waits behind it is worth, for each unit of the gas that a client had it
 * take, it would never be dear enough (facts/faults.md 256), or cost what another client's lock may (262).
 */
function isInTheWay(
  { row, behind }: Waiting,
  { purpose }: TransactionRow,
  { wanted, before }: { readonly wanted: GasFees; readonly before: EvmTransaction },
  { now }: Look,
  queue: Queue,
): boolean {
  if (!isClients(purpose)) return false;
  const ceilingFor = (each: NonceRow, gas: bigint) =>
    ceilingOf(budgetOf(savingOf(each, queue), now, queue.rules), gas, queue.rules);
  const ceiling = ceilingFor(row, before.gas);
  if (ceiling === null) return false;
  const held = behind.filter((each) => own.has(each.purpose) || each.subject !== row.subject);
  const holdsUpTheLastStage = held.some(
    (each) => own.has(each.purpose) && stageOf(savingOf(each, queue), now) === 'last',
  );
  // Raised once more, where what gas costs is not what blocks take.
  if (priceOf(holdsUpTheLastStage ? dearer(wanted, raised(before.fees)) : wanted) <= ceiling) return false;
  return (
    holdsUpTheLastStage ||
    held.some((each) => {
      const gas = gasToSend(each, queue);
      const most = gas === null ? 0n : ceilingFor(each, nothingGas + gas);
      return most === null || priceOf(wanted) <= most;
    })
  );
}

/** Null where it is not to be sent any more. */
function gasToSend(row: NonceRow, { store }: Queue): bigint | null {
  const { latest } = variantsOf(row, store);
  const bytes = latest === null || latest.purpose === 'cancel' ? null : store.transactions.bytes(latest.txid);
  return bytes === null ? null : readTransaction(bytes).gas;
}

/** Sent for a client, that can send one of its own. */
function isClients(purpose: string): boolean {
  return purpose.startsWith('relay-') || purpose === 'permit';
}

/** Wei for each unit of gas that the account could pay, by enough of the RPCs (facts/faults.md 320). */
async function affordable({ port }: Look, gas: bigint, value: bigint): Promise<bigint> {
  const held = await port.sureBalance(nativeCoin, port.account());
  return held <= value ? 0n : (held - value) / gas;
}

/**
 * No node takes it, as a rule for its account holds less than it may cost: it is signed anew at what gas costs now,
 * ours at what the account can pay, and what is not ours makes way for what waits behind it (facts/faults.md 166).
 */
async function payable(
  { row, behind }: Waiting,
  latest: TransactionRow,
  { wanted, before }: { readonly wanted: GasFees; readonly before: EvmTransaction },
  look: Look,
  queue: Queue,
): Promise<void> {
  const most = await affordable(look, before.gas, before.value);
  const isOwn = own.has(row.purpose);
  const fees = isOwn ? cappedAt(wanted, most) : wanted;
  if (priceOf(fees) < priceOf(before.fees) && priceOf(fees) <= most)
    return insteadOf(latest, { row, purpose: latest.purpose, variant: { ...before, fees } }, look, queue);
  if (!isOwn && behind.length > 1 && latest.purpose !== 'cancel')
    return giveWay({ row, behind }, latest, { wanted, before }, look, queue);
}

/** Whether a variant at that price or below it was refused by every node, and the account cannot pay it still. */
async function isBeyond(
  { row, gas, price }: { readonly row: NonceRow; readonly gas: bigint; readonly price: bigint },
  look: Look,
  { store, sendings }: Queue,
): Promise<boolean> {
  const refused = variantsOf(row, store).all.flatMap(({ txid }) => {
    const bytes = sendings.get(txid)?.answer.is === 'refused' ? store.transactions.bytes(txid) : null;
    return bytes === null ? [] : [priceOf(readTransaction(bytes).fees)];
  });
  return refused.some((one) => one <= price) && (await affordable(look, gas, 0n)) < price;
}

/**
 * Saved before it is handed to anybody. Where gas costs to the wei what it did before, it is the very transaction of
 * then, which is there, and is handed over once more (facts/faults.md 210).
 */
export async function insteadOf(
  { subject, txid: replaces }: TransactionRow,
  { row, purpose, variant }: { row: NonceRow; purpose: TransactionRow['purpose']; variant: EvmTransaction },
  look: Look,
  queue: Queue,
): Promise<void> {
  const { store, sendings, taken } = queue;
  const { txid, bytes } = look.port.sign(variant);
  const state = store.transactions.byId(txid)?.state ?? 'dead';
  if (state === 'dead')
    store.atomically(() => {
      insertVariant(store, { nonce: row, subject, purpose, txid, bytes, replaces }, look.wall);
      store.transactions.accepted(txid, bytes, look.wall);
      noteVariant({ ...row, network: look.network }, variant, queue, look.wall);
    });
  const answer = await look.port.broadcast(bytes);
  sendings.set(txid, { at: look.wall, since: look.tip.height, answer });
  if (answer.is === 'accepted') taken.add(txid);
}

/** Units of gas of a transfer of nothing to ourselves, with what a chain adds to it. */
export const nothingGas = 60_000n;

/**
 * A deployment costs as much gas as twenty claims, and what a client has us send as much as it likes: one that is not
 * mined is taken out of the way of what waits behind it, at the price of next to nothing. A deployment is signed again
 * by its job, and a client may ask again.
 */
async function giveWay(
  { row, behind }: Waiting,
  latest: TransactionRow,
  { wanted, before }: { readonly wanted: GasFees; readonly before: EvmTransaction },
  look: Look,
  queue: Queue,
): Promise<void> {
  const { rules } = queue;
  const savings = behind.filter((each) => each !== row).map((each) => savingOf(each, queue));
  const ceiling = ceilingOf(mostBudget(savings, look.now, rules), nothingGas, rules);
  const fees = dearer(cappedAt(wanted, ceiling), raised(before.fees));
  const variant = { ...nothing(look), nonce: row.nonce, gas: nothingGas, fees };
  await insteadOf(latest, { row, purpose: 'cancel', variant }, look, queue);
}
