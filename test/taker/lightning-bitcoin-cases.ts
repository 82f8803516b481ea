import { height as heightOf, unix } from '../../engine/domain/time.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import { htlcAddress, htlcScript, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { claimUntil } from '../../engine/legs/timelocks.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import type { TakeLightningBitcoinTerms } from './taken.ts';
import type { BitcoinLeg, Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { sats } from '../../engine/domain/money.ts';
import { clocksAt, start, startHeight, type Case, type Telling } from '../swap/cases.ts';
import { clocksAtHeight } from '../swap/lightning-bitcoin-cases.ts';
import {
  coinOf,
  deal as onBitcoin,
  events as ofEvmBitcoin,
  takenBack,
  terms as evmBitcoinTerms,
} from './evm-bitcoin-cases.ts';
import { jointTellings } from './joint-cases.ts';
import { noCoin, takeLightningBitcoin, type TakeLightningBitcoinProgress } from './taken.ts';

const refundHeight = startHeight + 72;
export const htlc: MusigHtlcTerms = {
  form: 'musig',
  hash: onBitcoin.target.htlc.hash,
  claimer: publicKeyOf(new Uint8Array(32).fill(2)),
  refunder: publicKeyOf(new Uint8Array(32).fill(1)),
  provider: 'refunder',
  sizeGuard: true,
  refundHeight,
};
/** The last height at which a claim is begun. */
export const line = claimUntil(heightOf(refundHeight), defaultPolicy);

const { provider, network, keyIndex, userId, hash, createBefore, policy } = evmBitcoinTerms;
export const terms: TakeLightningBitcoinTerms = {
  ...{ provider, network, keyIndex, userId, hash, createBefore, policy },
  key: htlc.claimer,
  sourceAmount: sats(100_500),
  targetAmount: sats(100_000),
  description: 'Swap to Bitcoin',
};

export const deal: Deal<LightningLeg, BitcoinLeg> = {
  ...onBitcoin,
  source: { on: 'lightning', amount: terms.sourceAmount, bolt11: 'lnbcrt1theirs', expiresAt: unix(start + 1_800) },
  target: {
    ...onBitcoin.target,
    htlc,
    script: htlcScript(htlc).pkScript,
    address: htlcAddress(htlc, 'regtest'),
  },
};

const saying = (status: SwapStatus, at = start + 600): Telling => ({
  label: `provider: ${status}${at === start + 600 ? '' : ', the invoice expired'}`,
  event: { is: 'provider.seen', status },
  now: clocksAt(at),
});
const looking = (label: string, tip: number, ...coins: ReturnType<typeof coinOf>[]): Telling => ({
  label,
  event: {
    is: 'htlc.seen',
    coins,
    height: tip,
    mtp: unix(start + 600 * (tip - startHeight) - 1_800),
    asked: unix(start + 600 * (tip - startHeight)),
  },
  now: clocksAtHeight(tip),
});
/** What is told of the provider's coin: the very same as where tokens pay for it, but for what a clock decides. */
const ofCoin = ofEvmBitcoin.filter(
  ({ label, event: { is } }) =>
    (is === 'htlc.seen' || is.startsWith('onchain.')) && !/too late$|taken back|after its locktime/.test(label),
);

export const takeLightningBitcoinCase: Case<TakeLightningBitcoinTerms, TakeLightningBitcoinProgress> = {
  machine: takeLightningBitcoin,
  terms,
  first: { at: 'waiting', deal, said: 'pending', target: noCoin },
  events: [
    ...ofCoin,
    ...jointTellings('claim', coinOf, heightOf(refundHeight)),
    looking('the coin, at the last height', line, coinOf()),
    looking('the coin, one block too late', line + 1, coinOf()),
    looking('taken back, in no block', refundHeight, coinOf({ spend: takenBack(null) })),
    looking('taken back, buried', refundHeight + 7, coinOf({ spend: takenBack(refundHeight + 1) })),
    looking('no coin, at its height', refundHeight),
    ...(['clientfunded', 'serverfunded', 'serverwontfund', 'expired'] as const).map((status) => saying(status)),
    saying('serverwontfund', deal.source.expiresAt + 60),
    { label: 'the owner does not want it', event: { is: 'cancel.requested' }, now: clocksAt(start + 600) },
    { label: 'the tip one below the height', event: { is: 'clock' }, now: clocksAtHeight(refundHeight - 1) },
    { label: 'the tip at the height', event: { is: 'clock' }, now: clocksAtHeight(refundHeight) },
  ],
};
