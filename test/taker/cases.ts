import { asPublicKey } from '../../engine/domain/hash.ts';
import { sats, type Sats } from '../../engine/domain/money.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import type { ArkadeLeg, Deal, LightningLeg } from '../../engine/taker/terms.ts';
import type { TakeArkadeLightningTerms } from './taken.ts';
import type { TakeLightningArkadeTerms } from './taken.ts';
import type { Purpose } from '../../engine/legs/arkade/effects.ts';
import {
  arkadeLightningTerms,
  clocksAt,
  coin,
  coinPoint,
  hash,
  lightningArkadeTerms,
  otherPoint,
  preimage,
  start,
  txid,
  type Case,
  type Telling,
} from '../swap/cases.ts';
import {
  noVhtlc,
  takeArkadeLightning,
  takeLightningArkade,
  type TakeArkadeLightningProgress,
  type TakeLightningArkadeProgress,
} from './taken.ts';

type ArkadeSide = typeof lightningArkadeTerms | typeof arkadeLightningTerms;

const key = asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(9)));
const operator = { signer: lightningArkadeTerms.vhtlc.operator, exitDelay: seconds(512) };
const request = {
  provider: 'https://provider.example',
  network: 'regtest',
  operator,
  keyIndex: 5,
  key,
  userId: 'user',
  hash,
  createBefore: unix(start + 60),
  policy: defaultPolicy,
} as const;

const invoiceExpiresAt = unix(start + 1_800);
const costs = [
  { part: 'service', sats: 200n },
  { part: 'network', sats: 50n },
] as const;

function arkadeLeg({ vhtlc, script, address }: ArkadeSide, amount: Sats): ArkadeLeg {
  return { on: 'arkade', amount, vhtlc, script, address };
}

export const claimDeal: Deal<LightningLeg, ArkadeLeg> = {
  swapId: 'theirs',
  source: {
    on: 'lightning',
    amount: lightningArkadeTerms.sourceAmount,
    bolt11: 'lnbcrt1theirs',
    expiresAt: invoiceExpiresAt,
  },
  target: arkadeLeg(lightningArkadeTerms, lightningArkadeTerms.targetAmount),
  costs,
};
export const fundDeal: Deal<ArkadeLeg, LightningLeg> = {
  swapId: 'theirs',
  source: arkadeLeg(arkadeLightningTerms, arkadeLightningTerms.sourceAmount),
  target: {
    on: 'lightning',
    amount: arkadeLightningTerms.targetAmount,
    bolt11: 'lnbcrt1ours',
    expiresAt: invoiceExpiresAt,
  },
  costs,
};

export const takeLightningTerms: TakeLightningArkadeTerms = {
  ...request,
  sourceAmount: claimDeal.source.amount,
  targetAmount: claimDeal.target.amount,
  targetAddress: 'tark1ours',
  description: 'Swap',
};
export const takeArkadeTerms: TakeArkadeLightningTerms = {
  ...request,
  sourceAmount: fundDeal.source.amount,
  targetAmount: fundDeal.target.amount,
  bolt11: fundDeal.target.bolt11,
  invoiceExpiresAt: fundDeal.target.expiresAt,
};

const early = clocksAt(start + 60);

function telling(label: string, event: Telling['event'], now = early): Telling {
  return { label, event, now };
}

function saying(status: SwapStatus, now = early): Telling {
  return telling(`provider: ${status}`, { is: 'provider.seen', status }, now);
}

function answers(purpose: Purpose, id: string): Telling[] {
  return [
    telling('prepared', { is: 'vhtlc.prepared', purpose, txid: id, output: { txid: id, vout: 0 } }),
    telling('accepted', { is: 'vhtlc.accepted', purpose, txid: id }),
    telling('final', { is: 'vhtlc.final', purpose, txid: id }),
    ...(['spent', 'recoverable', 'late', 'refused'] as const).map((why) =>
      telling(`refused: ${why}`, { is: 'vhtlc.refused', purpose, txid: id, why, reason: why }),
    ),
    telling('refused before it was sent: recoverable', {
      is: 'vhtlc.refused',
      purpose,
      txid: null,
      why: 'recoverable',
      reason: 'the coin expired',
    }),
  ];
}

/** The provider's lock of lightning-arkade. */
const lock = (change = {}) => coin({ amount: claimDeal.target.amount, script: claimDeal.target.script, ...change });
const takenBy = (leaf: 'claim' | 'refund-without-receiver' | 'refund', id: string) => ({
  spent: true,
  spentIn: id,
  spentBy: id,
  spend: leaf === 'claim' ? { leaf, preimage } : { leaf },
});
const afterClaims = clocksAt(claimDeal.target.vhtlc.refundLocktime - 60);
const afterLocktime = clocksAt(claimDeal.target.vhtlc.refundLocktime + 4 * 3_600);

export const takeLightningCase: Case<TakeLightningArkadeTerms, TakeLightningArkadeProgress> = {
  machine: takeLightningArkade,
  terms: takeLightningTerms,
  first: { at: 'waiting', deal: claimDeal, said: 'pending', target: noVhtlc },
  events: [
    telling('the lock', { is: 'vhtlc.seen', coins: [lock()] }),
    telling('the lock, when there is no time left', { is: 'vhtlc.seen', coins: [lock()] }, afterClaims),
    telling('a lock that is short', {
      is: 'vhtlc.seen',
      coins: [lock({ amount: sats(claimDeal.target.amount - 1n) })],
    }),
    telling('a lock that expired', { is: 'vhtlc.seen', coins: [lock({ recoverable: true })] }),
    telling('a lock that was unrolled', { is: 'vhtlc.seen', coins: [lock({ unrolled: true })] }),
    telling('claimed by us', { is: 'vhtlc.seen', coins: [lock(takenBy('claim', txid.claim))] }),
    telling('claimed by an earlier try of ours', { is: 'vhtlc.seen', coins: [lock(takenBy('claim', txid.client))] }),
    telling(
      'taken back',
      { is: 'vhtlc.seen', coins: [lock(takenBy('refund-without-receiver', txid.refund))] },
      afterLocktime,
    ),
    telling('gone without a reason', {
      is: 'vhtlc.seen',
      coins: [lock({ spent: true, spentIn: txid.refund, spend: 'unknown' })],
    }),
    ...answers('claim', txid.claim),
    saying('clientfunded'),
    saying('serverwontfund'),
    saying('expired', clocksAt(claimDeal.source.expiresAt + 60)),
    telling('the locktime', { is: 'clock' }, afterLocktime),
  ],
};

const own = (change = {}) =>
  coin({ outpoint: coinPoint, amount: fundDeal.source.amount, script: fundDeal.source.script, ...change });
const second = (change = {}) => own({ outpoint: otherPoint, ...change });
const unlocked = clocksAt(fundDeal.source.vhtlc.refundLocktime + 4 * 3_600);

export const takeArkadeCase: Case<TakeArkadeLightningTerms, TakeArkadeLightningProgress> = {
  machine: takeArkadeLightning,
  terms: takeArkadeTerms,
  first: { at: 'waiting', deal: fundDeal, said: 'pending', coins: [], expiresAt: null, proof: null, target: {} },
  events: [
    telling('a coin', { is: 'vhtlc.seen', coins: [own()] }),
    telling('two coins', { is: 'vhtlc.seen', coins: [own(), second()] }),
    telling('claimed', { is: 'vhtlc.seen', coins: [own(takenBy('claim', txid.claim))] }),
    telling('claimed beside a second coin', { is: 'vhtlc.seen', coins: [own(takenBy('claim', txid.claim)), second()] }),
    telling('claimed with another preimage', {
      is: 'vhtlc.seen',
      coins: [own({ ...takenBy('claim', txid.claim), spend: { leaf: 'claim', preimage: new Uint8Array(32) } })],
    }),
    telling('refunded', { is: 'vhtlc.seen', coins: [own(takenBy('refund', txid.refund))] }),
    telling('spent, not readable yet', {
      is: 'vhtlc.seen',
      coins: [own({ spent: true, spentIn: txid.claim, spend: null })],
    }),
    telling('gone without a reason', {
      is: 'vhtlc.seen',
      coins: [own({ spent: true, spentIn: txid.client, spend: 'unknown' })],
    }),
    ...answers('refund', txid.refund),
    telling('the provider declines', { is: 'provider.declined', reason: 'not now' }),
    saying('serverfunded'),
    saying('serverwontfund'),
    saying('serverwontfund', clocksAt(start + 3_600)),
    telling('the owner wants it back', { is: 'refund.requested' }),
    telling('the locktime', { is: 'clock' }, unlocked),
    telling('a look after the locktime', { is: 'vhtlc.seen', coins: [] }, unlocked),
  ].map((one, i, all) =>
    all.findIndex(({ label }) => label === one.label) === i ? one : { ...one, label: `${one.label}, later` },
  ),
};
