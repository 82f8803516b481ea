import type { SwapStatus } from '../../engine/domain/status.ts';
import { height as heightOf, unix } from '../../engine/domain/time.ts';
import { htlcAddress, htlcScript, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { TakeBitcoinLightningTerms } from './taken.ts';
import type { PaidLeg } from '../../engine/taker/halves/bitcoin/fund/terms.ts';
import type { Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { clocksAt, hash, preimage, start, startHeight, telling, type Case, type Telling } from '../swap/cases.ts';
import { clocksAtHeight } from '../swap/lightning-bitcoin-cases.ts';
import { bitcoin, deal as toArkade, spend, takeBitcoinCase, takeBitcoinTerms } from './bitcoin-arkade-cases.ts';
import { jointTellings, jointTxid } from './joint-cases.ts';
import { takeBitcoinLightning, type TakeBitcoinLightningProgress } from './taken.ts';

export const refundHeight = startHeight + 182;
const htlc: MusigHtlcTerms = {
  form: 'musig',
  hash: hash160OfSha256(hash),
  claimer: publicKeyOf(new Uint8Array(32).fill(1)),
  refunder: publicKeyOf(new Uint8Array(32).fill(2)),
  provider: 'claimer',
  sizeGuard: false,
  refundHeight,
};
const { operator: _, targetAddress: __, ...order } = takeBitcoinTerms;
export const terms: TakeBitcoinLightningTerms = {
  ...order,
  key: htlc.refunder,
  bolt11: 'lnbcrt1ours',
  invoiceExpiresAt: unix(start + 3_600),
};
export const deal: Deal<PaidLeg, LightningLeg> = {
  ...toArkade,
  source: { ...toArkade.source, htlc, script: htlcScript(htlc).pkScript, address: htlcAddress(htlc, 'regtest') },
  target: { on: 'lightning', amount: terms.targetAmount, bolt11: terms.bolt11, expiresAt: terms.invoiceExpiresAt },
};

const saying = (status: SwapStatus): Telling =>
  telling(`provider: ${status}`, { is: 'provider.seen', status }, clocksAt(start + 600));
function looking(label: string, tip: number, ...coins: ReturnType<typeof bitcoin>[]): Telling {
  const { wall, bitcoin: chain } = clocksAtHeight(tip);
  const event = { is: 'htlc.seen', coins, height: tip, mtp: chain.mtp ?? unix(0), asked: wall } as const;
  return { label, event, now: clocksAtHeight(tip) };
}
const ofCoin = takeBitcoinCase.events.filter(
  ({ label, event: { is } }) =>
    (is === 'htlc.seen' && label.startsWith('bitcoin: ')) || (is.startsWith('onchain.') && !label.includes('locktime')),
);

/** The provider's, of the coin that was paid. */
export const claim = { purpose: 'claim', coin: bitcoin().outpoint, preimage } as const;
export const signed = { txid: jointTxid, bytes: new Uint8Array(90) } as const;

export const waiting: TakeBitcoinLightningProgress = {
  at: 'waiting',
  deal,
  said: 'pending',
  coins: [],
  lookUntil: null,
  target: {},
};

export const takeBitcoinLightningCase: Case<TakeBitcoinLightningTerms, TakeBitcoinLightningProgress> = {
  machine: takeBitcoinLightning,
  terms,
  first: waiting,
  ...(takeBitcoinCase.alike === undefined
    ? {}
    : { alike: takeBitcoinCase.alike as unknown as (p: TakeBitcoinLightningProgress) => string }),
  events: [
    ...ofCoin,
    ...jointTellings('refund', bitcoin, heightOf(refundHeight)),
    looking('one below the height: mined', refundHeight - 1, bitcoin()),
    looking('at the height: nothing', refundHeight),
    looking('at the height: mined', refundHeight, bitcoin()),
    looking('at the height: claimed and buried', refundHeight, bitcoin({ spend: spend.claim(startHeight) })),
    ...(['clientfunded', 'serverfunded', 'clientredeemed', 'serverwontfund', 'expired'] as const).map(saying),
    telling('both: a claim is to be signed', { is: 'cosign.asked', ...claim }, clocksAt(start + 600)),
    telling('both: a claim was signed', { is: 'cosign.given', ...claim, ...signed }, clocksAt(start + 600)),
    telling('the owner wants it back', { is: 'refund.requested' }, clocksAt(start + 600)),
    telling('the owner does not want it', { is: 'cancel.requested' }, clocksAt(start + 600)),
    { label: 'clock, the tip one below the height', event: { is: 'clock' }, now: clocksAtHeight(refundHeight - 1) },
    { label: 'clock, the tip at the height', event: { is: 'clock' }, now: clocksAtHeight(refundHeight) },
  ],
};
