import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { readInTurns } from './in-turns.ts';
import { logsOf, minedReceipt } from './receipts.ts';
import type { Sources } from './sources.ts';
import type { Source } from './source.ts';
import { transferOf } from './transfers.ts';

/** What a transaction brought of a token to an account, by one RPC; null where it has not mined it. */
export async function receivedBy(
  sources: Sources,
  source: Source,
  txid: Txid,
  { token, to }: { readonly token: EvmAddress; readonly to: EvmAddress },
): Promise<bigint | null> {
  const receipt = await minedReceipt(sources, source, txid);
  if (receipt === null) return null;
  return (await readInTurns(logsOf(receipt), transferOf))
    .filter((moved) => sameBytes(moved.token, token) && sameBytes(moved.to, to))
    .reduce((sum, { amount }) => sum + amount, 0n);
}
