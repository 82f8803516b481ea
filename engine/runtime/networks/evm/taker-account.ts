import { keccak256 } from 'viem/utils';
import { chainIdOf, type EvmNetwork } from '../../../domain/chain.ts';
import { sameBytes } from '../../../domain/hash.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { transactionSignedBy } from '../../../legs/evm/account.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import type { EvmTransaction, SignedTransaction } from '../../../legs/evm/port.ts';
import type { TakerAccounts, TakerEvmKey } from '../../../legs/evm/taker-key.ts';
import type { Store } from '../../../store/store.ts';
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
