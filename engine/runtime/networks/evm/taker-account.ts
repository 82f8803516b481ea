import { keccak256 } from 'viem/utils';
import { chainIdOf, type EvmNetwork } from '../../../domain/chain.ts';
import { PortFailure } from '../../../domain/errors.ts';
import { nativeCoin, type EvmAddress } from '../../../domain/evm.ts';
import { sameBytes } from '../../../domain/hash.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { transactionSignedBy } from '../../../legs/evm/account.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import type { EvmPort, EvmTransaction, SignedTransaction } from '../../../legs/evm/port.ts';
import type { TakerAccounts, TakerEvmKey } from '../../../legs/evm/taker-key.ts';
import type { Store } from '../../../store/store.ts';
import type { TransactionRow } from '../../../store/transactions.ts';
import { NotYet } from '../../not-yet.ts';
import { ifKnown } from '../if-known.ts';
import type { EvmContext } from './context.ts';
import { priceOf } from './gas.ts';
import { readTransaction } from './variants.ts';

/*
 * The taker's own account sends two things: approvals of Permit2, and what its owner sends on. It has no queue: one
 * transaction at a time, saved before it is sent, and sent again by the effect that waits for it.
 */

type AccountPurpose = Extract<EvmPurpose, 'taker-approve' | 'taker-pay'>;
const purposes: readonly AccountPurpose[] = ['taker-approve', 'taker-pay'];

export interface AccountTransaction {
  readonly txid: Txid;
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly transaction: EvmTransaction;
  readonly createdAt: number;
}

interface OfAccount {
  readonly network: EvmNetwork;
  readonly key: TakerEvmKey;
  readonly accounts: TakerAccounts;
  readonly store: Pick<Store, 'transactions'>;
}

/**
 * What was signed by this account for a purpose and is not over, whatever it was signed for: the same key signs the
 * same bytes again. By their places in its order, each dearer than the one before that it stands in the place of: a
 * wall that was set back orders nothing (facts/faults.md 109).
 */
export function onTheWayOf(purpose: AccountPurpose, of: OfAccount): AccountTransaction[] {
  return signedBy(of, of.store.transactions.onTheWay(purpose)).toSorted(
    ({ transaction: one }, { transaction: other }) =>
      one.nonce - other.nonce || (priceOf(one.fees) < priceOf(other.fees) ? -1 : 1),
  );
}

/** What of this account is mined for good, whatever it was signed for. */
export function finishedOf(purpose: AccountPurpose, of: OfAccount): EvmTransaction[] {
  return signedBy(of, of.store.transactions.finished(purpose)).map(({ transaction }) => transaction);
}

function signedBy({ network, key, accounts, store }: OfAccount, rows: readonly TransactionRow[]): AccountTransaction[] {
  return rows.flatMap(({ txid, subject, createdAt, network: on }) => {
    const bytes = on === network ? store.transactions.bytes(txid) : null;
    if (bytes === null) return [];
    const transaction = readTransaction(bytes);
    const isOurs = sameBytes(signedByTaker(transaction, network, key, accounts).bytes, bytes);
    return isOurs ? [{ txid, subject, bytes, transaction, createdAt }] : [];
  });
}

/**
 * Where its next transaction stands: no lower than what of it is mined, whoever counts too few (facts/faults.md 357).
 * By the word of one RPC alone a place may be far above, so that nothing would ever leave the account again
 * (facts/faults.md 297).
 */
export async function placeOf(
  port: Pick<EvmPort, 'minedOf' | 'receipt'>,
  account: EvmAddress,
  of: OfAccount,
): Promise<number> {
  const { mined, alone } = await port.minedOf(account);
  if (alone === true) {
    const words = `one RPC of ${of.network} alone says how many transactions of your account are mined: repair the others`;
    throw new NotYet(null, words, true);
  }
  let place = Math.max(mined, ...purposes.flatMap((each) => finishedOf(each, of)).map(({ nonce }) => nonce + 1));
  for (const { txid, transaction } of purposes.flatMap((each) => onTheWayOf(each, of))) {
    if (transaction.nonce < place) continue;
    const receipt = await ifKnown(() => port.receipt(txid, { agreed: true }));
    if (receipt !== null) place = transaction.nonce + 1;
  }
  return place;
}

/** What nodes say of all the variants of one transaction. */
export type Handed =
  | { readonly is: 'waits' }
  /** By every node, of every variant. `lacking`: what the account holds, where that does not pay for the cheapest. */
  | { readonly is: 'refused'; readonly reason: string; readonly lacking: Lacking | null };

interface Lacking {
  readonly held: bigint;
  readonly cheapest: EvmTransaction;
}

/**
 * Hands over the last variant, and where no node takes that the ones before it: of a dearer one that the account cannot
 * pay the one before is the one to be mined (facts/faults.md 322). What every node refuses, and enough RPCs say that
 * the account cannot pay, no block takes unless more coin comes: until then the next one has its place (298). Where an
 * RPC is silent besides, the ones before it are handed over all the same.
 */
export async function handOver(
  variants: readonly AccountTransaction[],
  account: EvmAddress,
  { port, context: { store, clock, taken } }: { readonly port: EvmPort; readonly context: EvmContext },
): Promise<Handed> {
  let reason = 'nothing of it was signed';
  const failures: PortFailure[] = [];
  for (const { txid, bytes } of variants.toReversed()) {
    // That it may be out there is on the disk first.
    store.transactions.sent(txid, clock.now().wall);
    const answer = await port.broadcast(bytes).catch((cause: unknown) => {
      if (!(cause instanceof PortFailure)) throw cause;
      failures.push(cause);
      return null;
    });
    if (answer === null) continue;
    if (answer.is === 'accepted') taken.add(txid);
    if (answer.is !== 'refused') return { is: 'waits' };
    if (txid === variants.at(-1)?.txid) ({ reason } = answer);
  }
  if (failures[0] !== undefined) throw failures[0];
  const held = await port.sureBalance(nativeCoin, account);
  const [cheapest] = variants.map(({ transaction }) => transaction);
  const isBeyond = cheapest !== undefined && held < priceOf(cheapest.fees) * cheapest.gas + cheapest.value;
  return { is: 'refused', reason, lacking: isBeyond ? { held, cheapest } : null };
}

export function signedByTaker(
  transaction: EvmTransaction,
  network: EvmNetwork,
  key: TakerEvmKey,
  accounts: TakerAccounts,
): SignedTransaction {
  const bytes = transactionSignedBy(chainIdOf(network), transaction, (digest) => {
    const { v, r, s } = accounts.sign(digest, key);
    return { r, s, yParity: v === 27 ? 0 : 1 };
  });
  return { txid: keccak256(bytes).slice(2), bytes };
}
