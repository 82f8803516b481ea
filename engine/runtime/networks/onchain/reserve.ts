import { directionNames } from '../../../domain/chain.ts';
import type { SwapStatus } from '../../../domain/status.ts';
import type { FeeReserve } from '../../../legs/onchain/fee-reserve.ts';
import { feeReserveFor } from '../../../quote/fee-reserve.ts';
import type { Store } from '../../../store/store.ts';

const directions: ReadonlySet<string> = new Set(directionNames);
/** Value of ours is locked or on its way, and not back yet. */
const atRisk: ReadonlySet<string> = new Set<SwapStatus>([
  'clientfunded',
  'serverfunded',
  'clientredeeming',
  'clientredeemed',
]);

/** What the Bitcoin wallet keeps for fees now. */
export function feeReserveNow(store: Pick<Store, 'swaps'>): FeeReserve {
  const open = { htlcs: 0, vhtlcs: 0 };
  for (const { machine, status, count } of store.swaps.openCounts()) {
    if (!directions.has(machine) || !atRisk.has(status)) continue;
    // A direction is named by its two networks: there its value may have to be claimed or taken back.
    const networks = machine.split('-');
    if (networks.includes('bitcoin')) open.htlcs += count;
    if (networks.includes('arkade')) open.vhtlcs += count;
  }
  return feeReserveFor(open);
}
