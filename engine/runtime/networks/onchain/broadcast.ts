import { noSats } from '../../../domain/money.ts';
import { hasPassed } from '../../../domain/time.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { BitcoinPort, BroadcastAnswer, ChainSpend, ChainTip } from '../../../legs/onchain/port.ts';
import { readRawTx } from '../../../legs/raw-tx.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { ifKnown } from '../if-known.ts';
import { carriesFunding } from '../reserved.ts';
import { claimedTogether } from './claim-together.ts';
import { mayBeSent, mayBeShown } from './first-send.ts';
import { betterRate, isDear, urgencyOf, worthRaising, type FeeUrgency } from './fee-urgency.ts';
import { noteFee, rateText } from './note.ts';
import { carriedFunding, isUnmade, nothingCarried, rateBeside, rateTogether, sendMakers } from './makers.ts';
import { over, unmade } from './over.ts';
import { bumpByChild, sendWithChild, pendingTx } from './cpfp.ts';
import {
  dueBy,
  furthestMtp,
  isOurs,
  reached,
  rivalRate,
  showing,
  showsSecret,
  tipNow,
  whoeverShows,
} from './transactions.ts';
import { wantedRate } from './wanted-rate.ts';

/**
 * It is sent again, and all its inputs are looked at, this often while it waits, in attempts: whoever says that it
 * waits may be wrong.
 */
export const again = 10;

/**
 * Keeps a prepared transaction on the chain until it, or an earlier one of the same swap, is buried: sends it, sends it
 * again when it was evicted or a reorganisation took it, asks for a higher fee when it waits (facts/faults.md 14, 31,
 * 32). The same bytes sent again are the same transaction, so nothing is ever paid twice. It ends by what is buried and
 * by nothing else: a chain that cannot be read, or that contradicts itself, is sent to all the same.
 */
export async function broadcast(effect: EffectOf<'onchain.broadcast'>, context: OnchainContext): Promise<void> {
  const { ports, store, clock, row, answer } = context;
  const bytes = store.transactions.bytes(effect.txid);
  if (bytes === null) return; // closed by an earlier run whose answer was saved
  if (await claimedTogether(effect, context)) return;
  const bitcoin = bitcoinOf(ports);
  const ownerAsks = context.raiseAsked();
  const tip = await tipNow(context);
  const height = tip?.height ?? null;
  const spend = await spendNow(effect, context);
  if (spend !== null && spend.height !== null) {
    if (!buried(spend.height, height)) {
      if (isOurs(spend, context)) context.taken.add(spend.txid);
      throw new NotYet(null, `mined in block ${spend.height}, not buried yet`);
    }
    await over(effect, spend, context);
    forgetOver(context);
    return;
  }
  const mayBeOut = store.transactions.byId(effect.txid)?.state === 'accepted';
  if (spend === null && mayBeOut) {
    const coins = readRawTx(bytes)?.inputs ?? [];
    if (await isUnmade(coins, height, context)) {
      unmade(effect, context);
      forgetOver(context);
      return;
    }
    await sendMakers(coins, context);
  }
  const { onlyIf } = effect;
  if (onlyIf?.paidOut !== undefined) {
    if (!(await mayBeShown(effect, onlyIf, { bytes, spend }, context))) return;
  } else if (onlyIf !== undefined && !(await mayBeSent(effect, onlyIf, { bytes, spend }, context))) return;
  const isTime = row.attempts % again === again - 1;
  const waits = spend?.txid === effect.txid && mayBeOut;
  const { sent, carries }: Sent =
    waits && !isTime ? { sent: { is: 'accepted' }, carries: 0 } : await send(effect, bytes, context);
  if (sent.is === 'refused') {
    // What a client may have built on is not dead because somebody refuses it now.
    const { leg, txid, spends: coin } = effect;
    if (effect.push !== undefined && mayBeOut)
      throw new NotYet(null, `it was sent before, and is refused now: ${sent.reason}`, true);
    answer(
      { is: 'onchain.refused', leg, txid, coin, why: 'refused', reason: sent.reason },
      { always: (open, now) => open.transactions.close(txid, 'dead', now) },
    );
    forgetOver(context);
    return;
  }
  // The input by which rivals are known is free; it may be another one that somebody took.
  const rival = sent.is === 'spent' || isTime ? await rivalOf(bitcoin, bytes, height) : null;
  if (rival !== null) {
    await over(effect, rival, context);
    forgetOver(context);
    return;
  }
  // The watch counts it by the same word (facts/faults.md 358).
  if (sent.is === 'accepted') context.taken.add(effect.txid);
  else if (spend?.txid !== effect.txid) context.taken.forget(effect.txid);
  if (sent.is === 'accepted' && store.transactions.byId(effect.txid)?.state === 'prepared') {
    const { wall } = clock.now();
    const note = (): void => store.transactions.accepted(effect.txid, bytes, wall);
    // A funding at once: whatever drops it is to find that it is out.
    if (effect.push !== undefined) note();
    else await context.together(note);
  }
  const child = pendingTx(row, 'push', store);
  if (await raise(effect, { bytes, sent, carries, spend, tip, ownerAsks }, context)) return;
  // Unless another child was just made for it.
  const stays = pendingTx(row, 'push', store)?.txid === child?.txid;
  if (sent.is === 'later' && sent.cheap === true && effect.push !== undefined && stays)
    throw new NotYet(null, needsPackages(child !== null, sent.reason), true);
  throw new NotYet(null, sent.is === 'accepted' ? 'it waits to be mined' : sent.reason);
}

/** What is buried, or never will be, waits no more. */
function forgetOver({ store, row, taken }: OnchainContext): void {
  for (const { txid, state } of store.transactions.of(row.subject))
    if (state === 'final' || state === 'dead') taken.forget(txid);
}

/**
 * It is never replaced: what no mempool takes alone enters with its child as a package, or once the minimum falls
 * (facts/onchain.md 6).
 */
function needsPackages(hasChild: boolean, reason: string): string {
  return hasChild
    ? `no Bitcoin source takes the funding at its fee, nor together with the child that pays for it (${reason}): it ` +
        'is sent again until fees fall; connect a Bitcoin Core of version 26 or newer, or an Esplora server that ' +
        'takes packages'
    : `no Bitcoin source takes the funding at its fee (${reason}), and its change has no room for a child that pays ` +
        'for it: it is sent again until fees fall';
}

/** `carries`: virtual bytes of what made its coin, which it has to pay for as well. */
interface Sent {
  readonly sent: BroadcastAnswer;
  readonly carries: number;
}

async function send(
  { push: pushed, funding, rate }: EffectOf<'onchain.broadcast'>,
  bytes: Uint8Array,
  context: OnchainContext,
): Promise<Sent> {
  if (pushed !== undefined) return { sent: await sendWithChild(bytes, context), carries: 0 };
  const bitcoin = bitcoinOf(context.ports);
  const sent = await bitcoin.broadcast(bytes);
  if (funding === undefined || sent.is !== 'later' || sent.cheap === true || isDear(sent, rate))
    return { sent, carries: 0 };
  // The coin may be gone with its block and out of every mempool, which a claim that shows its secret must outlive
  // (facts/faults.md 13).
  const { parent, child } = await bitcoin.broadcastPackage(funding, bytes);
  return child.is === 'later' && parent.is === 'later' && parent.cheap === true
    ? { sent: parent, carries: readRawTx(funding)?.vsize ?? 0 }
    : { sent: child, carries: 0 };
}

/**
 * What spends the coin by which its rivals are known. A refund is sent only where it can be read that no claim is
 * there.
 */
async function spendNow(
  { spends, yieldsTo, push }: EffectOf<'onchain.broadcast'>,
  context: OnchainContext,
): Promise<ChainSpend | null> {
  const bitcoin = bitcoinOf(context.ports);
  if (yieldsTo === undefined)
    return ifKnown(() => bitcoin.spend(spends, push === undefined ? undefined : whoeverShows));
  const spend = await bitcoin.spend(spends, showing(yieldsTo, spends));
  if (
    spend !== null &&
    spend.height === null &&
    !isOurs(spend, context) &&
    (await showsSecret(spend, { hash: yieldsTo, coin: spends, bitcoin }))
  )
    throw new NotYet(null, 'the coin is being claimed with its secret: the refund is not sent');
  return spend;
}

/**
 * Asks for a higher fee where it would wait for too long, which is an answer, or pays one by a child, which is none.
 */
async function raise(
  effect: EffectOf<'onchain.broadcast'>,
  {
    bytes,
    sent,
    carries,
    spend,
    tip,
    ownerAsks,
  }: Sent & { bytes: Uint8Array; spend: ChainSpend | null; tip: ChainTip | null; ownerAsks: boolean },
  context: OnchainContext,
): Promise<boolean> {
  const now = furthestMtp(tip, context) ?? 0;
  const due = dueBy(effect, tip, context);
  const waitsBy = ({ patience }: FeeUrgency): boolean =>
    waitsLong(effect, { height: tip?.height ?? null, patience }, context);
  if (effect.push !== undefined) {
    const waits = waitsBy(urgencyOf(due, now));
    if (sent.is !== 'spent')
      await bumpByChild({ ...effect, push: effect.push }, bytes, { sent, waits, ownerAsks, now, due }, context);
    return false;
  }
  const mayRaise = reached(effect.raiseFrom, tip, context);
  const size = readRawTx(bytes)?.vsize ?? 1;
  const own = effect.yieldsTo === undefined ? nothingCarried : await carriedFunding(effect.spends, context);
  const carried = own === nothingCarried ? { fee: noSats, size: carries } : own;
  const pays = rateTogether(effect.rate, size, carried);
  const { rate: wanted, urgency } = await wantedRate(bitcoinOf(context.ports), {
    deadline: due,
    now,
    doubtAbove: pays * worthRaising,
    ...(effect.deadline === undefined ? { late: mayRaise } : {}),
    waiting: { rate: pays, since: effect.since },
    within: effect.within,
  });
  const late = effect.deadline === undefined ? mayRaise : urgency.late;
  const better = betterRate({ rate: pays, capped: effect.capped }, wanted, {
    sent,
    waits: waitsBy(urgency),
    ownerAsks,
    late,
    mayRaise,
    rival:
      spend === null || isOurs(spend, context)
        ? null
        : { rate: sent.is === 'spent' ? await rivalRate(bitcoinOf(context.ports), spend, effect.amount) : null },
  });
  // What no mempool has, and has to be mined in time, is raised all the same.
  const mayStay = !late && (sent.is === 'accepted' || effect.deadline === undefined);
  if (better === null || (mayStay && carriesFunding(effect.txid, context.store))) return false;
  const { leg, txid, spends: coin } = effect;
  const leastRate = rateBeside(better.rate, size, carried);
  const note = noteFee(
    context,
    `fee of ${rateText(effect.rate)} to be raised to ${rateText(leastRate)}: ${better.reason}`,
  );
  context.answer({ is: 'onchain.stuck', leg, txid, coin, leastRate }, { ifMoved: note });
  return true;
}

/** Another transaction that is buried and spends any input of this one. */
async function rivalOf(bitcoin: BitcoinPort, bytes: Uint8Array, height: number | null): Promise<ChainSpend | null> {
  const tx = readRawTx(bytes);
  for (const input of tx?.inputs ?? []) {
    const spend = await ifKnown(() => bitcoin.spend(input));
    if (spend !== null && spend.txid !== tx?.txid && buried(spend.height, height)) return spend;
  }
  return null;
}

/**
 * The time that it waited for its delay does not count, nor that before its last child: nobody could have mined it
 * then.
 */
function waitsLong(
  { txid, since }: EffectOf<'onchain.broadcast'>,
  { height, patience }: { height: number | null; patience: FeeUrgency['patience'] },
  { store, clock, row: effectRow }: OnchainContext,
): boolean {
  const row = store.transactions.byId(txid);
  const child = pendingTx(effectRow, 'push', store);
  const { wall } = clock.now();
  return (
    row?.state === 'accepted' &&
    height !== null &&
    height - since >= patience.blocks &&
    [row.updatedAt, ...(child === null ? [] : [child.since])].every((at) => hasPassed(patience.seconds, at, wall))
  );
}
