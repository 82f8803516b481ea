import { unix, type Clocks } from '../../engine/domain/time.ts';
import { htlcScript, type MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { legsForVhtlc } from '../../engine/legs/onchain/timelocks.ts';
import { publicKeyOf } from '../../engine/legs/secp256k1.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import {
  arkadeBitcoin,
  type ArkadeBitcoinProgress,
  type ArkadeBitcoinTerms,
} from '../../engine/swap/directions/arkade-bitcoin.ts';
import {
  arkadeLightningCase,
  arkadeLightningTerms,
  clocksAt,
  coin,
  start,
  startHeight,
  vhtlc as vhtlcUntil,
  type Case,
  type Telling,
} from './cases.ts';
import { claimedBy, evmBitcoinCase, evmBitcoinTerms, height, lookAtHtlc, seenCoin } from './evm-bitcoin-cases.ts';
import { clocksAtHeight } from './lightning-bitcoin-cases.ts';
import { nameOf } from './table.ts';

const legs = legsForVhtlc({ clocks: clocksAt(start), policy });
if ('refusal' in legs) throw new Error(legs.sentence);

const { hash, sourceAmount, feeSats, networkFeeSats, script, address, keyIndex } = arkadeLightningTerms;
const { serverKey, clientKeyText, toleranceBps } = arkadeLightningTerms;
const { htlcAddress, mostFee, htlcSince, targetAddress, targetAmount } = evmBitcoinTerms;
const vhtlc = vhtlcUntil(legs.refundLocktime);

const htlc: MusigHtlcTerms = {
  form: 'musig',
  hash: vhtlc.hash,
  claimer: publicKeyOf(new Uint8Array(32).fill(2)),
  refunder: publicKeyOf(new Uint8Array(32).fill(1)),
  provider: 'refunder',
  sizeGuard: true,
  refundHeight: legs.htlcRefundHeight,
};

export const arkadeBitcoinTerms: ArkadeBitcoinTerms = {
  ...{ hash, sourceAmount, feeSats, networkFeeSats, vhtlc, script, address, keyIndex, serverKey, clientKeyText },
  ...{ toleranceBps, fundBefore: legs.fundBefore, minCoinExpiry: legs.minCoinExpiry, policy },
  ...{ targetAmount, htlc, htlcAddress, mostFee, htlcSince, lockBefore: legs.lockBefore, targetAddress },
  htlcScript: htlcScript(htlc).pkScript,
};
const t = arkadeBitcoinTerms;
const { refundHeight } = htlc;

/** From this moment of median time past on no more of the VHTLC is surely ours than its claim needs. */
export const last = t.vhtlc.refundLocktime - policy.mtpLag - policy.margin / 2;

/** Median time past at a moment, and the tip, which blocks may have brought to any height by then. */
export function clocksOf(mtp: number, tip: number = height): Clocks {
  return { wall: unix(mtp + 1_800), bitcoin: { mtp: unix(mtp), height: tip } };
}

const byTime = /clock|expire|window|too late|locktime|timed out/;
const ofTheirs: readonly Telling[] = arkadeLightningCase.events.filter(({ label, event }) => {
  if ('purpose' in event && event.purpose !== 'claim') return false;
  if ('leg' in event) return event.leg === 'arkade';
  return /^(vhtlc|refund)/.test(event.is) && !byTime.test(label);
});
const ofOurs: readonly Telling[] = evmBitcoinCase.events
  .filter(({ event: { is } }) => is.startsWith('htlc.') || is.startsWith('onchain.'))
  .filter(({ label }) => !label.endsWith('the lock is about to open'))
  .map((telling) => ({ ...telling, now: clocksAtHeight(height) }));
const exact = { is: 'vhtlc.seen', coins: [coin()] } as const;
const overdue = refundHeight + 144;

export const arkadeBitcoinCase: Case<ArkadeBitcoinTerms, ArkadeBitcoinProgress> = {
  machine: arkadeBitcoin,
  terms: t,
  first: { at: 'pending', fenced: false },
  alike: (p) =>
    [
      nameOf(p),
      ...('extras' in p ? [p.extras.length, p.extras.some(({ spent }) => !spent)] : []),
      ...('claimTxid' in p ? [p.claimTxid !== null] : []),
      ...('spends' in p ? p.spends : []),
      ...('halted' in p ? ['halted'] : []),
      ...('exit' in p ? ['exit'] : []),
      ...('output' in p ? [p.funding === null, p.buried] : []),
      ...('redeem' in p && p.redeem !== undefined ? [p.redeem.txid] : []),
      ...('end' in p ? [p.end] : []),
      ...('doubt' in p ? [p.doubt?.placed === null] : []),
      ...('returned' in p ? ['returned'] : []),
    ].join(),
  events: [
    ...ofTheirs,
    ...ofOurs,
    {
      label: 'vhtlc.seen nothing, funding window over',
      event: { is: 'vhtlc.seen', coins: [] },
      now: clocksAt(t.fundBefore),
    },
    { label: 'vhtlc.seen exact, funding window over', event: exact, now: clocksAt(t.fundBefore) },
    {
      label: 'vhtlc.seen exact, no block for longer than the window and an hour',
      event: exact,
      now: { ...clocksOf(start + 5_401, startHeight), wall: unix(start + 60) },
    },
    {
      label: 'vhtlc.seen exact, the last block but one for its client',
      event: exact,
      now: { ...clocksOf(start, refundHeight - 16), wall: unix(start + 60) },
    },
    {
      label: 'vhtlc.seen exact, too few blocks for its client',
      event: exact,
      now: { ...clocksOf(start, refundHeight - 15), wall: unix(start + 60) },
    },
    { label: 'clock', event: { is: 'clock' }, now: clocksAt(start + 60) },
    { label: 'clock, the tip one below the height', event: { is: 'clock' }, now: clocksAtHeight(refundHeight - 1) },
    { label: 'clock, the tip at the height', event: { is: 'clock' }, now: clocksAtHeight(refundHeight) },
    { label: 'clock, the VHTLC surely ours no more', event: { is: 'clock' }, now: clocksOf(last) },
    {
      label: 'htlc.seen claimed in the mempool, the VHTLC surely ours no more',
      event: lookAtHtlc(seenCoin({ spend: claimedBy(null) })),
      now: clocksOf(last),
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
    { label: 'clock, locktime passed', event: { is: 'clock' }, now: clocksOf(t.vhtlc.refundLocktime + 1, overdue) },
    {
      label: 'clock, a day later',
      event: { is: 'clock' },
      now: clocksOf(t.vhtlc.refundLocktime + 86_401, overdue + 144),
    },
  ],
};

/** What the states are called here. */
export function calledOf(p: ArkadeBitcoinProgress): string {
  const doubt = 'doubt' in p ? ' doubtful' : '';
  const fenced = 'fenced' in p && p.fenced ? ' fenced' : '';
  const raced = p.at === 'refunding' && p.redeem !== undefined ? ' raced' : '';
  const signed = p.at === 'refunding' && p.spends.length > 0 ? ' signed' : '';
  const gift = 'output' in p && p.funding === null ? ' gift' : '';
  const buried = 'output' in p && p.buried && gift === '' ? ' buried' : '';
  const sent = p.at === 'claiming' && p.claimTxid !== null ? ' sent' : '';
  const exit = 'exit' in p ? ' on the chain' : '';
  const both = 'returned' in p ? ', ours back' : '';
  return `${nameOf(p)}${fenced}${doubt}${signed}${raced}${gift}${buried}${sent}${exit}${both}`.replace(
    ' fenced fenced',
    ' fenced',
  );
}
