import type { SwapStatus } from '../../engine/domain/status.ts';

/** What a status means for somebody who has never read the protocol. */
const meanings: Readonly<Record<SwapStatus, string>> = {
  pending: 'Waiting for the funding',
  clientfundingseen: 'Funding seen, not final yet',
  clientfunded: 'Funded, the service acts next',
  clientrefunded: 'Refunded to the client',
  serverfunded: 'The service has paid or locked its side',
  clientredeeming: 'The client is claiming',
  clientredeemed: 'The client has claimed, the service claims next',
  serverredeemed: 'Done',
  clientfundedserverrefunded: 'The service took its side back, the client can refund',
  clientrefundedserverfunded: 'Refunded to the client while the service was funded',
  clientrefundedserverrefunded: 'Ended, both sides have their money back',
  expired: 'Expired without funding',
  clientinvalidfunded: 'Funded with a wrong amount, the client can refund',
  clientfundedtoolate: 'Funded too late, the client can refund',
  serverwontfund: 'The service will not pay, the client can refund',
  clientredeemedandclientrefunded: 'Claimed and refunded by the client',
};

export function meaningOf(status: string): string {
  return meanings[status as SwapStatus] ?? status;
}
