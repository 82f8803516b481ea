import type { EvmNetwork } from '../../../domain/chain.ts';
import { toHex } from '../../../domain/hex.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import type { Store } from '../../../store/store.ts';

export interface Counts extends Awaited<ReturnType<EvmPort['nonces']>> {
  /** How many are mined without what is not buried yet: below it a place is used for good. */
  readonly counted: number;
}

/**
 * How many transactions of the account are mined and known, as its RPCs count them, and no fewer than receipts show
 * that two agreed on: an RPC that is far behind, or lies, would have us sign with used nonces, and look after none that
 * waits (facts/faults.md 168, 357).
 */
export async function countsOf(
  port: Pick<EvmPort, 'nonces' | 'account'>,
  network: EvmNetwork,
  store: Pick<Store, 'nonces'>,
): Promise<Counts> {
  const { mined, pending, ...more } = await port.nonces();
  const place = { network, account: toHex(port.account()) };
  const counted = Math.max(mined, store.nonces.unburied(place));
  const least = Math.max(counted, store.nonces.unmined(place));
  return { mined: least, pending: Math.max(pending, least), counted, ...more };
}
