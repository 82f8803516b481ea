import { height as heightOf, unix } from '../../engine/domain/time.ts';
import { coinPayoutLegs } from '../../engine/legs/lightning/timelocks.ts';
import { htlcScript, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { claimUntil } from '../../engine/legs/timelocks.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import {
  bitcoinLightning,
  type BitcoinLightningProgress,
  type BitcoinLightningTerms,
} from '../../engine/swap/directions/bitcoin-lightning.ts';
import { bitcoin, bitcoinArkadeCase, bitcoinArkadeTerms, lookAt } from './bitcoin-arkade-cases.ts';
import { arkadeLightningCase, arkadeLightningTerms, clocksAt, start, type Case, type Telling } from './cases.ts';
import { clocksAtHeight } from './lightning-bitcoin-cases.ts';
import { nameOf } from './table.ts';

const { hash, bolt11, maxFeeMsat, finalCltv } = arkadeLightningTerms;
const { sourceAmount, targetAmount, feeSats, networkFeeSats, keyIndex, toleranceBps, confirmations, htlcSince } =
  bitcoinArkadeTerms;
const legs = coinPayoutLegs({ clocks: clocksAt(start), finalCltv, confirmations, policy });
if ('refusal' in legs) throw new Error(legs.sentence);

const htlc: MusigHtlcTerms = {
  form: 'musig',
  hash: hash160OfSha256(hash),
  claimer: publicKeyOf(new Uint8Array(32).fill(1)),
  refunder: publicKeyOf(new Uint8Array(32).fill(2)),
  provider: 'claimer',
  sizeGuard: false,
  refundHeight: legs.refundHeight,
};

export const bitcoinLightningTerms: BitcoinLightningTerms = {
  ...{
    hash,
    sourceAmount,
    targetAmount,
    feeSats,
    networkFeeSats,
    keyIndex,
    toleranceBps,
    confirmations,
    htlcSince,
    policy,
  },
  ...{ bolt11, maxFeeMsat, finalCltv, invoiceExpiresAt: unix(start + 200_000) },
  ...{ fundBefore: legs.fundBefore, giveBefore: legs.lockBefore, payBefore: legs.lockBefore },
  maxTimeoutHeight: legs.maxTimeoutHeight,
  htlc,
  htlcScript: htlcScript(htlc).pkScript,
  htlcAddress: 'bcrt1phtlc',
};
const t = bitcoinLightningTerms;

const { refundHeight } = htlc;
/** From there on the coin is not surely ours. */
export const line = claimUntil(heightOf(refundHeight), policy);
/** The last height at which a payment can still be over in time. */
export const lastToPay = legs.maxTimeoutHeight - finalCltv - 3;
/** Blocks after which a payment that its node forgot has failed. */
const forgotten = legs.maxTimeoutHeight + 145;

const clock = { is: 'clock' } as const;
const byTime = /clock|locktime|refund opens|day after|at the line|too late|timeout|timed out/;
const ofTheirs: readonly Telling[] = bitcoinArkadeCase.events.filter(
  ({ label, event: { is } }) => (is === 'htlc.seen' || is.startsWith('onchain.')) && !byTime.test(label),
);
const ofOurs: readonly Telling[] = arkadeLightningCase.events.filter(
  ({ label, event: { is } }) => is.startsWith('payment.') && !byTime.test(label),
);
const at = (label: string, tip: number, event: Telling['event']): Telling => ({
  label,
  event,
  now: clocksAtHeight(tip),
});
/** Blocks came so fast that no clock of time says that it is late. */
const fast = (label: string, tip: number): Telling => ({
  label,
  event: { ...lookAt([bitcoin()]), height: tip },
  now: clocksAt(start + 60, { height: tip }),
});
const failed = { is: 'payment.seen', state: { is: 'failed', reason: 'no route' } } as const;
const absent = { is: 'payment.seen', state: { is: 'absent' } } as const;

export const bitcoinLightningCase: Case<BitcoinLightningTerms, BitcoinLightningProgress> = {
  machine: bitcoinLightning,
  terms: t,
  first: { at: 'pending', extras: [], vanished: false },
  events: [
    ...ofTheirs.filter(({ event }) => !('leg' in event) || event.leg === 'bitcoin'),
    ...ofOurs,
    fast('htlc.seen right, the last height to pay for it', lastToPay),
    fast('htlc.seen right, too few blocks to pay for it', lastToPay + 1),
    at('payment.seen absent, every HTLC timed out', forgotten, absent),
    at('payment.seen absent, timeouts not buried', forgotten - 1, absent),
    at('payment.seen failed, every HTLC timed out', forgotten, failed),
    { label: 'clock, funding window over', event: clock, now: clocksAt(t.fundBefore) },
    at('clock, the tip one below the height', refundHeight - 1, clock),
    at('clock, the tip at the height', refundHeight, clock),
    at('clock, a day of blocks later', refundHeight + 144, clock),
  ],
};

/** What the states are called here. */
export function calledOf(p: BitcoinLightningProgress): string {
  const extras = 'extras' in p && p.extras.length > 0 ? ' beside others' : '';
  const mined = p.at === 'claiming' && p.mined !== null ? ' mined' : '';
  const signed = p.at === 'claiming' && p.spends.length > 0 ? ' signed' : '';
  const halted = 'halted' in p ? ' halted' : '';
  return `${nameOf(p)}${signed}${mined}${halted}${'unwatched' in p ? ' unwatched' : ''}${extras}`;
}
