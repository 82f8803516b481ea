import { asPreimage, asPublicKey, asXOnly } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { seconds, unix, type ChainClock, type Clocks, type ReadClocks } from '../../engine/domain/time.ts';
import type { HoldState, PaymentState } from '../../engine/legs/lightning/port.ts';
import { hash160OfSha256, sha256Of } from '../../engine/legs/secret.ts';
import { defaultPolicy, holdLeg, payoutLeg, stopLine, vhtlcDelays } from '../../engine/legs/timelocks.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { arkadeLightning } from '../../engine/swap/arkade-lightning/machine.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from '../../engine/swap/arkade-lightning/terms.ts';
import { lightningArkade } from '../../engine/swap/lightning-arkade/machine.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from '../../engine/swap/lightning-arkade/terms.ts';
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
} from '../../engine/swap/withdrawal.ts';

/** An event with a name for tables and drawings, and the moment at which it comes. */
export interface Told {
  readonly label: string;
  readonly event: Event;
  readonly now: Clocks;
}

/** A machine with terms, its first state, and everything that could happen to it. */
export interface Case<T, P extends { readonly at: string }> {
  readonly machine: Machine<T, P>;
  readonly terms: T;
  readonly first: P;
  readonly events: readonly Told[];
  /** Two states that it names alike are one in tables and drawings; left out where each is its own. */
  readonly alike?: (progress: P) => string;
}

export const start = unix(1_760_000_000);
const startHeight = 900_000;
const policy = defaultPolicy;
export const preimage = asPreimage(new Uint8Array(32).fill(7));
export const hash = sha256Of(preimage);
const key = (byte: number) => asXOnly(new Uint8Array(32).fill(byte));
const serverKey = asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(3)));

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

function vhtlc(refundLocktime: number): VhtlcTerms {
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

function told(label: string, event: Event, now: Clocks = clocksAt(start + 60)): Told {
  return { label, event, now };
}

function seen(label: string, ...coins: SeenCoin[]): Told {
  return told(`vhtlc.seen ${label}`, { is: 'vhtlc.seen', coins });
}

const purposes: readonly Purpose[] = ['lock', 'claim', 'refund'];
const whys = ['spent', 'recoverable', 'unrolled', 'late', 'refused'] as const;

/** What every machine may be told about transactions, holds and payments, expected or not. */
const everywhere: readonly Told[] = [
  told('abandoned', { is: 'abandoned', reason: 'nobody waits' }),
  told('hold.created', { is: 'hold.created', bolt11: 'lnbcrt1', expiresAt: lightningArkadeTerms.fundBefore }),
  told('hold.refused', { is: 'hold.refused', reason: 'the node says no' }),
  told('hold.settled', { is: 'hold.settled' }),
  told('hold.cancelled', { is: 'hold.cancelled' }),
  told('payment.started', { is: 'payment.started' }),
  told('payment.started after a call without an answer', { is: 'payment.started', unsure: true }),
  told('payment.refused', { is: 'payment.refused', reason: 'no route' }),
  ...purposes.flatMap((purpose) => [
    told(`vhtlc.prepared ${purpose}`, {
      is: 'vhtlc.prepared',
      purpose,
      txid: txid[purpose],
      output: { txid: txid[purpose], vout: 0 },
    }),
    told(`vhtlc.accepted ${purpose}`, { is: 'vhtlc.accepted', purpose, txid: txid[purpose] }),
    told(`vhtlc.final ${purpose}`, { is: 'vhtlc.final', purpose, txid: txid[purpose] }),
    ...(purpose === 'lock'
      ? []
      : [
          told(`onchain.prepared ${purpose}`, {
            is: 'onchain.prepared',
            purpose,
            txid: txid[purpose],
            amount: sats(99_750),
            rate: 2,
            capped: false,
            height: startHeight,
          }),
        ]),
    ...whys.map((why) =>
      told(`vhtlc.refused ${purpose} ${why}`, {
        is: 'vhtlc.refused',
        purpose,
        txid: txid[purpose],
        why,
        reason: 'the operator says no',
      }),
    ),
  ]),
  told('onchain.stuck', { is: 'onchain.stuck', txid: txid.claim, leastRate: 3 }),
  told('onchain.final', { is: 'onchain.final', txid: txid.claim, fee: sats(300) }),
  told('onchain.refused spent', { is: 'onchain.refused', txid: txid.claim, why: 'spent', reason: 'another spent it' }),
  told('onchain.refused refused', {
    is: 'onchain.refused',
    txid: txid.claim,
    why: 'refused',
    reason: 'the node says no',
  }),
  told('refund.cosign.requested swap coin', { is: 'refund.cosign.requested', coins: [coinPoint] }),
  told('refund.cosign.requested other coin', { is: 'refund.cosign.requested', coins: [otherPoint] }),
  told('refund.cosign.requested no coin', { is: 'refund.cosign.requested', coins: [] }),
];

const heldUntil = startHeight + hold.cltvDelta;
const line = stopLine(heldUntil, policy);

const holdStates: Record<string, HoldState> = {
  absent: { is: 'absent' },
  open: { is: 'open' },
  held: { is: 'held', amount: sats(100_000), expiryHeight: heldUntil },
  'held short by one': { is: 'held', amount: sats(99_999), expiryHeight: heldUntil },
  'held too briefly': { is: 'held', amount: sats(100_000), expiryHeight: startHeight + 40 },
  settled: { is: 'settled' },
  cancelled: { is: 'cancelled' },
};

const paymentStates: Record<string, PaymentState> = {
  absent: { is: 'absent' },
  'in-flight': { is: 'in-flight' },
  settled: { is: 'settled', preimage, feeMsat: 1_100n },
  failed: { is: 'failed', reason: 'no route' },
};

function states<S>(of: Record<string, S>, event: (state: S) => Event, prefix: string): Told[] {
  return Object.entries(of).map(([name, state]) => told(`${prefix} ${name}`, event(state)));
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
    told(
      'hold.seen held, clock unread',
      { is: 'hold.seen', state: holdStates['held'] as HoldState },
      unread(start + 60),
    ),
    told(
      'hold.seen held, too late',
      { is: 'hold.seen', state: holdStates['held'] as HoldState },
      clocksAt(lightningArkadeTerms.lockBefore + 1_801),
    ),
    told(
      'vhtlc.prepared lock, too late',
      { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint },
      clocksAt(lightningArkadeTerms.lockBefore + 1_801),
    ),
    told(
      'vhtlc.prepared lock, clock unread',
      { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint },
      unread(start + 60),
    ),
    seen('nothing'),
    seen('unspent', coin()),
    seen('of our amount', coin({ amount: lightningArkadeTerms.targetAmount })),
    seen('claimed by the client', coin(spentBy.clientClaim)),
    seen('claimed in a batch', coin(spentBy.batchClaim)),
    seen('claimed with a wrong secret', coin(spentBy.forgedClaim)),
    seen('refunded', coin(spentBy.refund)),
    seen('spent, not readable yet', coin(spentBy.unreadable)),
    seen('spent by no leaf', coin(spentBy.stranger)),
    seen('on the chain', coin({ unrolled: true })),
    seen('on the chain, though its refund was accepted', coin({ ...spentBy.refund, unrolled: true })),
    seen('on the chain, spent by no leaf', coin(spentBy.strangerThoughUnrolled)),
    seen('taken by a batch that hides its leaf', coin(spentBy.hiddenBatch)),
    seen('claimed in a queue', coin(spentBy.queuedClaim)),
    seen('claimed in a mempool', coin(spentBy.claimInMempool)),
    seen('refunded on the chain, not buried', coin(spentBy.shallowRefund)),
    seen('refunded on the chain', coin(spentBy.buriedRefund)),
    told(
      'vhtlc.seen unspent, one block before the stop line',
      { is: 'vhtlc.seen', coins: [coin()] },
      clocksAt(start + 60, { height: line - 1 }),
    ),
    told(
      'vhtlc.seen unspent, at the stop line',
      { is: 'vhtlc.seen', coins: [coin()] },
      clocksAt(start + 60, { height: line }),
    ),
    told('clock, at the stop line', clock, clocksAt(start + 60, { height: line })),
    told(
      'hold.seen absent, its timeout buried',
      { is: 'hold.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: heldUntil + 145 }),
    ),
    seen('another coin claimed', coin({ outpoint: otherPoint, ...spentBy.clientClaim })),
    told('claim.relayed our coin', { is: 'claim.relayed', preimage, coins: [otherPoint, coinPoint], fact: true }),
    told('claim.relayed our coin, which a batch had before', {
      is: 'claim.relayed',
      preimage,
      coins: [coinPoint],
      fact: false,
    }),
    told('claim.relayed another coin', { is: 'claim.relayed', preimage, coins: [otherPoint], fact: true }),
    told('claim.relayed with a wrong secret', {
      is: 'claim.relayed',
      preimage: new Uint8Array(32).fill(1),
      coins: [coinPoint],
      fact: true,
    }),
    told('clock', clock),
    told('clock, funding window over', clock, clocksAt(lightningArkadeTerms.fundBefore)),
    told('clock, too late to lock', clock, clocksAt(lightningArkadeTerms.lockBefore + 1_801)),
    told('clock, locktime passed by wall time only', clock, clocksAt(lightningArkadeTerms.vhtlc.refundLocktime + 60)),
    told('clock, median time past at the locktime', clock, clocksAt(lightningArkadeTerms.vhtlc.refundLocktime + 1_800)),
    told('clock, locktime passed', clock, clocksAt(lightningArkadeTerms.vhtlc.refundLocktime + 1_801)),
    told('clock, locktime passed, clock unread', clock, unread(lightningArkadeTerms.vhtlc.refundLocktime + 9_000)),
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
    told(
      'payment.seen absent, every HTLC timed out',
      { is: 'payment.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: t.maxTimeoutHeight + 145 }),
    ),
    told(
      'payment.seen absent, timeouts not buried',
      { is: 'payment.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: t.maxTimeoutHeight + 144 }),
    ),
    told('payment.seen in-flight after a call without an answer', {
      is: 'payment.seen',
      state: { is: 'in-flight' },
      unsure: true,
    }),
    told('payment.seen failed after a call without an answer', {
      is: 'payment.seen',
      state: { is: 'failed', reason: 'no route' },
      unsure: true,
    }),
    told(
      'payment.seen failed, every HTLC timed out',
      { is: 'payment.seen', state: { is: 'failed', reason: 'no route' } },
      clocksAt(start + 60, { height: t.maxTimeoutHeight + 145 }),
    ),
    told('payment.seen absent, clock unread', { is: 'payment.seen', state: { is: 'absent' } }, unread(start + 60)),
    seen('nothing'),
    seen('exact', coin()),
    seen('short by one', coin({ amount: sats(t.sourceAmount - 1n) })),
    seen('over within tolerance', coin({ amount: sats(t.sourceAmount + 1_002n) })),
    seen('over the tolerance', coin({ amount: sats(t.sourceAmount + 1_003n) })),
    seen('expires too soon', coin({ expiresAt: unix(t.minCoinExpiry - 1) })),
    seen('recoverable', coin({ recoverable: true })),
    seen('dust beside the right one', coin(), coin({ outpoint: otherPoint, amount: sats(330) })),
    told('vhtlc.seen exact, clock unread', { is: 'vhtlc.seen', coins: [coin()] }, unread(start + 60)),
    told('vhtlc.seen exact, funding window over', { is: 'vhtlc.seen', coins: [coin()] }, clocksAt(t.fundBefore)),
    told('vhtlc.seen nothing, funding window over', { is: 'vhtlc.seen', coins: [] }, clocksAt(t.fundBefore)),
    seen('taken by our claim', coin(spentBy.ourClaim)),
    seen('taken by another claim of ours', coin(spentBy.clientClaim)),
    seen('on the chain, though its claim was accepted', coin({ ...spentBy.ourClaim, unrolled: true })),
    seen('taken by our claim in a batch', coin(spentBy.batchClaim)),
    seen('refunded by the client alone', coin(spentBy.refund)),
    seen('refunded with our signature', coin(spentBy.cosignedRefund)),
    seen('spent, not readable yet', coin(spentBy.unreadable)),
    seen('spent by no leaf', coin(spentBy.stranger)),
    seen('on the chain', coin({ unrolled: true })),
    seen('on the chain, spent by no leaf', coin(spentBy.strangerThoughUnrolled)),
    seen('taken by a batch that hides its leaf', coin(spentBy.hiddenBatch)),
    seen('claimed in a mempool', coin(spentBy.claimInMempool)),
    seen('claimed on the chain', coin(spentBy.buriedClaim)),
    seen('refunded on the chain, not buried', coin(spentBy.shallowRefund)),
    seen('refunded on the chain', coin(spentBy.buriedRefund)),
    told('clock', clock),
    told('clock, funding window over', clock, clocksAt(t.fundBefore)),
    told('clock, locktime passed', clock, clocksAt(t.vhtlc.refundLocktime + 1_801)),
  ],
};

export const arkadeWithdrawalCase: Case<ArkadeWithdrawalTerms, ArkadeWithdrawalProgress> = {
  machine: arkadeWithdrawal,
  terms: { script: new Uint8Array(34), address: 'tark1elsewhere', amount: sats(50_000) },
  first: { at: 'choosing' },
  events: [...everywhere, ...holdSeen, ...paymentSeen, seen('exact', coin()), told('clock', clock)],
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
    told(
      'payment.seen absent, every HTLC timed out',
      { is: 'payment.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: startHeight + 645 }),
    ),
    told(
      'payment.seen absent, timeouts not buried',
      { is: 'payment.seen', state: { is: 'absent' } },
      clocksAt(start + 60, { height: startHeight + 644 }),
    ),
    seen('exact', coin()),
    told('clock', clock),
  ],
};
