import { height as heightOf, unix, type Clocks } from '../../engine/domain/time.ts';
import { holdCoinLegs } from '../../engine/legs/lightning/timelocks.ts';
import { htlcScript, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import {
  lightningBitcoin,
  type LightningBitcoinProgress,
  type LightningBitcoinTerms,
} from '../../engine/swap/directions/lightning-bitcoin.ts';
import {
  clocksAt,
  lightningArkadeCase,
  lightningArkadeTerms,
  start,
  startHeight,
  type Case,
  type Telling,
} from './cases.ts';
import { evmBitcoinCase, evmBitcoinTerms, height, lookAtHtlc, seenCoin } from './evm-bitcoin-cases.ts';
import { nameOf } from './table.ts';

const legs = holdCoinLegs({ clocks: clocksAt(start), policy });
if ('refusal' in legs) throw new Error(legs.sentence);

const { hash, sourceAmount, feeSats, networkFeeSats, description } = lightningArkadeTerms;
const { htlcAddress, keyIndex, mostFee, htlcSince, targetAddress, targetAmount } = evmBitcoinTerms;

const htlc: MusigHtlcTerms = {
  form: 'musig',
  hash: evmBitcoinTerms.htlc.hash,
  claimer: publicKeyOf(new Uint8Array(32).fill(2)),
  refunder: publicKeyOf(new Uint8Array(32).fill(1)),
  provider: 'refunder',
  sizeGuard: true,
  refundHeight: legs.htlcRefundHeight,
};

export const lightningBitcoinTerms: LightningBitcoinTerms = {
  ...{ hash, sourceAmount, feeSats, networkFeeSats, description, policy },
  ...{ fundBefore: legs.fundBefore, lockBefore: legs.lockBefore, cltvDelta: legs.cltvDelta, back: legs.back },
  ...{ targetAmount, htlc, htlcAddress, keyIndex, mostFee, htlcSince, targetAddress },
  htlcScript: htlcScript(htlc).pkScript,
};
const t = lightningBitcoinTerms;

/** A height of the tip, with both clocks of time as they are on average by then. */
export function clocksAtHeight(tip: number): Clocks {
  const wall = unix(start + 600 * Math.max(0, tip - startHeight));
  return { wall, bitcoin: { mtp: unix(Math.max(0, wall - 1_800)), height: heightOf(tip) } };
}

const ofTheirs: readonly Telling[] = lightningArkadeCase.events.filter(
  ({ event: { is } }) => is.startsWith('hold.') || is === 'abandoned',
);
const ofOurs: readonly Telling[] = evmBitcoinCase.events
  .filter(({ event: { is } }) => is.startsWith('htlc.') || is.startsWith('onchain.'))
  .filter(({ label }) => !label.endsWith('the lock is about to open'))
  .map((telling) => ({ ...telling, now: clocksAtHeight(height) }));
const held = ofTheirs.find(({ label }) => label === 'hold.seen held')!;
const refundHeight = legs.htlcRefundHeight;
/** From there on the payment is not surely ours. */
export const stopHeight = (expiryHeight: number): number =>
  expiryHeight - policy.lndCancelBlocks - policy.reactionBlocks;
export const expiryHeight = startHeight + legs.cltvDelta;

const heldState = { is: 'held', amount: sourceAmount, smallest: sourceAmount, expiryHeight } as const;
const overdue = refundHeight + 144;

export const lightningBitcoinCase: Case<LightningBitcoinTerms, LightningBitcoinProgress> = {
  machine: lightningBitcoin,
  terms: t,
  first: { at: 'opening' },
  alike: (p) =>
    [
      nameOf(p),
      ...('cancelled' in p ? ['cancelled'] : []),
      ...('spends' in p ? p.spends : []),
      ...('halted' in p ? ['halted'] : []),
      ...('output' in p ? [p.funding === null, p.buried] : []),
      ...('redeem' in p && p.redeem !== undefined ? [p.redeem.txid] : []),
      ...('end' in p ? [p.end] : []),
      ...('doubt' in p ? [p.doubt?.placed === null] : []),
      ...('returned' in p ? ['returned'] : []),
    ].join(),
  events: [
    ...ofTheirs.filter(({ label }) => !/held/.test(label)),
    { ...held, event: { is: 'hold.seen', state: heldState } },
    {
      ...held,
      label: 'hold.seen held one block too briefly',
      event: { is: 'hold.seen', state: { ...heldState, expiryHeight: t.cltvDelta + startHeight - 23 } },
    },
    {
      ...held,
      label: 'hold.seen held, the last block but one for its client',
      event: { is: 'hold.seen', state: heldState },
      now: clocksAtHeight(refundHeight - 16),
    },
    {
      ...held,
      label: 'hold.seen held, too few blocks for its client',
      event: { is: 'hold.seen', state: heldState },
      now: clocksAtHeight(refundHeight - 15),
    },
    ...ofOurs,
    { label: 'clock, funding window over', event: { is: 'clock' }, now: clocksAt(t.fundBefore) },
    { label: 'clock, the tip one below the height', event: { is: 'clock' }, now: clocksAtHeight(refundHeight - 1) },
    { label: 'clock, the tip at the height', event: { is: 'clock' }, now: clocksAtHeight(refundHeight) },
    {
      label: 'clock, the payment surely ours no more',
      event: { is: 'clock' },
      now: clocksAtHeight(stopHeight(expiryHeight)),
    },
    {
      label: 'htlc.seen claimed in the mempool, the payment surely ours no more',
      event: lookAtHtlc(seenCoin({ spend: claimSpend() })),
      now: clocksAtHeight(stopHeight(expiryHeight)),
    },
    {
      label: 'htlc.seen nothing, a day after the height',
      event: { ...lookAtHtlc(), height: overdue },
      now: clocksAtHeight(overdue),
    },
    {
      label: 'htlc.seen ours, a day after the height',
      event: { ...lookAtHtlc(seenCoin()), height: overdue },
      now: clocksAtHeight(overdue),
    },
  ],
};

function claimSpend() {
  const telling = evmBitcoinCase.events.find(({ label }) => label === 'htlc.seen claimed in the mempool');
  const event = telling?.event;
  const spend = event?.is === 'htlc.seen' ? event.coins[0]?.spend : null;
  if (spend === null || spend === undefined) throw new Error('nothing claims it');
  return spend;
}

/** What the states are called here. */
export function calledOf(p: LightningBitcoinProgress): string {
  const doubt = 'doubt' in p ? ' doubtful' : '';
  const cancel = 'cancelled' in p && !nameOf(p).includes('cancelled') ? ' cancelled' : '';
  const raced = p.at === 'refunding' && p.redeem !== undefined ? ' raced' : '';
  const signed = p.at === 'refunding' && p.spends.length > 0 ? ' signed' : '';
  const gift = 'output' in p && p.funding === null ? ' gift' : '';
  const buried = 'output' in p && p.buried && gift === '' ? ' buried' : '';
  return `${nameOf(p)}${cancel}${doubt}${signed}${raced}${gift}${buried}`;
}
