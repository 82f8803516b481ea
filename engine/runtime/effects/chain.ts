import { PortFailure } from '../../domain/errors.ts';
import { minus, sats, type Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { buried } from '../../legs/onchain/depth.ts';
import type { BitcoinPort, BroadcastAnswer } from '../../legs/onchain/port.ts';
import { readTx } from '../../legs/vhtlc/psbt.ts';
import type { Store } from '../../store/store.ts';
import { NotYet } from '../outbox.ts';
import { bitcoinOf, type EffectContext, type EffectOf } from './context.ts';

/** Blocks within which a transaction is to be mined: what its fee is asked for. */
export const minedWithin = 3;
/** A transaction that waits longer than this many blocks pays more. */
const patienceBlocks = 6;
/** A replacement pays at least this much more than what it replaces: BIP 125 wants the relay fee on top. */
const raise = 1.25;
/** How often the chain is asked, in seconds. */
const pause = 3;

/**
 * Keeps a prepared transaction on the chain until it, or an earlier one of the same swap, is buried: sends it, sends it
 * again when it was evicted or a reorganisation took it, asks for a higher fee when it waits (faults.md 14, 31, 32).
 * The same bytes sent again are the same transaction, so nothing is ever paid twice.
 */
export async function broadcast(effect: EffectOf<'chain.broadcast'>, context: EffectContext): Promise<void> {
  const { ports, store, row, answer } = context;
  const bytes = store.transactions.bytes(effect.txid);
  if (bytes === null) return; // closed by an earlier run whose answer was saved
  const bitcoin = bitcoinOf(ports);
  const { height } = await bitcoin.tip();
  const spend = await bitcoin.spend(effect.spends);
  if (spend !== null && spend.height !== null) {
    if (!buried(spend.height, height)) throw new NotYet(pause, `mined in block ${spend.height}, not buried yet`);
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
  const leastRate = await betterRate(effect, sent, height, bitcoin);
  if (leastRate !== null) answer({ is: 'chain.stuck', txid: effect.txid, leastRate });
  else throw new NotYet(pause, sent.is === 'accepted' ? 'it waits to be mined' : sent.reason);
}

async function paidBy(bitcoin: BitcoinPort, txid: Txid): Promise<Sats> {
  const bytes = (await bitcoin.transaction(txid))?.bytes;
  const tx = bytes === undefined ? null : readTx(bytes);
  if (tx === null) throw new NotYet(pause, 'the buried transaction cannot be read');
  return sats(Array.from({ length: tx.outputsLength }, (_, i) => tx.getOutput(i).amount ?? 0n).reduce((sum, amount) => sum + amount, 0n));
}

/** The fee rate that it should have instead, in sats per virtual byte; null when it is right as it is. */
async function betterRate({ rate, capped, since }: EffectOf<'chain.broadcast'>, sent: BroadcastAnswer, height: number, bitcoin: BitcoinPort): Promise<number | null> {
  const wanted = await bitcoin.feeRate(minedWithin);
  // Nobody has it yet, so that nothing needs to be replaced: fees may have fallen while it waited for its delay.
  if (sent.is === 'later' && wanted < rate / 2) return 0;
  if (capped) return null;
  if (wanted >= rate * raise) return wanted;
  const waits = sent.is === 'accepted' && height - since >= patienceBlocks;
  return sent.is === 'spent' || waits ? rate * raise : null;
}

/** One of the transactions over this coin stands; the others never will. */
function closeAll(store: Store, subject: string, stands: string | null, now: number): void {
  for (const { txid, state } of store.transactions.of(subject)) {
    if (txid === stands) store.transactions.close(txid, 'final', now);
    else if (state === 'prepared') store.transactions.close(txid, 'dead', now);
  }
}

export function isUnrolled(cause: unknown): boolean {
  return cause instanceof PortFailure && (cause.code === 'unrolled' || cause.code === 'arkade-7');
}
