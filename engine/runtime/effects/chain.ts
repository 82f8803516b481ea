import { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { minus, sats, type Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { buried } from '../../legs/onchain/depth.ts';
import type { BitcoinPort, BroadcastAnswer } from '../../legs/onchain/port.ts';
import { readTx } from '../../legs/vhtlc/psbt.ts';
import type { Store } from '../../store/store.ts';
import { NotYet } from '../outbox.ts';
import { bitcoinOf, type EffectContext, type EffectOf } from './context.ts';
import { believedRate } from './fee-rate.ts';

/** Blocks within which a transaction is to be mined: what its fee is asked for. */
export const minedWithin = 3;
/** A transaction that waits in the mempool for this many blocks, and this many seconds, pays more. */
const patience = { blocks: 6, seconds: 3_600 } as const;
/** From this many times its rate on, a higher one is worth a new transaction. */
const worthRaising = 1.25;

/**
 * Keeps a prepared transaction on the chain until it, or an earlier one of the same swap, is buried: sends it, sends it
 * again when it was evicted or a reorganisation took it, asks for a higher fee when it waits (faults.md 14, 31, 32).
 * The same bytes sent again are the same transaction, so nothing is ever paid twice.
 */
export async function broadcast(effect: EffectOf<'chain.broadcast'>, context: EffectContext): Promise<void> {
  const { ports, store, clock, row, answer } = context;
  const bytes = store.transactions.bytes(effect.txid);
  if (bytes === null) return; // closed by an earlier run whose answer was saved
  const bitcoin = bitcoinOf(ports);
  const { height, mtp } = await bitcoin.tip();
  const spend = await bitcoin.spend(effect.spends);
  if (spend !== null && spend.height !== null) {
    if (!buried(spend.height, height)) throw new NotYet(null, `mined in block ${spend.height}, not buried yet`);
    const own = store.transactions.of(row.subject).some(({ txid }) => txid === spend.txid);
    if (own) answer({ is: 'chain.final', txid: spend.txid, fee: minus(effect.amount, await paidBy(bitcoin, spend.txid)) }, { always: (open, now) => closeAll(open, row.subject, spend.txid, now) });
    else answer({ is: 'chain.refused', txid: effect.txid, why: 'spent', reason: 'another transaction spent the coin' }, { always: (open, now) => closeAll(open, row.subject, null, now) });
    return;
  }
  const sent: BroadcastAnswer = spend?.txid === effect.txid ? { is: 'accepted' } : await bitcoin.broadcast(bytes);
  if (sent.is === 'refused') {
    answer({ is: 'chain.refused', txid: effect.txid, why: 'refused', reason: sent.reason }, { always: (open, now) => open.transactions.close(effect.txid, 'dead', now) });
    return;
  }
  // The input by which rivals are known is free; it may be another one that somebody took.
  if (sent.is === 'spent' && spend === null && (await beaten(bitcoin, bytes, height))) {
    answer({ is: 'chain.refused', txid: effect.txid, why: 'spent', reason: 'another transaction spent an input' }, { always: (open, now) => closeAll(open, row.subject, null, now) });
    return;
  }
  if (sent.is === 'accepted' && store.transactions.byId(effect.txid)?.state === 'prepared') store.transactions.accepted(effect.txid, bytes, clock.now().wall);
  const late = effect.raiseFrom !== undefined && mtp >= effect.raiseFrom;
  const wanted = await believedRate(bitcoin, { within: minedWithin, doubtAbove: effect.rate * worthRaising, late });
  const leastRate = betterRate(effect, sent, wanted, { waits: waitsLong(effect, height, context), late });
  if (leastRate !== null) answer({ is: 'chain.stuck', txid: effect.txid, leastRate });
  else throw new NotYet(null, sent.is === 'accepted' ? 'it waits to be mined' : sent.reason);
}

/** Whether a transaction of somebody else that is buried spends any input of ours. */
async function beaten(bitcoin: BitcoinPort, bytes: Uint8Array, height: number): Promise<boolean> {
  const tx = readTx(bytes);
  for (let i = 0; i < (tx?.inputsLength ?? 0); i++) {
    const { txid, index } = tx?.getInput(i) ?? {};
    if (txid === undefined || index === undefined) continue;
    const spend = await bitcoin.spend({ txid: toHex(txid), vout: index });
    if (spend !== null && spend.txid !== tx?.id && buried(spend.height, height)) return true;
  }
  return false;
}

async function paidBy(bitcoin: BitcoinPort, txid: Txid): Promise<Sats> {
  const bytes = (await bitcoin.transaction(txid))?.bytes;
  const tx = bytes === undefined ? null : readTx(bytes);
  if (tx === null) throw new NotYet(null, 'the buried transaction cannot be read');
  return sats(Array.from({ length: tx.outputsLength }, (_, i) => tx.getOutput(i).amount ?? 0n).reduce((sum, amount) => sum + amount, 0n));
}

/** The time that it waited for its delay does not count: nobody could have mined it then. */
function waitsLong({ txid, since }: EffectOf<'chain.broadcast'>, height: number, { store, clock }: EffectContext): boolean {
  const row = store.transactions.byId(txid);
  return row?.state === 'accepted' && height - since >= patience.blocks && clock.now().wall - row.updatedAt >= patience.seconds;
}

/** What a replacement pays at least: a quarter more, and the relay fee of one sat that BIP 125 wants on top. */
function raised(rate: number): number {
  return Math.max(rate * worthRaising, rate + 1);
}

/** The fee rate that it should have instead, in sats per virtual byte; null when it is right as it is. */
function betterRate({ rate, capped }: EffectOf<'chain.broadcast'>, sent: BroadcastAnswer, wanted: number, { waits, late }: { waits: boolean; late: boolean }): number | null {
  // Nobody has it yet, so that nothing needs to be replaced: fees may have fallen while it waited for its delay.
  if (sent.is === 'later' && wanted < rate / 2) return 0;
  if (capped && !late) return null;
  if (wanted >= rate * worthRaising) return Math.max(wanted, raised(rate));
  return sent.is === 'spent' || waits ? raised(rate) : null;
}

/** One of the transactions over this coin stands; the others never will. */
function closeAll(store: Store, subject: string, stands: string | null, now: number): void {
  for (const { txid, state } of store.transactions.of(subject)) {
    if (txid === stands) store.transactions.close(txid, 'final', now);
    else if (state === 'prepared' || state === 'accepted') store.transactions.close(txid, 'dead', now);
  }
}

export function isUnrolled(cause: unknown): boolean {
  return cause instanceof PortFailure && (cause.code === 'unrolled' || cause.code === 'arkade-7');
}
