import { sats } from '../../../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../../../domain/outpoint.ts';
import { unix, type Unix } from '../../../domain/time.ts';
import { exitTransactionFailure, exitTransactions, inputsOf, outputsOf } from '../../../legs/arkade/exit-path.ts';
import { readTx, type Prevout } from '../../../legs/psbt.ts';
import { isStorageFailure } from '../../../store/failure.ts';
import type { ExitTransaction } from '../../../store/exits.ts';
import { arkadeOf } from '../../ports.ts';
import type { ArkadeContext } from './context.ts';

type Saving = Pick<ArkadeContext, 'ports' | 'store' | 'clock'>;

/**
 * Saves how what a transaction pays our wallet comes to the chain, from the signatures that the operator gave on it and
 * the saved ways of what it spends; before ours leave, for an operator that has them may show nobody anything any more
 * (facts/faults.md 354). What cannot be saved now is read from the operator later, and never holds the transaction up.
 */
export async function saveOwnWays(txid: Txid, bytes: Uint8Array, context: Saving): Promise<void> {
  const { ports, store, clock } = context;
  const { mtp, height } = clock.now().bitcoin;
  const coins = store.ownCoins.madeBy(txid).filter(({ outpoint }) => !store.exits.has(outpoint));
  if (coins.length === 0 || mtp === null || height === null) return;
  const shown = await arkadeOf(ports).signedTxs(bytes);
  const way = wayOf({ txid, vout: coins[0]?.outpoint.vout ?? 0 }, shown, { store, now: { mtp, height } });
  if (way === null) return;
  try {
    store.atomically(() => {
      for (const { outpoint, amount } of coins) {
        const paid = way.outputs[outpoint.vout];
        if (paid?.amount === amount)
          store.exits.save({ outpoint, amount: sats(paid.amount), script: paid.script }, way, way.expiresAt);
      }
    });
  } catch (cause) {
    if (!isStorageFailure(cause)) throw cause;
  }
}

/** Null where something is missing or wrong. It is over with the first of the coins that are spent. */
function wayOf(
  coin: Outpoint,
  shown: ReadonlyMap<Txid, Uint8Array>,
  { store, now }: Pick<Saving, 'store'> & { readonly now: { readonly mtp: Unix; readonly height: number } },
) {
  const read = exitTransactions(coin, shown);
  if (read === null) return null;
  const outputs = new Map<string, Prevout>();
  let expiresAt = Infinity;
  for (const spent of read.roots) {
    const made = readTx(store.exits.transaction(spent.txid)?.bytes ?? new Uint8Array());
    const output = made === null ? undefined : outputsOf(made)[spent.vout];
    const ends = store.exits.expiresAt(spent);
    if (output === undefined || ends === null) return null;
    outputs.set(outpointKey(spent), output);
    expiresAt = Math.min(expiresAt, ends);
  }
  const transactions: ExitTransaction[] = [];
  for (const bytes of read.transactions) {
    const tx = readTx(bytes);
    if (tx === null || exitTransactionFailure(tx, outputs, now) !== null) return null;
    transactions.push({ txid: tx.id, parents: inputsOf(tx), bytes });
    for (const [vout, output] of outputsOf(tx).entries()) outputs.set(outpointKey({ txid: tx.id, vout }), output);
  }
  const last = readTx(read.transactions.at(-1) ?? new Uint8Array());
  if (last === null || !Number.isFinite(expiresAt)) return null;
  return { transactions, roots: [], outputs: outputsOf(last), expiresAt: unix(expiresAt) };
}
