import { sameBytes } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import { outpointKey, sameOutpoint, type Outpoint, type Txid } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { anchorScript, outpointOf, readTx, type Prevout, type Tx } from '../psbt.ts';
import { dustOf } from '../onchain/size.ts';
import { rawExitTx, timesFrom, witnessFailure } from './exit-witness.ts';

/** An output on the chain that a batch hangs on. */
interface ExitRoot extends Prevout {
  readonly outpoint: Outpoint;
}

/**
 * Everything that brings one coin to the chain without its operator (facts/arkade.md 49). It holds no secret but the
 * preimages of others.
 */
export interface ExitPath {
  readonly coin: Outpoint;
  readonly amount: Sats;
  readonly script: Uint8Array;
  /** Outputs of commitment transactions. */
  readonly roots: readonly ExitRoot[];
  /** Raw, with their witnesses; none comes before what it spends, and the last one holds the coin. */
  readonly transactions: readonly Uint8Array[];
}

/** More are dearer to bring to the chain than any coin of a swap is worth. */
const mostExitTransactions = 1_000;
/** Virtual bytes of a version 3 transaction that nodes relay (BIP 431). */
const largestSize = 10_000;
/** Bytes of data that nodes relay in an output. */
const largestData = 83;

/**
 * The transactions between the chain and a coin, ancestors first, out of what an operator shows, and what they spend
 * that it does not show: it is the chain's, or was left out. Null where the coin's own is missing, or one is not
 * signed. Nothing of it is verified.
 */
export function exitTransactions(
  coin: Outpoint,
  shown: ReadonlyMap<Txid, Uint8Array>,
): { readonly transactions: readonly Uint8Array[]; readonly roots: readonly Outpoint[] } | null {
  const order = new Map<Txid, Uint8Array>();
  const roots = new Map<string, Outpoint>();
  const open: { readonly txid: Txid; readonly inputs: readonly Outpoint[]; readonly raw: Uint8Array }[] = [];
  const begun = new Set<Txid>();
  const begin = (txid: Txid): boolean => {
    const psbt = shown.get(txid);
    const raw = psbt === undefined ? null : rawExitTx(psbt);
    const tx = raw === null ? null : readTx(raw);
    if (tx?.id !== txid || raw === null) return false;
    begun.add(txid);
    open.push({ txid, inputs: inputsOf(tx), raw });
    return true;
  };
  if (!begin(coin.txid)) return null;
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const next = last.inputs.find(({ txid }) => shown.has(txid) && !begun.has(txid));
    if (next !== undefined) {
      if (begun.size >= mostExitTransactions || !begin(next.txid)) return null;
      continue;
    }
    for (const input of last.inputs) if (!shown.has(input.txid)) roots.set(outpointKey(input), input);
    order.set(last.txid, last.raw);
    open.pop();
  }
  return { transactions: [...order.values()], roots: [...roots.values()] };
}

/**
 * Why these transactions do not bring the coin to the chain, or null: each is signed as its inputs want it, pays what
 * nodes relay, loses nothing on the way, spends the roots or one before it, and the last one pays our script. `now`:
 * locktimes on the way must be over. Wrong: we believe that we can leave, and cannot.
 */
export function exitPathFailure(path: ExitPath, now: { readonly mtp: Unix; readonly height: number }): string | null {
  const { coin, transactions } = path;
  if (transactions.length > mostExitTransactions) return `it takes more than ${mostExitTransactions} transactions`;
  const outputs = new Map<string, Prevout>();
  for (const root of path.roots) outputs.set(outpointKey(root.outpoint), root);
  const unused = new Set<Txid>();
  let last: Tx | null = null;
  for (const bytes of transactions) {
    const tx = readTx(bytes);
    if (tx === null) return 'one of its transactions is none';
    const failure = exitTransactionFailure(tx, outputs, now);
    if (failure !== null) return `${tx.id}: ${failure}`;
    for (const input of inputsOf(tx)) {
      outputs.delete(outpointKey(input));
      unused.delete(input.txid);
    }
    for (const [vout, output] of outputsOf(tx).entries()) outputs.set(outpointKey({ txid: tx.id, vout }), output);
    unused.add(tx.id);
    last = tx;
  }
  if (last?.id !== coin.txid) return 'its last transaction is not that of the coin';
  if (unused.size > 1) return 'it holds transactions that lead elsewhere';
  const paid = outputs.get(outpointKey(coin));
  if (paid === undefined || !sameBytes(paid.script, path.script) || paid.amount !== path.amount)
    return 'its last transaction does not pay our script the amount that the coin is said to hold';
  return null;
}

/** Why no chain would take a transaction over these outputs, or null. */
export function exitTransactionFailure(
  tx: Tx,
  outputs: Pick<ReadonlyMap<string, Prevout>, 'get'>,
  now: { readonly mtp: Unix; readonly height: number },
): string | null {
  if (tx.version !== 3) return 'it is not of version 3, and nodes do not relay it without a fee';
  if (tx.vsize > largestSize) return 'it is larger than nodes relay';
  const inputs = inputsOf(tx);
  const prevouts: Prevout[] = [];
  for (const [i, input] of inputs.entries()) {
    const spent = outputs.get(outpointKey(input));
    if (spent === undefined || inputs.some((other, j) => j < i && sameOutpoint(other, input)))
      return 'it spends what nothing before it pays';
    prevouts.push(spent);
    // A relative delay on the way is time that somebody else could use.
    if ((tx.getInput(i).sequence ?? 0) < 0xffff_fffe) return 'it waits for a delay';
  }
  if (inputs.length === 0) return 'it spends nothing';
  if (isLocked(tx, now)) return 'its locktime is not over';
  const paid = outputsOf(tx);
  if (paid.filter(isAnchor).length !== 1) return 'it has no output by which its fee can be paid';
  if (paid.some((output) => !isAnchor(output) && !isRelayed(output))) return 'it has an output that nodes do not relay';
  // With an output of nothing it may pay no fee itself.
  if (sum(prevouts) !== sum(paid)) return 'it pays out another amount than it spends';
  for (const i of inputs.keys()) {
    const failure = witnessFailure(tx, i, prevouts);
    if (failure !== null) return failure;
  }
  return null;
}

function isLocked(tx: Tx, { mtp, height }: { readonly mtp: Unix; readonly height: number }): boolean {
  const counts = inputsOf(tx).some((_, i) => tx.getInput(i).sequence !== 0xffff_ffff);
  return counts && (tx.lockTime < timesFrom ? tx.lockTime > height : tx.lockTime > mtp);
}

function isRelayed({ script, amount }: Prevout): boolean {
  if (script[0] === 0x6a) return script.length <= largestData;
  const [version = 0, length = 0] = script;
  const isWitness = (version === 0 || version === 0x51) && length === script.length - 2 && length >= 20 && length <= 32;
  return isWitness && amount >= dustOf(script);
}

export function isAnchor({ script, amount }: Prevout): boolean {
  return amount === 0n && sameBytes(script, anchorScript);
}

export function inputsOf(tx: Tx): Outpoint[] {
  return Array.from({ length: tx.inputsLength }, (_, i) => outpointOf(tx, i)).filter((input) => input !== null);
}

export function outputsOf(tx: Tx): Prevout[] {
  return Array.from({ length: tx.outputsLength }, (_, i) => {
    const { script = new Uint8Array(), amount = 0n } = tx.getOutput(i);
    return { script, amount };
  });
}

function sum(of: readonly Prevout[]): bigint {
  return of.reduce((total, { amount }) => total + amount, 0n);
}

/** Where a transaction of a path is now. */
export type Whereabouts = 'absent' | 'waiting' | 'mined';

/**
 * Which transaction of a path is to be sent or waited for: the first that is in no block, since only what is mined can
 * be built on without becoming a family that no node relays (BIP 431). Null once the coin is on the chain.
 */
export function nextExitTransaction(
  path: ExitPath,
  where: (txid: Txid) => Whereabouts,
): { readonly index: number; readonly tx: Tx; readonly bytes: Uint8Array } | null {
  for (const [index, bytes] of path.transactions.entries()) {
    const tx = readTx(bytes);
    if (tx === null) throw new Error('a saved transaction is none');
    if (where(tx.id) !== 'mined') return { index, tx, bytes };
  }
  return null;
}
