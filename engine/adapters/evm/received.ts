import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Txid } from '../../domain/outpoint.ts';
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
  return logsOf(receipt).reduce<bigint>((sum, log) => {
    const moved = transferOf(log);
    return moved !== null && sameBytes(moved.token, token) && sameBytes(moved.to, to) ? sum + moved.amount : sum;
  }, 0n);
}
