import type { EvmNetwork } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import type { Store } from '../../../store/store.ts';

export type Counts = Awaited<ReturnType<EvmPort['nonces']>>;

/**
 * How many transactions of the account are mined and known, as its RPCs count them, and no fewer than are buried by
 * receipts: an RPC that is far behind would have us sign with used nonces, and look after none that waits
 * (facts/faults.md 168).
 */
export async function countsOf(
  port: Pick<EvmPort, 'nonces' | 'account'>,
  network: EvmNetwork,
  store: Pick<Store, 'nonces'>,
): Promise<Counts> {
  const { mined, pending, ...more } = await port.nonces();
  const least = store.nonces.unburied({ network, account: toHex(port.account()) });
  return { mined: Math.max(mined, least), pending: Math.max(pending, least), ...more };
}
