import { sameBytes } from '../../domain/hash.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { exitTransactionFailure, exitTransactions, inputsOf, outputsOf } from '../../legs/arkade/exit-path.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { BitcoinPort, ChainTx } from '../../legs/onchain/port.ts';
import { readTx, type Prevout } from '../../legs/psbt.ts';
import { outputAt, readRawTx } from '../../legs/raw-tx.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { ExitOutput, ExitTransaction } from '../../store/exits.ts';
import { noteRoots } from './roots.ts';

type Saving = Pick<Runtime, 'store' | 'clock'>;

const nothing = { transactions: [], roots: [] } as const;

/** A coin of ours at the operator. */
export interface Coin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly script: Uint8Array;
  readonly expiresAt: Unix;
}

/** What came of a look at the way of a coin to the chain. */
type SaveOutcome =
  | { readonly is: 'saved' }
  /** Why what is shown does not bring it there. */
  | { readonly is: 'refused'; readonly reason: string }
  /** All is shown, and no block has what that hangs on. */
  | { readonly is: 'rootless'; readonly root: Outpoint };

/** Throws for what another look may find. */
export async function save(
  own: Saving,
  coin: Coin,
  arkade: Pick<ArkadePort, 'exitTxs'>,
  bitcoin: Pick<BitcoinPort, 'transaction'>,
): Promise<SaveOutcome> {
  const { store, clock } = own;
  const { mtp, height } = clock.now().bitcoin;
  if (mtp === null || height === null) throw new Error('the Bitcoin chain was not read yet');
  const path = store.exits.transaction(coin.outpoint.txid) === null ? await read(own, coin.outpoint, arkade) : nothing;
  if (path === null) return refused('its transactions are not all shown, with all their signatures');
  const outputs = new Map<string, Prevout>();
  const roots: ExitOutput[] = [];
  for (const outpoint of path.roots) {
    const output = (await savedOutput(own, outpoint)) ?? (await rootOf(outpoint, bitcoin));
    if (output === null) return { is: 'rootless', root: outpoint };
    outputs.set(outpointKey(outpoint), output);
    if (store.exits.transaction(outpoint.txid) === null)
      roots.push({ outpoint, script: output.script, amount: sats(output.amount) });
  }
  const transactions: ExitTransaction[] = [];
  for (const bytes of path.transactions) {
    const tx = readTx(bytes);
    if (tx === null) return refused('one of its transactions is none');
    const failure = exitTransactionFailure(tx, outputs, { mtp, height });
    if (failure !== null) return refused(`${tx.id}: ${failure}`);
    transactions.push({ txid: tx.id, parents: inputsOf(tx), bytes });
    for (const [vout, output] of outputsOf(tx).entries()) outputs.set(outpointKey({ txid: tx.id, vout }), output);
  }
  const paid = outputs.get(outpointKey(coin.outpoint)) ?? (await savedOutput(own, coin.outpoint));
  if (paid === null || paid === undefined || !sameBytes(paid.script, coin.script) || paid.amount !== coin.amount)
    return refused('they do not pay our script the amount that the coin is said to hold');
  store.atomically(() => {
    store.exits.save(coin, { transactions, roots }, coin.expiresAt);
    noteRoots(
      store,
      roots.map(({ outpoint }) => outpoint),
    );
  });
  return { is: 'saved' };
}

const refused = (reason: string): SaveOutcome => ({ is: 'refused', reason });

async function read({ store }: Saving, coin: Outpoint, arkade: Pick<ArkadePort, 'exitTxs'>) {
  return exitTransactions(coin, await arkade.exitTxs(coin, (txid) => store.exits.transaction(txid) !== null));
}

/** Of a transaction that was verified before, or of a root of one. */
async function savedOutput({ store }: Saving, outpoint: Outpoint): Promise<Prevout | null> {
  const saved = store.exits.transaction(outpoint.txid);
  if (saved === null) return store.exits.root(outpoint);
  const tx = readTx(saved.bytes);
  return tx === null ? null : (outputsOf(tx)[outpoint.vout] ?? null);
}

/**
 * Of a commitment: the chain says what it pays, and not the operator. In no block it is none: who made it may replace
 * it (facts/faults.md 353).
 */
async function rootOf({ txid, vout }: Outpoint, bitcoin: Pick<BitcoinPort, 'transaction'>): Promise<Prevout | null> {
  const entry = await bitcoin.transaction(txid);
  const tx = entry === null || entry.height === null ? null : readRawTx(entry.bytes);
  return tx?.txid === txid ? outputAt(tx, vout) : null;
}

/** Many coins hang on one commitment: in one look the chain is asked for each once. */
export function readOnce(bitcoin: BitcoinPort): Pick<BitcoinPort, 'transaction'> {
  const answers = new Map<Txid, Promise<ChainTx | null>>();
  return {
    transaction(txid) {
      const answer = answers.get(txid) ?? bitcoin.transaction(txid);
      answers.set(txid, answer);
      return answer;
    },
  };
}
