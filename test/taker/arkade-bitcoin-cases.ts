import { unix } from '../../engine/domain/time.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import type { TakeArkadeBitcoinTerms } from './taken.ts';
import type { ArkadeLeg, BitcoinLeg, Deal } from '../../engine/taker/terms.ts';
import { clocksAt, start, startHeight, vhtlc, type Case, type Telling } from '../swap/cases.ts';
import { arkadeBitcoinTerms } from '../swap/arkade-bitcoin-cases.ts';
import { clocksAtHeight } from '../swap/lightning-bitcoin-cases.ts';
import { fundDeal, takeArkadeCase, takeArkadeTerms } from './cases.ts';
import { coinOf, takenBack } from './evm-bitcoin-cases.ts';
import {
  deal as onBitcoin,
  htlc,
  line,
  takeLightningBitcoinCase,
  terms as toBitcoin,
} from './lightning-bitcoin-cases.ts';
import { noCoin, takeArkadeBitcoin, type TakeArkadeBitcoinProgress } from './taken.ts';

export { htlc, line };

const { bolt11: _bolt11, invoiceExpiresAt: _expires, ...order } = takeArkadeTerms;
export const terms: TakeArkadeBitcoinTerms = { ...order, key: toBitcoin.key, targetAmount: toBitcoin.targetAmount };

const { refundLocktime } = arkadeBitcoinTerms.vhtlc;
export const deal: Deal<ArkadeLeg, BitcoinLeg> = {
  ...onBitcoin,
  source: { ...fundDeal.source, vhtlc: vhtlc(refundLocktime) },
};

/** Blocks of ten minutes until our own refund opens. */
const opens = startHeight + Math.ceil((refundLocktime + 4 * 3_600 - start) / 600);
const saying = (status: SwapStatus, at = start + 600): Telling => ({
  label: `provider: ${status}${at === start + 600 ? '' : ', later'}`,
  event: { is: 'provider.seen', status },
  now: clocksAt(at),
});
/**
 * What is told of our own coins, the very same as where an invoice is paid for them. Of what only one half minds the
 * cases of its other directions have more: beside each other there would be thousands of states.
 */
const isOfOneHalf = /two coins|beside|another|not readable|without a reason|refused|nobody knows|, later$/;
const ofCoins = takeArkadeCase.events.filter(
  ({ label, event: { is } }) => /^(vhtlc|refund|provider.declined)/.test(is) && !isOfOneHalf.test(label),
);
/** What is told of the provider's coin, the very same as where a held payment pays for it. */
const ofHtlc = takeLightningBitcoinCase.events.filter(
  ({ label, event: { is } }) => /^(htlc|onchain)/.test(is) && !isOfOneHalf.test(label),
);

export const takeArkadeBitcoinCase: Case<TakeArkadeBitcoinTerms, TakeArkadeBitcoinProgress> = {
  machine: takeArkadeBitcoin,
  terms,
  first: { at: 'waiting', deal, said: 'pending', coins: [], expiresAt: null, proof: null, target: noCoin },
  events: [
    ...ofCoins,
    ...ofHtlc,
    saying('serverfunded'),
    saying('serverwontfund'),
    saying('serverwontfund', start + 7_200),
    {
      label: 'the coin taken back, our own refund open',
      event: {
        is: 'htlc.seen',
        coins: [coinOf({ spend: takenBack(htlc.refundHeight + 1) })],
        height: opens,
        mtp: unix(refundLocktime + 1),
        asked: unix(refundLocktime + 3_600),
      },
      now: clocksAtHeight(opens),
    },
    { label: 'the owner does not want it', event: { is: 'cancel.requested' }, now: clocksAt(start + 600) },
    { label: 'the tip at the height', event: { is: 'clock' }, now: clocksAtHeight(htlc.refundHeight) },
    { label: 'our own refund open', event: { is: 'clock' }, now: clocksAtHeight(opens) },
  ],
};
