import { asPreimage, asPublicKey, asXOnly } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { seconds, unix, type ChainClock, type Clocks, type ReadClocks } from '../../engine/domain/time.ts';
import type { HoldState, PaymentState } from '../../engine/legs/lightning/port.ts';
import { hash160OfSha256, sha256Of } from '../../engine/legs/secret.ts';
import { holdLeg, payoutLeg, stopLine } from '../../engine/legs/lightning/timelocks.ts';
import { vhtlcDelays } from '../../engine/legs/timelocks.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import {
  arkadeLightning,
  type ArkadeLightningProgress,
  type ArkadeLightningTerms,
} from '../../engine/swap/directions/arkade-lightning.ts';
import {
  lightningArkade,
  type LightningArkadeProgress,
  type LightningArkadeTerms,
} from '../../engine/swap/directions/lightning-arkade.ts';
import type { Purpose } from '../../engine/legs/arkade/effects.ts';
import type { SeenCoin } from '../../engine/legs/arkade/events.ts';
import type { Event, Machine } from '../../engine/swap/machine.ts';
import {
  arkadeWithdrawal,
  lightningWithdrawal,
  type ArkadeWithdrawalProgress,
  type ArkadeWithdrawalTerms,
  type LightningWithdrawalProgress,
  type LightningWithdrawalTerms,
} from '../../engine/swap/jobs/withdrawal.ts';

/** An event with a name for tables and drawings, and the moment at which it comes. */
export interface Telling {
  readonly label: string;
  readonly event: Event;
  readonly now: Clocks;
}

/** A machine with terms, its first state, and everything that could happen to it. */
export interface Case<T, P extends { readonly at: string }> {
  readonly machine: Machine<T, P>;
  readonly terms: T;
  readonly first: P;
  readonly events: readonly Telling[];
  /** Two states that it names alike are one in tables and drawings; left out where each is its own. */
  readonly alike?: (progress: P) => string;
}

export const start = unix(1_760_000_000);
export const startHeight = 900_000;
const policy = defaultPolicy;
export const preimage = asPreimage(new Uint8Array(32).fill(7));
export const hash = sha256Of(preimage);
const key = (byte: number) => asXOnly(new Uint8Array(32).fill(byte));
export const serverKey = asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(3)));

export const txid = {
  lock: 'a1'.repeat(32),
  claim: 'b2'.repeat(32),
  refund: 'c3'.repeat(32),
  batch: 'd4'.repeat(32),
  client: 'e5'.repeat(32),
};
/** The coin of the swap, ours in lightning-arkade and the client's in arkade-lightning. */
export const coinPoint: Outpoint = { txid: txid.lock, vout: 0 };
export const otherPoint: Outpoint = { txid: 'f6'.repeat(32), vout: 1 };

export function vhtlc(refundLocktime: number): VhtlcTerms {
  const locktime = unix(refundLocktime);
  const delays = vhtlcDelays({ exitDelay: seconds(512), leg: seconds(locktime - start), policy });
  return {
    sender: key(1),
    receiver: key(2),
    operator: key(4),
    hash: hash160OfSha256(hash),
    refundLocktime: locktime,
    ...delays,
  };
}

/** Median time past trails by half an hour; a block every ten minutes. */
export function clocksAt(wall: number): ReadClocks;
export function clocksAt(wall: number, extra: Partial<ChainClock>): Clocks;
export function clocksAt(wall: number, extra: Partial<ChainClock> = {}): Clocks {
  return {
    wall: unix(wall),
    bitcoin: { mtp: unix(wall - 1_800), height: startHeight + Math.floor((wall - start) / 600), ...extra },
  };
}

export function unread(wall: number): Clocks {
  return { wall: unix(wall), bitcoin: { mtp: null, height: null } };
}

const hold = holdLeg({ clocks: clocksAt(start), policy });
if ('refusal' in hold) throw new Error(hold.sentence);

export const lightningArkadeTerms: LightningArkadeTerms = {
  hash,
  sourceAmount: sats(100_000),
  targetAmount: sats(99_750),
  feeSats: sats(250),
  networkFeeSats: sats(0),
  vhtlc: vhtlc(hold.vhtlcRefundLocktime),
  script: new Uint8Array(34).fill(9),
  address: 'tark1vhtlc',
  keyIndex: 0,
  serverKey,
  clientKeyText: '02'.repeat(33),
  targetArkadeAddress: 'tark1client',
  description: 'a swap',
  fundBefore: hold.fundBefore,
  cltvDelta: hold.cltvDelta,
  lockBefore: hold.lockBefore,
  policy,
  minCoinExpiry: hold.minCoinExpiry,
};

const payout = payoutLeg({ clocks: clocksAt(start), finalCltv: 80, policy });
if ('refusal' in payout) throw new Error(payout.sentence);

export const arkadeLightningTerms: ArkadeLightningTerms = {
  hash,
  sourceAmount: sats(100_260),
  targetAmount: sats(100_000),
  feeSats: sats(250),
  networkFeeSats: sats(10),
  vhtlc: vhtlc(payout.refundLocktime),
  script: new Uint8Array(34).fill(8),
  address: 'tark1vhtlc',
  keyIndex: 0,
  serverKey,
  clientKeyText: '02'.repeat(33),
  bolt11: 'lnbcrt1',
  invoiceExpiresAt: unix(start + 7_200),
  maxFeeMsat: 260_000n,
  maxTimeoutHeight: payout.maxTimeoutHeight,
  toleranceBps: 100,
  fundBefore: unix(start + policy.fundingWindow),
  payBefore: payout.payBefore,
  minCoinExpiry: unix(payout.refundLocktime + policy.margin),
  finalCltv: 80,
  policy,
};

export function coin(change: Partial<SeenCoin> = {}): SeenCoin {
  return {
    outpoint: coinPoint,
    script: new Uint8Array(34),
    amount: sats(100_260),
    createdAt: start,
    expiresAt: unix(start + 7 * 86_400),
    recoverable: false,
    unrolled: false,
    spent: false,
    spentIn: null,
    spentBy: null,
    settledBy: null,
    spend: null,
    ...change,
  };
}

export const spentBy = {
  clientClaim: { spent: true, spentIn: txid.client, spentBy: txid.client, spend: { leaf: 'claim', preimage } },
  forgedClaim: {
    spent: true,
    spentIn: txid.client,
    spentBy: txid.client,
    spend: { leaf: 'claim', preimage: new Uint8Array(32).fill(1) },
  },
  ourClaim: { spent: true, spentIn: txid.claim, spentBy: txid.claim, spend: { leaf: 'claim', preimage } },
  batchClaim: { spent: true, settledBy: txid.batch, spend: { leaf: 'claim', preimage } },
  refund: { spent: true, spentIn: txid.client, spentBy: txid.client, spend: { leaf: 'refund-without-receiver' } },
  cosignedRefund: { spent: true, spentIn: txid.client, spentBy: txid.client, spend: { leaf: 'refund' } },
  unreadable: { spent: true, spentIn: txid.client, spentBy: txid.client, spend: null },
  stranger: { spent: true, spentIn: txid.client, spentBy: txid.client, spend: 'unknown' },
  hiddenBatch: { spent: true, recoverable: true, settledBy: txid.batch, spend: 'hidden' },
  queuedClaim: { recoverable: true, spend: { leaf: 'claim', preimage } },
  claimInMempool: {
    unrolled: true,
    spent: true,
    spentIn: txid.client,
    spentBy: txid.client,
    spend: { leaf: 'claim', preimage },
    onChain: { height: null },
  },
  buriedClaim: {
    unrolled: true,
    spent: true,
    spentIn: txid.client,
    spentBy: txid.client,
    spend: { leaf: 'claim', preimage },
    onChain: { height: startHeight - 5 },
  },
  shallowRefund: {
    unrolled: true,
    spent: true,
    spentIn: txid.client,
    spentBy: txid.client,
    spend: { leaf: 'refund-without-receiver' },
    onChain: { height: startHeight - 4 },
  },
  buriedRefund: {
    unrolled: true,
    spent: true,
    spentIn: txid.client,
    spentBy: txid.client,
    spend: { leaf: 'refund-without-receiver' },
    onChain: { height: startHeight - 5 },
  },
  strangerThoughUnrolled: { unrolled: true, spent: true, spentIn: txid.client, spentBy: txid.client, spend: 'unknown' },
} as const satisfies Record<string, Partial<SeenCoin>>;

export function telling(label: string, event: Event, now: Clocks = clocksAt(start + 60)): Telling {
  return { label, event, now };
}

export function sighting(label: string, ...coins: SeenCoin[]): Telling {
  return telling(`vhtlc.seen ${label}`, { is: 'vhtlc.seen', coins });
}

const purposes: readonly Purpose[] = ['lock', 'claim', 'refund'];
const whys = ['spent', 'recoverable', 'unrolled', 'late', 'refused'] as const;

/** What every machine may be told about transactions, holds and payments, expected or not. */
export const everywhere: readonly Telling[] = [
  telling('abandoned', { is: 'abandoned', reason: 'nobody waits' }),
  telling('hold.created', { is: 'hold.created', bolt11: 'lnbcrt1', expiresAt: lightningArkadeTerms.fundBefore }),
  telling('hold.refused', { is: 'hold.refused', reason: 'the node says no' }),
  telling('hold.settled', { is: 'hold.settled' }),
  telling('hold.cancelled', { is: 'hold.cancelled' }),
  telling('payment.started', { is: 'payment.started' }),
  telling('payment.started after a call without an answer', { is: 'payment.started', unsure: true }),
  telling('payment.refused', { is: 'payment.refused', reason: 'no route' }),
  ...purposes.flatMap((purpose) => [
    telling(`vhtlc.prepared ${purpose}`, {
      is: 'vhtlc.prepared',
      purpose,
      txid: txid[purpose],
      output: { txid: txid[purpose], vout: 0 },
    }),
    telling(`vhtlc.accepted ${purpose}`, { is: 'vhtlc.accepted', purpose, txid: txid[purpose] }),
    telling(`vhtlc.final ${purpose}`, { is: 'vhtlc.final', purpose, txid: txid[purpose] }),
    ...(purpose === 'lock'
      ? []
      : [
          telling(`onchain.prepared ${purpose}`, {
            is: 'onchain.prepared',
            leg: 'arkade',
            purpose,
            txid: txid[purpose],
            amount: sats(99_750),
            rate: 2,
            capped: false,
            height: startHeight,
          }),
        ]),
    ...whys.map((why) =>
      telling(`vhtlc.refused ${purpose} ${why}`, {
        is: 'vhtlc.refused',
        purpose,
        txid: txid[purpose],
        why,
        reason: 'the operator says no',
      }),
    ),
  ]),
  telling('onchain.stuck', { is: 'onchain.stuck', leg: 'arkade', txid: txid.claim, leastRate: 3 }),
  telling('onchain.final', { is: 'onchain.final', leg: 'arkade', txid: txid.claim, fee: sats(300) }),
  telling('onchain.refused spent', {
    is: 'onchain.refused',
    leg: 'arkade',
    txid: txid.claim,
    why: 'spent',
    reason: 'another spent it',
  }),
  telling('onchain.refused refused', {
    is: 'onchain.refused',
    leg: 'arkade',
    txid: txid.claim,
    why: 'refused',
    reason: 'the node says no',
  }),
  telling('refund.cosign.requested swap coin', { is: 'refund.cosign.requested', coins: [coinPoint] }),
  telling('refund.cosign.requested other coin', { is: 'refund.cosign.requested', coins: [otherPoint] }),
  telling('refund.cosign.requested no coin', { is: 'refund.cosign.requested', coins: [] }),
];

const heldUntil = startHeight + hold.cltvDelta;
const line = stopLine(heldUntil, policy);

const holdStates: Record<string, HoldState> = {
  absent: { is: 'absent' },
  open: { is: 'open' },
  held: { is: 'held', amount: sats(100_000), smallest: sats(100_000), expiryHeight: heldUntil },
  'held short by one': { is: 'held', amount: sats(99_999), smallest: sats(99_999), expiryHeight: heldUntil },
  'held too briefly': { is: 'held', amount: sats(100_000), smallest: sats(100_000), expiryHeight: startHeight + 40 },
  settled: { is: 'settled' },
  cancelled: { is: 'cancelled' },
};

const paymentStates: Record<string, PaymentState> = {
  absent: { is: 'absent' },
  'in-flight': { is: 'in-flight' },
  settled: { is: 'settled', preimage, feeMsat: 1_100n },
  failed: { is: 'failed', reason: 'no route' },
};

function states<S>(of: Record<string, S>, event: (state: S) => Event, prefix: string): Telling[] {
  return Object.entries(of).map(([name, state]) => telling(`${prefix} ${name}`, event(state)));
}

const holdSeen = states(holdStates, (state) => ({ is: 'hold.seen', state }), 'hold.seen');
const paymentSeen = states(paymentStates, (state) => ({ is: 'payment.seen', state }), 'payment.seen');

const clock: Event = { is: 'clock' };

export const lightningArkadeCase: Case<LightningArkadeTerms, LightningArkadeProgress> = {
  machine: lightningArkade,
  terms: lightningArkadeTerms,
  first: { at: 'opening' },
  events: [
    ...everywhere,
    ...holdSeen,
    ...paymentSeen,
    telling(
      'hold.seen held, clock unread',
      { is: 'hold.seen', state: holdStates['held'] as HoldState },
      unread(start + 60),
    ),
    telling(
      'hold.seen held, too late',
      { is: 'hold.seen', state: holdStates['held'] as HoldState },
      clocksAt(lightningArkadeTerms.lockBefore + 1_801),
    ),
    telling(
      'vhtlc.prepared lock, too late',
      { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint },
      clocksAt(lightningArkadeTerms.lockBefore + 1_801),
    ),
    telling(
      'vhtlc.prepared lock, clock unread',
      { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint },
      unread(start + 60),
    ),
    sighting('nothing'),
    sighting('unspent', coin()),
    sighting('of our amount', coin({ amount: lightningArkadeTerms.targetAmount })),
    sighting('claimed by the client', coin(spentBy.clientClaim)),
    sighting('claimed in a batch', coin(spentBy.batchClaim)),
    sighting('claimed with a wrong secret', coin(spentBy.forgedClaim)),
    sighting('refunded', coin(spentBy.refund)),
    sighting('spent, not readable yet', coin(spentBy.unreadable)),
    sighting('spent by no leaf', coin(spentBy.stranger)),
    sighting('on the chain', coin({ unrolled: true })),
    sighting('on the chain, though its refund was accepted', coin({ ...spentBy.refund, unrolled: true })),
    sighting('on the chain, spent by no leaf', coin(spentBy.strangerThoughUnrolled)),
    sighting('taken by a batch that hides its leaf', coin(spentBy.hiddenBatch)),
    sighting('claimed in a queue', coin(spentBy.queuedClaim)),
    sighting('claimed in a mempool', coin(spentBy.claimInMempool)),
    sighting('refunded on the chain, not buried', coin(spentBy.shallowRefund)),
    sighting('refunded on the chain', coin(spentBy.buriedRefund)),
    telling(
      'vhtlc.seen unspent, one block before the stop line',
      { is: 'vhtlc.seen', coins: [coin()] },
      clocksAt(start + 60, { height: line - 1 }),
    ),
    telling(
      'vhtlc.seen unspent, at the stop line',
      { is: 'vhtlc.seen', coins: [coin()] },
      clocksAt(start + 60, { height: line }),
    ),
    telling('clock, at the stop line', clock, clocksAt(start + 60, { height: line })),
    telling(
      'hold.seen absent, its timeout buried',
      { is: 'hold.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: heldUntil + 145 }),
    ),
    sighting('another coin claimed', coin({ outpoint: otherPoint, ...spentBy.clientClaim })),
    telling('claim.relayed our coin', { is: 'claim.relayed', preimage, coins: [otherPoint, coinPoint], fact: true }),
    telling('claim.relayed our coin, which a batch had before', {
      is: 'claim.relayed',
      preimage,
      coins: [coinPoint],
      fact: false,
    }),
    telling('claim.relayed another coin', { is: 'claim.relayed', preimage, coins: [otherPoint], fact: true }),
    telling('claim.relayed with a wrong secret', {
      is: 'claim.relayed',
      preimage: new Uint8Array(32).fill(1),
      coins: [coinPoint],
      fact: true,
    }),
    telling('clock', clock),
    telling('clock, funding window over', clock, clocksAt(lightningArkadeTerms.fundBefore)),
    telling('clock, too late to lock', clock, clocksAt(lightningArkadeTerms.lockBefore + 1_801)),
    telling(
      'clock, locktime passed by wall time only',
      clock,
      clocksAt(lightningArkadeTerms.vhtlc.refundLocktime + 60),
    ),
    telling(
      'clock, median time past at the locktime',
      clock,
      clocksAt(lightningArkadeTerms.vhtlc.refundLocktime + 1_800),
    ),
    telling('clock, locktime passed', clock, clocksAt(lightningArkadeTerms.vhtlc.refundLocktime + 1_801)),
    telling('clock, locktime passed, clock unread', clock, unread(lightningArkadeTerms.vhtlc.refundLocktime + 9_000)),
  ],
};

const t = arkadeLightningTerms;

export const arkadeLightningCase: Case<ArkadeLightningTerms, ArkadeLightningProgress> = {
  machine: arkadeLightning,
  terms: t,
  first: { at: 'pending', fenced: false },
  events: [
    ...everywhere,
    ...holdSeen,
    ...paymentSeen,
    telling(
      'payment.seen absent, every HTLC timed out',
      { is: 'payment.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: t.maxTimeoutHeight + 145 }),
    ),
    telling(
      'payment.seen absent, timeouts not buried',
      { is: 'payment.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: t.maxTimeoutHeight + 144 }),
    ),
    telling('payment.seen in-flight after a call without an answer', {
      is: 'payment.seen',
      state: { is: 'in-flight' },
      unsure: true,
    }),
    telling('payment.seen failed after a call without an answer', {
      is: 'payment.seen',
      state: { is: 'failed', reason: 'no route' },
      unsure: true,
    }),
    telling(
      'payment.seen failed, every HTLC timed out',
      { is: 'payment.seen', state: { is: 'failed', reason: 'no route' } },
      clocksAt(start + 60, { height: t.maxTimeoutHeight + 145 }),
    ),
    telling('payment.seen absent, clock unread', { is: 'payment.seen', state: { is: 'absent' } }, unread(start + 60)),
    sighting('nothing'),
    sighting('exact', coin()),
    sighting('short by one', coin({ amount: sats(t.sourceAmount - 1n) })),
    sighting('over within tolerance', coin({ amount: sats(t.sourceAmount + 1_002n) })),
    sighting('over the tolerance', coin({ amount: sats(t.sourceAmount + 1_003n) })),
    sighting('expires too soon', coin({ expiresAt: unix(t.minCoinExpiry - 1) })),
    sighting('recoverable', coin({ recoverable: true })),
    sighting('dust beside the right one', coin(), coin({ outpoint: otherPoint, amount: sats(330) })),
    telling('vhtlc.seen exact, clock unread', { is: 'vhtlc.seen', coins: [coin()] }, unread(start + 60)),
    telling('vhtlc.seen exact, funding window over', { is: 'vhtlc.seen', coins: [coin()] }, clocksAt(t.fundBefore)),
    telling('vhtlc.seen nothing, funding window over', { is: 'vhtlc.seen', coins: [] }, clocksAt(t.fundBefore)),
    sighting('taken by our claim', coin(spentBy.ourClaim)),
    sighting('taken by another claim of ours', coin(spentBy.clientClaim)),
    sighting('on the chain, though its claim was accepted', coin({ ...spentBy.ourClaim, unrolled: true })),
    sighting('taken by our claim in a batch', coin(spentBy.batchClaim)),
    sighting('refunded by the client alone', coin(spentBy.refund)),
    sighting('refunded with our signature', coin(spentBy.cosignedRefund)),
    sighting('spent, not readable yet', coin(spentBy.unreadable)),
    sighting('spent by no leaf', coin(spentBy.stranger)),
    sighting('on the chain', coin({ unrolled: true })),
    sighting('on the chain, spent by no leaf', coin(spentBy.strangerThoughUnrolled)),
    sighting('taken by a batch that hides its leaf', coin(spentBy.hiddenBatch)),
    sighting('claimed in a mempool', coin(spentBy.claimInMempool)),
    sighting('claimed on the chain', coin(spentBy.buriedClaim)),
    sighting('refunded on the chain, not buried', coin(spentBy.shallowRefund)),
    sighting('refunded on the chain', coin(spentBy.buriedRefund)),
    telling('clock', clock),
    telling('clock, funding window over', clock, clocksAt(t.fundBefore)),
    telling('clock, locktime passed', clock, clocksAt(t.vhtlc.refundLocktime + 1_801)),
  ],
};

export const arkadeWithdrawalCase: Case<ArkadeWithdrawalTerms, ArkadeWithdrawalProgress> = {
  machine: arkadeWithdrawal,
  terms: { script: new Uint8Array(34), address: 'tark1elsewhere', amount: sats(50_000) },
  first: { at: 'choosing' },
  events: [...everywhere, ...holdSeen, ...paymentSeen, sighting('exact', coin()), telling('clock', clock)],
};

export const lightningWithdrawalCase: Case<LightningWithdrawalTerms, LightningWithdrawalProgress> = {
  machine: lightningWithdrawal,
  terms: {
    bolt11: 'lnbcrt1',
    hash,
    amount: sats(50_000),
    maxFeeMsat: 1_000n,
    maxTimeoutHeight: startHeight + 500,
    notAfter: unix(start + 3_600),
  },
  first: { at: 'starting' },
  events: [
    ...everywhere,
    ...holdSeen,
    ...paymentSeen,
    telling(
      'payment.seen absent, every HTLC timed out',
      { is: 'payment.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: startHeight + 645 }),
    ),
    telling(
      'payment.seen absent, timeouts not buried',
      { is: 'payment.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: startHeight + 644 }),
    ),
    sighting('exact', coin()),
    telling('clock', clock),
  ],
};
