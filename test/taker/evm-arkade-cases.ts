import { unix } from '../../engine/domain/time.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { TakeEvmArkadeTerms } from './taken.ts';
import type { EvmLeg } from '../../engine/taker/evm/terms.ts';
import type { ArkadeLeg, Deal } from '../../engine/taker/terms.ts';
import { start, type Case, type Telling } from '../swap/cases.ts';
import { evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { deal as ofVhtlc, takeBitcoinCase, takeBitcoinTerms } from './bitcoin-arkade-cases.ts';
import { deal as ofLock, events as ofEvmBitcoin, terms as evmBitcoinTerms } from './evm-bitcoin-cases.ts';
import { awaitingTokens, noVhtlc, takeEvmArkade, type TakeEvmArkadeProgress } from './taken.ts';

export const deal: Deal<EvmLeg, ArkadeLeg> = {
  swapId: 'theirs',
  source: ofLock.source,
  target: ofVhtlc.target,
  costs: [{ part: 'service', sats: 260n }],
};

const { operator, targetAddress } = takeBitcoinTerms;
export const terms: TakeEvmArkadeTerms = { ...evmBitcoinTerms, operator, targetAddress };

export const waiting: TakeEvmArkadeProgress & { at: 'waiting' } = { ...awaitingTokens(deal), target: noVhtlc };

/** Of our lock: the very same as where the provider pays on the Bitcoin chain. */
const isOfLock = ({ event: { is } }: Telling): boolean => !is.startsWith('htlc.') && !is.startsWith('onchain.');

/** Of the provider's VHTLC and our claim of it: the very same as where we pay on the Bitcoin chain. */
function isOfVhtlc({ event }: Telling): boolean {
  return event.is.startsWith('vhtlc.') || ('leg' in event && event.leg === 'arkade');
}

/** The EVM chain's clock is as far as the wall. */
function onBoth({ label, event, now }: Telling): Telling {
  const { [network]: chain } = evmClocksAt(now.wall);
  return { label, event, now: { ...now, [network]: chain! } };
}

const clock: Event = { is: 'clock' };
const overAt = Number(deal.source.lock.timelock) + 60;

export const events: readonly Telling[] = [
  ...ofEvmBitcoin.filter(isOfLock),
  ...takeBitcoinCase.events.filter(isOfVhtlc).map(onBoth),
  { label: 'the VHTLC is over', event: clock, now: evmClocksAt(deal.target.vhtlc.refundLocktime + 1_801) },
  { label: 'an hour before the timelock', event: clock, now: evmClocksAt(unix(overAt - 3_660)) },
  { label: 'clock', event: clock, now: evmClocksAt(start + 60) },
];

export const takeEvmArkadeCase: Case<TakeEvmArkadeTerms, TakeEvmArkadeProgress> = {
  machine: takeEvmArkade,
  terms,
  first: waiting,
  events,
};
