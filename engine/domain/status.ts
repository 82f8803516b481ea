/** The sixteen wire statuses of a swap, in the order of the published interface (facts/clients.md 28). */
export const swapStatuses = [
  'pending',
  'clientfundingseen',
  'clientfunded',
  'clientrefunded',
  'serverfunded',
  'clientredeeming',
  'clientredeemed',
  'serverredeemed',
  'clientfundedserverrefunded',
  'clientrefundedserverfunded',
  'clientrefundedserverrefunded',
  'expired',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
  'clientredeemedandclientrefunded',
] as const;

export type SwapStatus = (typeof swapStatuses)[number];
