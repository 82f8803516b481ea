import { asEvmAddress } from '../../engine/domain/evm.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix, type Clocks, type Unix } from '../../engine/domain/time.ts';
import type { EvmPurpose, Permit } from '../../engine/legs/evm/acts.ts';
import type { SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import { payoutLeg } from '../../engine/legs/lightning/timelocks.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import {
  evmLightning,
  type EvmLightningProgress,
  type EvmLightningTerms,
} from '../../engine/swap/directions/evm-lightning.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { nameOf } from './table.ts';
import { clocksAt, hash, preimage, start, unread, type Case, type Telling } from './cases.ts';

export const network = 'evm:137';
const address = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));

export const account = {
  token: address(1),
  coordinator: address(2),
  service: address(3),
  client: address(4),
  stranger: address(5),
};
const htlc = address(9);
const tip = 60_000_000;

/** The chain's clock two seconds behind the wall, a block every two seconds. */
export function evmClocksAt(wall: number, extra: { readonly mtp?: Unix | null } = {}): Clocks {
  const height = tip + Math.floor((wall - start) / 2);
  return { ...clocksAt(wall), [network]: { mtp: unix(wall - 2), height, ...extra } };
}

const policy = defaultPolicy;
const leg = payoutLeg({
  clocks: { ...clocksAt(start), [network]: { mtp: start, height: tip } },
  network,
  finalCltv: 80,
  policy,
});
if ('refusal' in leg) throw new Error(leg.sentence);

const lock: Omit<LockTerms, 'amount'> = {
  preimageHash: hash,
  token: account.token,
  refundAddress: account.coordinator,
  claimAddress: account.service,
  timelock: BigInt(leg.refundLocktime),
};

export const evmLightningTerms: EvmLightningTerms = {
  hash,
  network,
  contracts: { kind: 'erc20', htlc, coordinator: account.coordinator, htlcVersion: '4', coordinatorVersion: '3' },
  lock,
  least: 100_260n,
  pegged: { address: account.token, decimals: 8, symbol: 'WBTC', name: 'Wrapped BTC' },
  sourceAmount: sats(100_260),
  feeSats: sats(250),
  networkFeeSats: sats(10),
  confirmations: 16,
  since: tip,
  fundBefore: unix(start + policy.fundingWindow),
  targetAmount: sats(100_000),
  clientAddress: account.client,
  source: { address: account.token, decimals: 8, symbol: 'WBTC', name: 'Wrapped BTC' },
  sourceUnits: 100_260n,
  sourcePinned: false,
  gasless: true,
  bolt11: 'lnbcrt1',
  invoiceExpiresAt: unix(start + 7_200),
  maxFeeMsat: 260_000n,
  maxTimeoutHeight: leg.maxTimeoutHeight,
  payBefore: leg.payBefore,
  finalCltv: 80,
  agreed: false,
  policy,
};
const t = evmLightningTerms;

export const fresh: EvmLightningProgress = {
  at: 'pending',
  sent: [],
  given: null,
  extras: [],
  relay: null,
  relays: 0,
  refusal: null,
  vanished: false,
};

export const sentTxid = { fund: 'a1'.repeat(32), claim: 'b2'.repeat(32), refund: 'c3'.repeat(32) };
const clientTxid = 'e5'.repeat(32);

/** A lock of the client's as its chain shows it, right and buried unless it is said otherwise. */
export function seenLock(
  change: Partial<LockTerms> = {},
  sight: Partial<Pick<SeenLock, 'confirmations' | 'state' | 'txid' | 'height' | 'depositor'>> = {},
): SeenLock {
  const terms: LockTerms = { ...lock, amount: t.least, ...change };
  return {
    terms,
    key: swapKey(terms),
    txid: clientTxid,
    height: tip + 5,
    confirmations: 16,
    depositor: account.client,
    state: { is: 'active' },
    ...sight,
  };
}

export const redeemed = (confirmations: number): SeenLock['state'] => ({
  is: 'redeemed',
  preimage,
  txid: sentTxid.claim,
  confirmations,
});
export const refunded = (confirmations: number): SeenLock['state'] => ({
  is: 'refunded',
  txid: clientTxid,
  confirmations,
});

export const dust = (change: Parameters<typeof seenLock>[1] = {}) =>
  seenLock({ amount: 330n }, { txid: 'd4'.repeat(32), ...change });

/** As it was agreed, by somebody else: for the swap it is as good as the client's. */
export const strangers = (change: Parameters<typeof seenLock>[1] = {}) =>
  seenLock(
    { amount: t.least + 5n },
    { txid: 'd5'.repeat(32), height: tip + 9, depositor: account.stranger, ...change },
  );

export const signature = { v: 27, r: new Uint8Array(32).fill(1), s: new Uint8Array(32).fill(2) };
export const permit: Permit = {
  depositor: account.client,
  token: account.token,
  amount: t.least,
  nonce: 7n,
  deadline: BigInt(start + 1_200),
  signature: new Uint8Array(65),
};

export function lookAt(locks: readonly SeenLock[], at: number = start + 60): Event & { is: 'evm.seen' } {
  return { is: 'evm.seen', network, height: tip, time: unix(at - 2), asked: unix(at), locks };
}

export function telling(label: string, event: Event, now: Clocks = evmClocksAt(start + 60)): Telling {
  return { label, event, now };
}

function sighting(label: string, ...locks: SeenLock[]): Telling {
  return telling(`evm.seen ${label}`, lookAt(locks));
}

function seenAt(label: string, at: number, ...locks: SeenLock[]): Telling {
  return telling(`evm.seen ${label}`, lookAt(locks, at), evmClocksAt(at));
}

export function askRefund(of: SeenLock): Event & { is: 'evm-refund.requested' } {
  return { is: 'evm-refund.requested', key: of.key, depositor: account.client, signature };
}

const ours = [
  ['relay-fund', sentTxid.fund],
  ['claim', sentTxid.claim],
  ['relay-refund', sentTxid.refund],
] as const satisfies readonly (readonly [EvmPurpose, string])[];

const ends: Record<string, SentState> = {
  waiting: { is: 'waiting', taken: null },
  taken: { is: 'waiting', taken: 'dd'.repeat(32) },
  mined: { is: 'mined', by: 'dd'.repeat(32), ok: true, confirmations: 1, cost: 9_000n },
  failed: { is: 'mined', by: 'dd'.repeat(32), ok: false, confirmations: 1, cost: 4_000n },
  gone: { is: 'gone' },
};

const closed = t.fundBefore;
const after = t.payBefore + 3;
export const over = Number(t.lock.timelock) + 2;

/**
 * What every swap that begins with a lock on an EVM chain may hear: of its relays, and then of its locks and of the
 * time.
 */
export const relayTellings: readonly Telling[] = [
  telling('fund.requested', { is: 'fund.requested', permit, calls: [] }),
  telling('fund.requested, funding window over', { is: 'fund.requested', permit, calls: [] }, evmClocksAt(closed)),
  ...ours.flatMap(([purpose, txid]) => [
    telling(`evm.prepared ${purpose}`, { is: 'evm.prepared', purpose, txid }),
    telling(`evm.refused ${purpose}`, { is: 'evm.refused', purpose, reason: 'it would fail' }),
    telling(`evm.already-done ${purpose}`, { is: 'evm.already-done', purpose }),
    ...Object.entries(ends).map(([name, state]) =>
      telling(`evm.sent ${purpose} ${name}`, { is: 'evm.sent', purpose, txid, state }),
    ),
  ]),
];

export const lockTellings: readonly Telling[] = [
  sighting('nothing'),
  seenAt('nothing, funding window over', closed),
  sighting('right', seenLock()),
  seenAt('nothing, too late to pay', after),
  sighting('right but not buried', seenLock({}, { confirmations: 15 })),
  telling('evm.seen right, clock of the chain unread', lookAt([seenLock()]), unread(start + 60)),
  seenAt('right, funding window over', closed, seenLock()),
  seenAt('right, too late to pay', after, seenLock()),
  seenAt('not buried, too late to pay', after, seenLock({}, { confirmations: 15 })),
  sighting('more than agreed', seenLock({ amount: 500_000n })),
  sighting('short by one', seenLock({ amount: t.least - 1n })),
  sighting('short by one, not buried', seenLock({ amount: t.least - 1n }, { confirmations: 15 })),
  sighting('dust', dust()),
  sighting('dust beside the right one', dust(), seenLock()),
  sighting('short by one, of a stranger', seenLock({ amount: t.least - 1n }, { depositor: account.stranger })),
  sighting('short by one, of nobody', seenLock({ amount: t.least - 1n }, { depositor: 'nobody' })),
  sighting('a stranger’s', strangers()),
  sighting('a stranger’s beside the right one', strangers(), seenLock()),
  sighting('a stranger’s buried, the right one not', strangers(), seenLock({}, { confirmations: 15 })),
  sighting('a stranger’s refunded beside the right one', strangers({ state: refunded(16) }), seenLock()),
  sighting('a stranger’s beside the right one refunded', strangers(), seenLock({}, { state: refunded(16) })),
  seenAt('dust, funding window over', closed, dust()),
  sighting('another token', seenLock({ token: address(8) })),
  sighting('not through the coordinator', seenLock({ refundAddress: account.client })),
  sighting('for another account', seenLock({ claimAddress: account.client })),
  sighting('another timelock', seenLock({ timelock: t.lock.timelock - 1n })),
  sighting('claimed, not buried', seenLock({}, { state: redeemed(15) })),
  sighting('claimed', seenLock({}, { state: redeemed(16) })),
  sighting('refunded, not buried', seenLock({}, { state: refunded(15) })),
  sighting('refunded', seenLock({}, { state: refunded(16) })),
  telling('evm-refund.requested of the right lock', askRefund(seenLock())),
  telling('evm-refund.requested of a stranger’s', askRefund(strangers())),
  telling('evm-refund.requested not through the coordinator', askRefund(seenLock({ refundAddress: account.client }))),
  telling('clock', { is: 'clock' }),
  telling('clock, too late to pay', { is: 'clock' }, evmClocksAt(after)),
  telling(
    'clock, timelock passed by the wall and Bitcoin alone',
    { is: 'clock' },
    evmClocksAt(over + 90_000, { mtp: start }),
  ),
  telling('clock, timelock passed', { is: 'clock' }, evmClocksAt(over)),
  telling('clock, a day after the timelock', { is: 'clock' }, evmClocksAt(over + 86_401)),
];

export const evmLightningCase: Case<EvmLightningTerms, EvmLightningProgress> = {
  machine: evmLightning,
  terms: t,
  first: fresh,
  alike: (p) =>
    [
      nameOf(p),
      ...('extras' in p ? p.extras.map(({ lock: { amount }, taken: isTaken }) => `${amount} ${isTaken}`) : []),
      ...('sent' in p ? p.sent.map(({ purpose }) => purpose) : []),
      ...('claimTxid' in p ? [p.claimTxid] : []),
      ...('unwatched' in p && p.unwatched ? ['unwatched'] : []),
    ].join(),
  events: [
    ...relayTellings,
    telling('payment.started', { is: 'payment.started' }),
    telling('payment.started after a call without an answer', { is: 'payment.started', unsure: true }),
    telling('payment.refused', { is: 'payment.refused', reason: 'no route' }),
    telling('payment.seen in-flight', { is: 'payment.seen', state: { is: 'in-flight' } }),
    telling('payment.seen settled', { is: 'payment.seen', state: { is: 'settled', preimage, feeMsat: 5n } }),
    telling('payment.seen failed', { is: 'payment.seen', state: { is: 'failed', reason: 'no route' } }),
    telling('payment.seen absent', { is: 'payment.seen', state: { is: 'absent' } }),
    telling('payment.seen failed after a call without an answer', {
      is: 'payment.seen',
      state: { is: 'failed', reason: 'no route' },
      unsure: true,
    }),
    telling(
      'payment.seen absent, every HTLC timed out',
      { is: 'payment.seen', state: { is: 'absent' } },
      { ...evmClocksAt(start + 60), bitcoin: { mtp: start, height: t.maxTimeoutHeight + 145 } },
    ),
    ...lockTellings,
  ],
};
