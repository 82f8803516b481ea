import type { ResultKind } from '../../../domain/accounts.ts';
import type { EvmNetwork } from '../../../domain/chain.ts';
import { returnedBy } from '../../../legs/evm/calls.ts';
import type { EvmReceipt } from '../../../legs/evm/port.ts';
import type { Mined, NonceRow, Takes } from '../../../store/nonces.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { ifKnown } from '../if-known.ts';
import { own } from './gas.ts';
import { bookMined, coinAsset, movedBy } from './moved.ts';
import { settleOutlay } from './outlay.ts';
import type { Look, QueueOptions } from './look.ts';
import { deepest } from './rules.ts';
import { isWaiting, readTransaction, variantsOf } from './variants.ts';

/** What is mined is asked for again after so many blocks, for a reorganisation may move it. */
const againAfter = 8;
/** Receipts asked for at once. */
const atOnce = 32;

/** What a look found out about one, and whether that is its end. */
interface Fate {
  readonly row: NonceRow;
  readonly mined: Mined | null;
  readonly end: 'settled' | 'gone' | null;
}

/**
 * The account that a ledger's line of gas is written to: what a client's relay cost stands apart from what our own acts
 * did.
 */
function kindOf({ purpose }: NonceRow): ResultKind {
  return purpose.startsWith('relay-') || purpose === 'permit' ? 'relay-gas-paid' : 'gas-paid';
}

/**
 * Finds out which variant of a nonce's transaction was mined, by receipts that two RPCs agree on, and ends it once it
 * is buried. What a count of nonces alone says ends nothing: it takes as many blocks again without any receipt until a
 * transaction is given up.
 */
export function createMinedWatch(
  network: EvmNetwork,
  { store, rules, onMined, isUsed }: QueueOptions & { readonly isUsed: (row: NonceRow) => boolean },
) {
  const askedAt = new Map<number, number>();
  const missingSince = new Map<number, number>();

  async function receiptOf(
    variants: readonly TransactionRow[],
    { port }: Look,
  ): Promise<{ readonly by: TransactionRow; readonly receipt: EvmReceipt } | null> {
    for (const by of [...variants].reverse()) {
      const receipt = await port.receipt(by.txid, { agreed: true });
      if (receipt !== null) return { by, receipt };
    }
    return null;
  }

  function save({ row, mined, end }: Fate, { wall }: Look): void {
    store.nonces.mined(row, mined);
    if (mined !== null || end === 'gone') settleOutlay(row, mined?.cost ?? 0n, network, rules, store);
    if (end === null) return;
    store.nonces.close(row, end);
    for (const { txid, state } of store.transactions.onNonce(row))
      if (state !== 'final') store.transactions.close(txid, txid === mined?.by ? 'final' : 'dead', wall);
    if (mined === null) return;
    if (mined.cost > 0n)
      store.ledger.write(row.subject, wall, kindOf(row), { network, asset: coinAsset, amount: -mined.cost });
    bookMined(store, row, mined, wall);
  }

  /** Of a refund alone: hundreds of claims are mined in one block, and no bytes of them are opened for this. */
  function returnedIn({ txid, purpose }: TransactionRow): bigint {
    const bytes = purpose === 'refund' ? store.transactions.bytes(txid) : null;
    return bytes === null ? 0n : returnedBy(readTransaction(bytes));
  }

  /** What used the place for nothing took nothing (facts/faults.md 330). */
  function takenBy({ purpose }: TransactionRow, { takes }: NonceRow): Takes | null {
    return purpose === 'cancel' ? null : takes;
  }

  /**
   * Whether its receipts are asked for. Above what RPCs count as well: where a node refuses it for its nonce, and of
   * the first in line what waits for long, for an RPC may count too few and say that it takes it (facts/faults.md 357).
   */
  function isToAsk(row: NonceRow, { tip: { height }, nonces }: Look, isFirst: boolean): boolean {
    const { nonce, mined } = row;
    const last = askedAt.get(nonce);
    if (mined !== null) {
      const isBuried = height - mined.height + 1 >= deepest(rules(network));
      return isBuried || nonce >= nonces.counted || height - (last ?? 0) >= againAfter;
    }
    if (nonce < nonces.mined || isUsed(row)) return true;
    if (isFirst && last === undefined) askedAt.set(nonce, height);
    return isFirst && height - (last ?? height) >= againAfter;
  }

  /** Null where nothing about it is new. */
  async function fateOf(row: NonceRow, look: Look, isFirst: boolean): Promise<Fate | null> {
    const { height } = look.tip;
    const depth = deepest(rules(network));
    // A claim of ours that nodes refuse for its nonce is made again with another one, whatever they count: made twice
    // it costs its gas, and waiting for ever all that it claims (facts/faults.md 168).
    const isOwn = own.has(row.purpose) && row.mined === null && isUsed(row);
    const mayBeGone = row.nonce < look.nonces.counted || isOwn;
    if (!mayBeGone) missingSince.delete(row.nonce);
    if (!isToAsk(row, look, isFirst)) return null;
    const match = await receiptOf(variantsOf(row, store).all, look);
    askedAt.set(row.nonce, height);
    if (match === null && !mayBeGone) return row.mined === null ? null : { row, mined: null, end: null };
    if (match === null) {
      // While nobody backs that it was used: what is given up could be mined all the same, and be paid twice
      // (facts/faults.md 86).
      const before = look.nonces.alone === true && !isOwn ? undefined : missingSince.get(row.nonce);
      const since = before ?? height;
      missingSince.set(row.nonce, since);
      // The nonce is used and nothing of ours used it, for as many blocks as bury anything.
      if (height - since >= depth) return { row, mined: null, end: 'gone' };
      return row.mined === null ? null : { row, mined: null, end: null };
    }
    missingSince.delete(row.nonce);
    const { by, receipt } = match;
    const mined: Mined = {
      by: by.txid,
      ok: receipt.ok,
      height: receipt.height,
      cost: receipt.cost,
      moved: movedBy({ takes: takenBy(by, row), returned: returnedIn(by) }, receipt, look.port.account()),
    };
    return { row, mined, end: height - receipt.height + 1 >= depth ? 'settled' : null };
  }

  /** All of a batch in one commit: a block may have hundreds of ours. */
  function saveAll(fates: readonly Fate[], look: Look): void {
    if (fates.length === 0) return;
    store.atomically(() => {
      for (const fate of fates) save(fate, look);
    });
    for (const { row, end } of fates)
      if (end !== null) for (const heights of [askedAt, missingSince]) heights.delete(row.nonce);
    if (fates.some(({ row, mined }) => row.mined === null && mined !== null)) onMined();
  }

  return {
    /**
     * True when anything is new. `between` is done after each batch of receipts: hundreds of them keep nothing waiting.
     */
    async look(rows: readonly NonceRow[], look: Look, between: () => Promise<void>): Promise<boolean> {
      let isNew = false;
      // Where two RPCs do not agree nothing is known, and everything is sent all the same.
      const first = new Set(rows.filter(isWaiting).slice(0, atOnce));
      for (let i = 0; i < rows.length; i += atOnce) {
        const fates = await Promise.all(
          rows.slice(i, i + atOnce).map((row) => ifKnown(() => fateOf(row, look, first.has(row)))),
        );
        const news = fates.filter((fate) => fate !== null);
        saveAll(news, look);
        isNew ||= news.length > 0;
        await between();
      }
      return isNew;
    },
  };
}
