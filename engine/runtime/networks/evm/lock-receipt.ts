import { sameBytes } from '../../../domain/hash.ts';
import type { StillDeposited } from '../../../legs/evm/conditions.ts';
import type { EvmPort, EvmReceipt } from '../../../legs/evm/port.ts';
import { swapKey } from '../../../legs/evm/swap-key.ts';

/** A lock, and the transaction that made it. */
export type MadeLock = Pick<StillDeposited, 'network' | 'htlc' | 'lock' | 'txid'>;

/** Of the transaction that made a lock; null where it is in no block, or made none. `agreed`: as of the port. */
export async function receiptOfLock(
  port: Pick<EvmPort, 'receipt'>,
  { htlc, lock, txid }: MadeLock,
  how: { readonly agreed: boolean },
): Promise<EvmReceipt | null> {
  const receipt = await port.receipt(txid, how);
  if (receipt === null || !receipt.ok) return null;
  const key = swapKey(lock);
  const made = receipt.events.some(
    (event) => event.what.is === 'created' && sameBytes(event.htlc, htlc) && sameBytes(event.key, key),
  );
  return made ? receipt : null;
}
