import { asPublicKey } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import { seconds, unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { htlcAddress, htlcScript, type HtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { legsForCoin } from '../../engine/legs/onchain/timelocks.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import type { Event } from '../../engine/swap/machine.ts';
import type { PaidLeg } from '../../engine/taker/halves/bitcoin/fund/terms.ts';
import type { ArkadeLeg, Deal } from '../../engine/taker/terms.ts';
import type { TakeBitcoinArkadeTerms } from './taken.ts';
import {
  clocksAt,
  coin as vhtlcCoin,
  coinPoint,
  hash,
  preimage,
  serverKey,
  spentBy,
  start,
  startHeight,
  telling,
  txid,
  unread,
  vhtlc,
  type Case,
  type Telling,
} from '../swap/cases.ts';
import { nameOf } from '../swap/table.ts';
import { noVhtlc, takeBitcoinArkade, type TakeBitcoinArkadeProgress } from './taken.ts';

const legs = legsForCoin({ clocks: clocksAt(start), policy, confirmations: 1 });
if ('refusal' in legs) throw new Error(legs.sentence);

const key = asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(9)));
const htlc: HtlcTerms = {
  form: 'p2wsh',
  hash: hash160OfSha256(hash),
  claimer: serverKey,
  refunder: key,
  refundLocktime: legs.refundLocktime,
};

export const deal: Deal<PaidLeg, ArkadeLeg> = {
  swapId: 'theirs',
  costs: [{ part: 'service', sats: 850n }],
  source: {
    on: 'bitcoin',
    amount: sats(100_850),
    htlc,
    script: htlcScript(htlc).pkScript,
    address: htlcAddress(htlc, 'regtest'),
    since: startHeight,
    payBefore: unix(start + policy.fundingWindow),
    confirmations: 1,
  },
  target: {
    on: 'arkade',
    amount: sats(100_000),
    vhtlc: vhtlc(legs.vhtlcRefundLocktime),
    script: new Uint8Array(34).fill(9),
    address: 'tark1vhtlc',
  },
};

export const takeBitcoinTerms: TakeBitcoinArkadeTerms = {
  provider: 'https://provider.example',
  network: 'regtest',
  operator: { signer: deal.target.vhtlc.operator, exitDelay: seconds(512) },
  keyIndex: 5,
  key,
  userId: 'user',
  hash,
  sourceAmount: deal.source.amount,
  targetAmount: deal.target.amount,
  targetAddress: 'tark1ours',
  createBefore: unix(start + 60),
  policy,
};

export const waiting: TakeBitcoinArkadeProgress = {
  at: 'waiting',
  deal,
  said: 'pending',
  coins: [],
  lookUntil: null,
  target: noVhtlc,
};

/** The coin that we paid, right and in a block unless it is said otherwise. */
export function bitcoin(change: Partial<SeenHtlcCoin> = {}): SeenHtlcCoin {
  return {
    outpoint: { txid: '11'.repeat(32), vout: 0 },
    amount: deal.source.amount,
    height: startHeight,
    spend: null,
    ...change,
  };
}

const twice = (change: Partial<SeenHtlcCoin> = {}) =>
  bitcoin({ outpoint: { txid: '22'.repeat(32), vout: 1 }, ...change });

export const spend = {
  claim: (height: number | null): SeenHtlcSpend => ({
    txid: '33'.repeat(32),
    height,
    by: 'claim',
    preimage,
    bytes: new Uint8Array(1),
  }),
  refund: (height: number | null, by = txid.refund): SeenHtlcSpend => ({ txid: by, height, by: 'refund' }),
  unknown: { txid: '44'.repeat(32), height: null, by: 'unknown' } satisfies SeenHtlcSpend,
};

const { refundLocktime } = htlc;
export const unlocked = clocksAt(refundLocktime + 1_801);

function look(label: string, ...coins: SeenHtlcCoin[]): Telling {
  const event: Event = { is: 'htlc.seen', coins, height: startHeight, mtp: unix(start), asked: unix(start) };
  return telling(`bitcoin: ${label}`, event);
}

function lookLate(label: string, ...coins: SeenHtlcCoin[]): Telling {
  const { event } = look(label, ...coins);
  return telling(`bitcoin, the locktime is over: ${label}`, { ...event, mtp: unlocked.bitcoin.mtp } as Event, unlocked);
}

const lock = (change = {}) => vhtlcCoin({ amount: deal.target.amount, script: deal.target.script, ...change });

function lockSeen(label: string, change: Parameters<typeof lock>[0], now?: Clocks): Telling {
  return telling(`lock: ${label}`, { is: 'vhtlc.seen', coins: [lock(change)] }, now);
}

function saying(status: SwapStatus): Telling {
  return telling(`provider: ${status}`, { is: 'provider.seen', status });
}

const buriedAt = startHeight - 5;
const forgotten = '55'.repeat(32);
const lockIsOver = clocksAt(deal.target.vhtlc.refundLocktime + 1_801);

export const takeBitcoinCase: Case<TakeBitcoinArkadeTerms, TakeBitcoinArkadeProgress> = {
  machine: takeBitcoinArkade,
  terms: takeBitcoinTerms,
  first: waiting,
  alike: (p) =>
    'deal' in p
      ? [
          nameOf(p),
          'claim' in p.target ? `${p.target.claim !== null} ${p.target.takenBack} ${p.target.unsafe}` : 'claiming',
          p.lookUntil,
          ...p.coins.map(
            ({ outpoint, amount, mined, spend: by }) => `${outpoint.vout} ${amount} ${mined} ${by?.by} ${by?.mined}`,
          ),
          ...['over', 'halted', 'refunds', 'claimTxid'].map((mark) => String({ ...p.target, ...p }[mark as 'deal'])),
        ].join()
      : p.at,
  events: [
    look('nothing'),
    look('in a mempool', bitcoin({ height: null })),
    look('mined', bitcoin()),
    look('dust', bitcoin({ amount: sats(599) })),
    look('paid twice', bitcoin(), twice()),
    look('claimed in a mempool', bitcoin({ spend: spend.claim(null) })),
    look('claimed and buried', bitcoin({ spend: spend.claim(buriedAt) })),
    look('claimed beside a second coin', bitcoin({ spend: spend.claim(buriedAt) }), twice()),
    look('our refund in a mempool', bitcoin({ spend: spend.refund(null) })),
    look('our refund buried', bitcoin({ spend: spend.refund(buriedAt) })),
    look('a forgotten refund buried', bitcoin({ spend: spend.refund(buriedAt, forgotten) })),
    look('spent by nobody knows what', bitcoin({ spend: spend.unknown })),
    lookLate('nothing'),
    lookLate('mined', bitcoin()),
    lookLate('claimed and buried', bitcoin({ spend: spend.claim(buriedAt) })),
    lookLate('our refund buried', bitcoin({ spend: spend.refund(buriedAt) })),
    lockSeen('whole', {}),
    lockSeen('whole, clock unread', {}, unread(start + 60)),
    lockSeen('short by one', { amount: sats(deal.target.amount - 1n) }),
    lockSeen('expired', { recoverable: true }),
    lockSeen('on the chain', { unrolled: true }),
    lockSeen('no time left', {}, lockIsOver),
    lockSeen('our bitcoin is ours again', {}, unlocked),
    lockSeen('claimed by us', spentBy.ourClaim),
    lockSeen('claimed by an earlier life of ours', spentBy.clientClaim),
    lockSeen('taken back', spentBy.refund, lockIsOver),
    lockSeen('gone without a reason', spentBy.stranger),
    ...(['prepared', 'accepted', 'final'] as const).map((stage) =>
      telling(`claim ${stage}`, {
        is: `vhtlc.${stage}`,
        purpose: 'claim',
        txid: txid.claim,
        output: coinPoint,
      } as Event),
    ),
    ...(['spent', 'recoverable', 'unrolled', 'late', 'refused'] as const).map((why) =>
      telling(`claim refused: ${why}`, {
        is: 'vhtlc.refused',
        purpose: 'claim',
        txid: txid.claim,
        why,
        reason: 'the operator says no',
      }),
    ),
    ...(
      [
        ['claim', 'arkade'],
        ['refund', 'bitcoin'],
      ] as const
    ).flatMap(([purpose, leg]) => [
      telling(`${purpose} on the chain prepared`, {
        is: 'onchain.prepared',
        leg,
        purpose,
        txid: txid[purpose],
        amount: deal.source.amount,
        rate: 2,
        capped: false,
        height: startHeight,
      }),
      telling(
        `${purpose} on the chain stuck`,
        { is: 'onchain.stuck', leg, txid: txid[purpose], leastRate: 3 },
        unlocked,
      ),
      telling(
        `${purpose} on the chain final`,
        { is: 'onchain.final', leg, txid: txid[purpose], fee: sats(300) },
        unlocked,
      ),
      ...(['spent', 'refused'] as const).map((why) =>
        telling(
          `${purpose} on the chain refused: ${why}`,
          { is: 'onchain.refused', leg, txid: txid[purpose], why, reason: 'the node says no' },
          unlocked,
        ),
      ),
    ]),
    saying('serverfunded'),
    saying('serverwontfund'),
    telling('the owner wants it back', { is: 'refund.requested' }),
    telling('the owner wants it back, the locktime is over', { is: 'refund.requested' }, unlocked),
    telling('clock', { is: 'clock' }),
    telling('clock, the locktime by the wall alone', { is: 'clock' }, clocksAt(refundLocktime + 60)),
    telling('clock, the locktime', { is: 'clock' }, unlocked),
  ],
};
