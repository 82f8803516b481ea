import { keccak256 } from 'viem/utils';
import { chainIdOf, type EvmNetwork } from '../../../domain/chain.ts';
import { nativeCoin, type EvmAddress } from '../../../domain/evm.ts';
import { sameBytes } from '../../../domain/hash.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { transactionSignedBy } from '../../../legs/evm/account.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import type { EvmPort, EvmTransaction, SignedTransaction } from '../../../legs/evm/port.ts';
import type { TakerAccounts, TakerEvmKey } from '../../../legs/evm/taker-key.ts';
import type { Store } from '../../../store/store.ts';
import { NotYet } from '../../not-yet.ts';
import { priceOf } from './gas.ts';
import { readTransaction } from './variants.ts';

/*
 * The taker's own account sends two things: approvals of Permit2, and what its owner sends on. It has no queue: one
 * transaction at a time, saved before it is sent, and sent again by the effect that waits for it.
 */

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
export function onTheWayOf(
  purpose: Extract<EvmPurpose, 'taker-approve' | 'taker-pay'>,
  { network, key, accounts, store }: OfAccount,
): AccountTransaction[] {
  const signed = store.transactions.onTheWay(purpose).flatMap(({ txid, subject, createdAt, network: on }) => {
    const bytes = on === network ? store.transactions.bytes(txid) : null;
    if (bytes === null) return [];
    const transaction = readTransaction(bytes);
    const isOurs = sameBytes(signedByTaker(transaction, network, key, accounts).bytes, bytes);
    return isOurs ? [{ txid, subject, bytes, transaction, createdAt }] : [];
  });
  return signed.toSorted(
    ({ transaction: one }, { transaction: other }) =>
      one.nonce - other.nonce || (priceOf(one.fees) < priceOf(other.fees) ? -1 : 1),
  );
}

/**
 * Where its next transaction stands. By the word of one RPC alone a place may be far above, so that nothing would ever
 * leave the account again (facts/faults.md 297).
 */
export async function placeOf(
  port: Pick<EvmPort, 'minedOf'>,
  account: EvmAddress,
  network: EvmNetwork,
): Promise<number> {
  const { mined, alone } = await port.minedOf(account);
  if (alone !== true) return mined;
  const words = `one RPC of ${network} alone says how many transactions of your account are mined: repair the others`;
  throw new NotYet(null, words, true);
}

/**
 * Whether enough RPCs say that the account cannot pay for a transaction that every node refuses: no block takes it
 * unless more coin comes, and until then the next one has its place (facts/faults.md 298).
 */
export async function isBeyond(
  port: Pick<EvmPort, 'sureBalance'>,
  account: EvmAddress,
  { fees, gas, value }: EvmTransaction,
): Promise<boolean> {
  return (await port.sureBalance(nativeCoin, account)) < priceOf(fees) * gas + value;
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
