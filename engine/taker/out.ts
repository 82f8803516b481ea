import type { SwapStatus } from '../domain/status.ts';

/** lightning-arkade: in these the provider will not lock any more. */
export const lockerIsOut: ReadonlySet<SwapStatus> = new Set([
  'expired',
  'serverwontfund',
  'clientrefunded',
  'clientfundedserverrefunded',
  'clientrefundedserverrefunded',
]);

/** arkade-lightning: in these it will not pay any more, or has done so, and owes us its signature on whatever is left. */
export const payerIsOut: ReadonlySet<SwapStatus> = new Set([
  'expired',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
  'clientrefunded',
  'serverredeemed',
]);
