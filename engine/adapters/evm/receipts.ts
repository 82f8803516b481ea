import type { Txid } from '../../domain/outpoint.ts';
import type { EvmReceipt } from '../../legs/evm/port.ts';
import { NoAnswer } from '../probe/answer.ts';
import { lockEventOf } from './events.ts';
import { readInTurns } from './in-turns.ts';
import { asCount, asFields, asHash, type Fields } from './read.ts';
import { asQuantity } from './rpc.ts';
import type { Sources } from './sources.ts';
import type { Source } from './source.ts';
import { transferOf } from './transfers.ts';

/** The receipt of a mined transaction as one RPC gives it; null where it has not mined it. */
export async function minedReceipt(sources: Sources, source: Source, txid: Txid): Promise<Fields | null> {
  const answer = await sources.ask(source, 'eth_getTransactionReceipt', `0x${txid}`);
  if (answer === null) return null;
  const receipt = asFields(answer, 'a receipt');
  // Some nodes show the receipt of a transaction that waits.
  if (receipt['blockNumber'] === null || receipt['blockHash'] === null) return null;
  if (asHash(receipt['transactionHash'], 'id of a transaction') !== txid)
    throw new NoAnswer('not-it', 'it gave the receipt of another transaction');
  return receipt;
}

export function logsOf(receipt: Fields): readonly unknown[] {
  const logs = receipt['logs'];
  if (!Array.isArray(logs)) throw new NoAnswer('not-it', 'it gave a receipt without a list of logs');
  return logs;
}

/** What became of a mined transaction by one RPC; null where it has not mined it. */
export async function receiptBy(sources: Sources, source: Source, txid: Txid): Promise<EvmReceipt | null> {
  const receipt = await minedReceipt(sources, source, txid);
  if (receipt === null) return null;
  const status = asQuantity(receipt['status'], 'the status of a receipt');
  if (status > 1n) throw new NoAnswer('not-it', `it gave the status ${status} of a transaction`);
  const gasUsed = asQuantity(receipt['gasUsed'], 'the gas of a receipt');
  const price = await priceOf(receipt, () => sources.ask(source, 'eth_getTransactionByHash', `0x${txid}`));
  // Chains on top of another one charge its part apart (facts/evm.md 14).
  const below =
    receipt['l1Fee'] === undefined || receipt['l1Fee'] === null ? 0n : asQuantity(receipt['l1Fee'], 'a fee');
  const logs = logsOf(receipt);
  return {
    ok: status === 1n,
    height: asCount(receipt['blockNumber'], 'the height of a receipt'),
    blockHash: asHash(receipt['blockHash'], 'block of a receipt'),
    cost: gasUsed * price + below,
    events: await readInTurns(logs, lockEventOf),
    transfers: await readInTurns(logs, transferOf),
  };
}

/** Older nodes have the price in the transaction alone. */
async function priceOf(receipt: Fields, transaction: () => Promise<unknown>): Promise<bigint> {
  const price = receipt['effectiveGasPrice'];
  if (price !== undefined && price !== null) return asQuantity(price, 'the price of gas');
  return asQuantity(asFields(await transaction(), 'a transaction')['gasPrice'], 'the price of gas');
}
