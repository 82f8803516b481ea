import { type Txid, outpointKey } from '../../../domain/outpoint.ts';
import {
  type ChainTime,
  checkInputs,
  checkScripts,
  checkTransaction,
  isFinal,
  sequenceLocksPass,
} from './consensus.ts';
import type { Coin, Ledger } from './ledger.ts';
import type { Mempool, MempoolEntry } from './mempool.ts';
import { belowMinimum, checkDust, checkFee, checkStandard, checkWitnesses, relayFloor, trucVersion } from './policy.ts';
import { TxRejected, missingInputs, reject } from './rejection.ts';
import { checkReplacement } from './replacement.ts';
import { checkFamily } from './truc.ts';
import { type Tx, parseTx } from './tx.ts';

/** What entering the mempool would do. */
export interface Admission {
  readonly entry: MempoolEntry;
  /** Leaves the pool for it: what it replaces and all that builds on that. */
  readonly evicted: readonly MempoolEntry[];
}

export interface PackageResult {
  /** Every transaction by its wtxid: what it pays, or why it did not enter. */
  readonly results: ReadonlyMap<string, { readonly tx: Tx; readonly entry?: MempoolEntry; readonly error?: string }>;
  readonly message: string;
}

export interface Acceptance {
  /** Throws a `TxRejected` when the transaction may not enter. */
  judge(tx: Tx): Admission;
  /** The rules of blocks alone: for what a reorg gave back. */
  judgeReturned(tx: Tx): Admission;
  /**
   * A child with its parents, the parents first; those too cheap alone are paid for by the child. Enters what it can.
   */
  enterPackage(transactions: readonly Tx[], enter: (admission: Admission) => void): PackageResult;
}

interface Around {
  readonly ledger: Ledger;
  readonly mempool: Mempool;
  readonly time: ChainTime;
  now(): number;
  /** Satoshis per virtual byte that a full mempool asks for now. */
  minimum(): number;
}

const mostInPackage = 25;
/** A version 3 parent refused for this may still enter together with a child that pays. */
const paidByChild = 'min relay fee not met';

export function readTx(bytes: Uint8Array): Tx {
  try {
    return parseTx(bytes);
  } catch {
    throw new TxRejected(-22, 'TX decode failed. Make sure the tx has at least one input.');
  }
}

/** By what a transaction is judged. */
interface Judging {
  readonly ledger: Around['ledger'];
  readonly mempool: Around['mempool'];
  readonly time: Around['time'];
  readonly now: Around['now'];
  readonly minimum: Around['minimum'];
  /** By wtxid: scripts that held once hold for ever. */
  readonly proven: Set<string>;
}

export function createAcceptance({ ledger, mempool, time, now, minimum }: Around): Acceptance {
  const own: Judging = { ledger, mempool, time, now, minimum, proven: new Set() };

  return {
    judge: (tx: Tx) => judge(own, tx),
    judgeReturned(tx) {
      // A reorg of this chain lowers neither height nor median time: what was final still is.
      const spent = coinsOf(own, tx);
      if (!sequenceLocksPass(tx, spent, time)) reject('non-BIP68-final');
      return { entry: { tx, fee: checkInputs(tx, spent, time), time: now(), spent }, evicted: [] };
    },
    enterPackage: (transactions: readonly Tx[], enter: (admission: Admission) => void) =>
      enterPackage(own, transactions, enter),
  };
}

function coinsOf({ ledger, mempool }: Judging, tx: Tx): Coin[] {
  return tx.inputs.map(({ spends }) => {
    const key = outpointKey(spends);
    const coin = ledger.coin(key) ?? mempool.coin(key);
    if (coin === undefined) throw new TxRejected(-25, missingInputs);
    return coin;
  });
}

function conflictsOf({ mempool }: Judging, tx: Tx): Set<Txid> {
  return new Set(tx.inputs.flatMap(({ spends }) => mempool.spend(outpointKey(spends))?.txid ?? []));
}

function checkNew({ ledger, mempool }: Judging, tx: Tx): void {
  if (tx.outputs.some((_, vout) => ledger.coin(outpointKey({ txid: tx.txid, vout })) !== undefined))
    throw new TxRejected(-27, 'Transaction outputs already in utxo set');
  const entry = mempool.get(tx.txid);
  if (entry !== undefined)
    reject(entry.tx.wtxid === tx.wtxid ? 'txn-already-in-mempool' : 'txn-same-nonwitness-data-in-mempool');
}

/** Everything but the fee floor, which a package meets together. */
function judgeAllButFee(own: Judging, tx: Tx): Admission {
  const { mempool, time, now, proven } = own;
  checkTransaction(tx);
  checkStandard(tx);
  if (!isFinal(tx, time)) reject('non-final');
  checkNew(own, tx);
  const spent = coinsOf(own, tx);
  if (!sequenceLocksPass(tx, spent, time)) reject('non-BIP68-final');
  const fee = checkInputs(tx, spent, time);
  checkWitnesses(tx, spent);
  checkDust(tx, fee);
  const conflicts = conflictsOf(own, tx);
  const sibling = checkFamily(mempool, tx, conflicts);
  if (sibling !== null) conflicts.add(sibling);
  const evicted = checkReplacement(mempool, tx, fee, conflicts);
  if (!proven.has(tx.wtxid)) checkScripts(tx, spent);
  proven.add(tx.wtxid);
  return { entry: { tx, fee, time: now(), spent }, evicted };
}

function judge(own: Judging, tx: Tx): Admission {
  const { minimum } = own;
  const admission = judgeAllButFee(own, tx);
  checkFee(admission.entry.fee, tx.vsize, minimum());
  return admission;
}

function enterPackage(own: Judging, transactions: readonly Tx[], enter: (admission: Admission) => void): PackageResult {
  const { mempool, minimum } = own;
  checkShape(transactions);
  const results = new Map<string, { tx: Tx; entry?: MempoolEntry; error?: string }>();
  const waiting: Tx[] = [];

  function tryAlone(tx: Tx): void {
    const entry = mempool.get(tx.txid);
    if (entry !== undefined) return void results.set(tx.wtxid, { tx, entry });
    try {
      const admission = judge(own, tx);
      enter(admission);
      results.set(tx.wtxid, { tx, entry: admission.entry });
    } catch (error) {
      if (!(error instanceof TxRejected)) throw error;
      const isPaid = error.reason === belowMinimum || (error.reason === paidByChild && tx.version === trucVersion);
      if (isPaid && tx !== transactions.at(-1)) waiting.push(tx);
      results.set(tx.wtxid, { tx, error: error.message });
    }
  }

  for (const tx of transactions.slice(0, -1)) tryAlone(tx);
  const child = transactions.at(-1);
  if (child !== undefined && waiting.length === 0) tryAlone(child);
  else if (child !== undefined) enterTogether([...waiting, child]);
  const failed = [...results.values()].some(({ error }) => error !== undefined);
  return { results, message: failed ? 'transaction failed' : 'success' };

  function enterTogether(group: readonly Tx[]): void {
    const admissions: Admission[] = [];
    try {
      for (const tx of group) {
        const admission = judgeAllButFee(own, tx);
        admissions.push(admission);
        if (tx === group.at(-1)) break;
        if (admission.evicted.length > 0) reject('package RBF failed: package must be 1-parent-1-child');
        // The child must see it; nothing is kept until the child is judged.
        mempool.add(admission.entry);
      }
      const [fee, vsize] = [
        admissions.reduce((sum, { entry }) => sum + entry.fee, 0n),
        group.reduce((sum, tx) => sum + tx.vsize, 0),
      ];
      const least = BigInt(Math.ceil(vsize * Math.max(relayFloor, minimum())));
      if (fee < least) reject('package-fee-too-low', `${fee} < ${least}`);
    } catch (error) {
      if (!(error instanceof TxRejected)) throw error;
      for (const tx of group) results.set(tx.wtxid, { tx, error: error.message });
      return;
    } finally {
      for (const { entry } of admissions.slice(0, group.length - 1)) mempool.remove(entry.tx.txid);
    }
    for (const admission of admissions) {
      enter(admission);
      results.set(admission.entry.tx.wtxid, { tx: admission.entry.tx, entry: admission.entry });
    }
  }
}

function checkShape(transactions: readonly Tx[]): void {
  if (transactions.length > mostInPackage) reject('package-too-many-transactions');
  const seen = new Set<Txid>();
  const spent = new Set<string>();
  for (const tx of transactions) {
    if (seen.has(tx.txid)) reject('package-contains-duplicates');
    if (
      tx.inputs.some(({ spends }) => transactions.some((other) => other.txid === spends.txid && !seen.has(other.txid)))
    )
      reject('package-not-sorted');
    for (const { spends } of tx.inputs) {
      if (spent.has(outpointKey(spends))) reject('conflict-in-package');
      spent.add(outpointKey(spends));
    }
    seen.add(tx.txid);
  }
  const child = transactions.at(-1);
  const parents = new Set(child?.inputs.map(({ spends }) => spends.txid));
  if (transactions.slice(0, -1).some(({ txid }) => !parents.has(txid))) reject('package-not-child-with-parents');
}
