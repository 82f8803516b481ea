import { unix } from '../../engine/domain/time.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import type { TakeLightningEvmTerms } from './taken.ts';
import type { EvmLeg } from '../../engine/taker/evm/terms.ts';
import type { Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { start, type Case, type Telling } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { deal as onEvm, events as ofArkadeEvm, terms as arkadeEvmTerms } from './arkade-evm-cases.ts';
import { noLock, takeLightningEvm, type TakeLightningEvmProgress } from './taken.ts';

const { operator: _, ...order } = arkadeEvmTerms;
export const terms: TakeLightningEvmTerms = { ...order, description: 'Swap to an EVM chain' };

export const deal: Deal<LightningLeg, EvmLeg> = {
  ...onEvm,
  source: { on: 'lightning', amount: terms.sourceAmount, bolt11: 'lnbcrt1theirs', expiresAt: unix(start + 1_800) },
};

const saying = (status: SwapStatus, at = start + 600): Telling => ({
  label: `provider: ${status}${at === start + 600 ? '' : ', the invoice expired'}`,
  event: { is: 'provider.seen', status },
  now: evmClocksAt(at),
});
/** What is told of the provider's lock: the very same as where coins on Arkade pay for it. */
const ofLock = ofArkadeEvm.filter(
  ({ event: { is } }) => !is.startsWith('vhtlc.') && is !== 'provider.seen' && is !== 'refund.requested',
);

export const takeLightningEvmCase: Case<TakeLightningEvmTerms, TakeLightningEvmProgress> = {
  machine: takeLightningEvm,
  terms,
  first: { at: 'waiting', deal, said: 'pending', target: noLock },
  events: [
    ...ofLock,
    ...(['clientfunded', 'serverfunded', 'serverwontfund', 'expired'] as const).map((status) => saying(status)),
    saying('serverwontfund', deal.source.expiresAt + 60),
    { label: 'the owner does not want it', event: { is: 'cancel.requested' }, now: evmClocksAt(start + 600) },
    { label: 'the timelock', event: { is: 'clock' }, now: evmClocksAt(Number(deal.target.lock.timelock) + 60) },
  ],
};
