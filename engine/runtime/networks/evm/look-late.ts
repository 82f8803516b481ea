import type { EvmEvent } from '../../../legs/evm/events.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import { swapKey } from '../../../legs/evm/swap-key.ts';
import type { EvmWatch } from '../../../legs/evm/watch.ts';

/**
 * Asks the contract once about the locks that a swap knows of, each by its own key, and reads no logs: whatever
 * strangers locked meanwhile is nothing to it. Two RPCs must say that a lock is gone, where there are two. Null while
 * none is.
 */
export async function lookLate(
  { htlc, locks = [] }: EvmWatch & { on: 'evm-lock' },
  port: EvmPort,
): Promise<(EvmEvent & { is: 'evm.unlocked' }) | null> {
  const keys: Uint8Array[] = [];
  for (const lock of locks) if (!(await port.isActive(htlc, lock, { agreed: true }))) keys.push(swapKey(lock));
  return keys.length === 0 ? null : { is: 'evm.unlocked', keys };
}
