import { toHex } from '../../../domain/hex.ts';
import { less } from '../../../domain/money.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { BitcoinPort, BroadcastAnswer, ChainSpend } from '../../../legs/onchain/port.ts';
import { readTx } from '../../../legs/psbt.ts';
import { highestRate } from '../../../quote/ceilings.ts';
import type { Store } from '../../../store/store.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { EffectContext } from '../context.ts';
import { ifKnown } from '../if-known.ts';
import { believedRate } from './fee-rate.ts';
import { isOurs, paidBy, reached, takenBy, tipNow } from './transactions.ts';

/** Blocks within which a transaction is to be mined: what its fee is asked for. */
export const minedWithin = 3;
/** A transaction that waits in the mempool for this many blocks, and this many seconds, pays more. */
const patience = { blocks: 6, seconds: 3_600 } as const;
/** From this many times its rate on, a higher one is worth a new transaction. */
const worthRaising = 1.25;
/** It is sent again, and all its inputs are looked at, this often while it waits, in attempts: whoever says that it waits may be wrong. */
const again = 10;

/**
 * Keeps a prepared transaction on the chain until it, or an earlier one of the same swap, is buried: sends it, sends it
 * again when it was evicted or a reorganisation took it, asks for a higher fee when it waits (facts/faults.md 14, 31, 32).
 * The same bytes sent again are the same transaction, so nothing is ever paid twice. It ends by what is buried and by
 * nothing else: a chain that cannot be read, or that contradicts itself, is sent to all the same.
 */
export async function broadcast(effect: EffectOf<'onchain.broadcast'>, context: EffectContext): Promise<void> {
  const { ports, store, clock, row, answer } = context;
  const bytes = store.transactions.bytes(effect.txid);
  if (bytes === null) return; // closed by an earlier run whose answer was saved
  const bitcoin = bitcoinOf(ports);
  const tip = await tipNow(context);
  const height = tip?.height ?? null;
  const spend = await ifKnown(() => bitcoin.spend(effect.spends));
  if (spend !== null && spend.height !== null) {
    if (!buried(spend.height, height)) throw new NotYet(null, `mined in block ${spend.height}, not buried yet`);
    await over(effect, spend, context);
    return;
  }
  const isTime = row.attempts % again === again - 1;
  const waits = spend?.txid === effect.txid && store.transactions.byId(effect.txid)?.state === 'accepted';
  const sent: BroadcastAnswer = waits && !isTime ? { is: 'accepted' } : await bitcoin.broadcast(bytes);
  if (sent.is === 'refused') {
    answer(
      { is: 'onchain.refused', txid: effect.txid, why: 'refused', reason: sent.reason },
      { always: (open, now) => open.transactions.close(effect.txid, 'dead', now) },
    );
    return;
  }
  // The input by which rivals are known is free; it may be another one that somebody took.
  const rival = sent.is === 'spent' || isTime ? await rivalOf(bitcoin, bytes, height) : null;
  if (rival !== null) {
    await over(effect, rival, context);
    return;
  }
  if (sent.is === 'accepted' && store.transactions.byId(effect.txid)?.state === 'prepared')
    store.transactions.accepted(effect.txid, bytes, clock.now().wall);
  const late = reached(effect.raiseFrom, tip, context);
  const wanted = await believedRate(bitcoin, { within: minedWithin, doubtAbove: effect.rate * worthRaising, late });
  const leastRate = betterRate(effect, sent, wanted, { waits: waitsLong(effect, height, context), late });
  if (leastRate !== null) answer({ is: 'onchain.stuck', txid: effect.txid, leastRate });
  else throw new NotYet(null, sent.is === 'accepted' ? 'it waits to be mined' : sent.reason);
}

/** What stands in its place is buried: one of ours, of which this one is a variant, or a stranger's. */
async function over(effect: EffectOf<'onchain.broadcast'>, spend: ChainSpend, context: EffectContext): Promise<void> {
  const { ports, row, answer } = context;
  if (isOurs(spend, context)) {
    // A payment made anew over other coins, and the one before it is what was mined: what that one took counts.
    const taken =
      spend.txid === effect.txid ? effect.amount : ((await takenBy(bitcoinOf(ports), spend.txid)) ?? effect.amount);
    const fee = less(taken, await paidBy(bitcoinOf(ports), spend.txid));
    answer(
      { is: 'onchain.final', txid: spend.txid, fee },
      { always: (open, now) => closeAll(open, row.subject, spend.txid, now) },
    );
  } else {
    answer(
      { is: 'onchain.refused', txid: effect.txid, why: 'spent', reason: 'another transaction spent a coin of it' },
      { always: (open, now) => closeAll(open, row.subject, null, now) },
    );
  }
}

/** Another transaction that is buried and spends any input of this one. */
async function rivalOf(bitcoin: BitcoinPort, bytes: Uint8Array, height: number | null): Promise<ChainSpend | null> {
  const tx = readTx(bytes);
  for (let i = 0; i < (tx?.inputsLength ?? 0); i++) {
    const { txid, index } = tx?.getInput(i) ?? {};
    if (txid === undefined || index === undefined) continue;
    const spends: Outpoint = { txid: toHex(txid), vout: index };
    const spend = await ifKnown(() => bitcoin.spend(spends));
    if (spend !== null && spend.txid !== tx?.id && buried(spend.height, height)) return spend;
  }
  return null;
}

/** The time that it waited for its delay does not count: nobody could have mined it then. */
function waitsLong(
  { txid, since }: EffectOf<'onchain.broadcast'>,
  height: number | null,
  { store, clock }: EffectContext,
): boolean {
  const row = store.transactions.byId(txid);
  return (
    row?.state === 'accepted' &&
    height !== null &&
    height - since >= patience.blocks &&
    clock.now().wall - row.updatedAt >= patience.seconds
  );
}

/** What a replacement pays at least: a quarter more, and the relay fee of one sat that BIP 125 wants on top. */
function raised(rate: number): number {
  return Math.max(rate * worthRaising, rate + 1);
}

/** The fee rate that it should have instead, in sats per virtual byte; null when it is right as it is. */
function betterRate(
  { rate, capped }: EffectOf<'onchain.broadcast'>,
  sent: BroadcastAnswer,
  wanted: number,
  { waits, late }: { waits: boolean; late: boolean },
): number | null {
  // Nobody has it yet, so that nothing needs to be replaced: fees may have fallen while it waited for its delay.
  if (sent.is === 'later' && wanted < rate / 2) return 0;
  if (capped && !late) return null;
  if (wanted >= rate * worthRaising) return Math.max(wanted, raised(rate));
  if (waits) return raised(rate);
  // A conflict is the word of whoever was handed it, at each try again: it raises no fee beyond what any estimate may.
  if (sent.is !== 'spent' || (rate >= highestRate && !late)) return null;
  return late ? raised(rate) : Math.min(highestRate, raised(rate));
}

/** One of the transactions over this coin stands; the others never will. */
function closeAll(store: Store, subject: string, stands: string | null, now: number): void {
  for (const { txid, state } of store.transactions.of(subject)) {
    if (txid === stands) store.transactions.close(txid, 'final', now);
    else if (state === 'prepared' || state === 'accepted') store.transactions.close(txid, 'dead', now);
  }
}
