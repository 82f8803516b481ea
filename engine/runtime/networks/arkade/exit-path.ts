import type { Txid } from '../../../domain/outpoint.ts';
import { inputsOf, nextExitTransaction, type ExitPath, type Whereabouts } from '../../../legs/arkade/exit-path.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import { readTx, type Tx } from '../../../legs/psbt.ts';

export type NextOnExitPath = NonNullable<ReturnType<typeof nextExitTransaction>>;

/**
 * The first transaction of a way that is in no block; null once the coin is on the chain. Looked for from the end: what
 * is mined there has all before it mined.
 */
export async function nextOnExitPath(path: ExitPath, bitcoin: BitcoinPort): Promise<NextOnExitPath | null> {
  const where = new Map<Txid, Whereabouts>();
  for (const bytes of path.transactions.toReversed()) {
    const tx = readTx(bytes);
    if (tx === null) throw new Error('a saved transaction is none');
    if (where.get(tx.id) !== 'mined') {
      const there = await bitcoin.transaction(tx.id);
      where.set(tx.id, there === null ? 'absent' : there.height === null ? 'waiting' : 'mined');
    }
    if (where.get(tx.id) === 'mined') for (const { txid } of inputsOf(tx)) where.set(txid, 'mined');
  }
  return nextExitTransaction(path, (txid) => where.get(txid) ?? 'absent');
}

/** Another transaction that is buried and spends an input: the operator swept the batch, or it spent twice. */
export async function rivalOf(tx: Tx, bitcoin: BitcoinPort, height: number | null): Promise<Txid | null> {
  for (const input of inputsOf(tx)) {
    const spend = await bitcoin.spend(input);
    if (spend !== null && spend.txid !== tx.id && buried(spend.height, height)) return spend.txid;
  }
  return null;
}
