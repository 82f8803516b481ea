import { type RawTransaction, readRawTx, readRawTxs } from '../../legs/raw-tx.ts';
import { doubleHash } from './headers.ts';

const headerLength = 80;

/** Hashed by Node, which is the faster: of a followed chain each id of each block is compared. */
export function readTransaction(bytes: Uint8Array): RawTransaction {
  const transaction = readRawTx(bytes, doubleHash);
  if (transaction === null) throw new RangeError('the bytes are not those of one transaction');
  return transaction;
}

/** The transactions of a block, without its header. */
export function readBlock(bytes: Uint8Array): RawTransaction[] {
  return readRawTxs(bytes, headerLength, doubleHash);
}
