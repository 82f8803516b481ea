import type { SwapStatus } from '../../engine/domain/status.ts';
import type { TakerOutcome, TakerPhase } from '../../engine/domain/taker.ts';

/** What a status means for somebody who has never read the protocol. */
const meanings: Readonly<Record<SwapStatus | TakerPhase | TakerOutcome, string>> = {
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
  creating: 'The provider is asked',
  pay: 'Waiting for the payment',
  wait: 'Paid, the provider acts next',
  claim: 'This node is claiming',
  refund: 'Coming back',
  over: 'Over',
  finished: 'Done',
  returned: 'Everything came back',
  unpaid: 'Ended, nothing was paid',
  refused: 'No swap was made',
  lost: 'The provider took its coins back while this node claimed them',
};

export function meaningOf(status: string): string {
  return meanings[status as keyof typeof meanings] ?? status;
}
