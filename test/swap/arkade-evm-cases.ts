import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asPreimage, asPublicKey, asXOnly } from '../../engine/domain/hash.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { seconds, unix, type Clocks } from '../../engine/domain/time.ts';
import type { EvmPurpose } from '../../engine/legs/evm/acts.ts';
import type { SeenLock, SentState } from '../../engine/legs/evm/events.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import { evmLockLegs } from '../../engine/legs/evm/timelocks.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { vhtlcDelays } from '../../engine/legs/timelocks.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { arkadeEvm, type ArkadeEvmProgress, type ArkadeEvmTerms } from '../../engine/swap/directions/arkade-evm.ts';
import type { Event } from '../../engine/swap/machine.ts';
import {
  clocksAt,
  coin,
  coinPoint,
  hash,
  otherPoint,
  preimage,
  spentBy,
  start,
  type Case,
  type Telling,
} from './cases.ts';

export const network = 'evm:137' as const;
const address = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const key = (byte: number) => asXOnly(new Uint8Array(32).fill(byte));

/** Clocks of both chains: an EVM chain's is true to a second, unless one is said to be somewhere else. */
export function clocksOn(wall: number, evm: number | null = wall): Clocks {
  return { ...clocksAt(wall), [network]: { mtp: evm === null ? null : unix(evm), height: 1_000 } };
}

const first = clocksAt(start);
const legs = evmLockLegs({ clocks: { ...first, [network]: { mtp: start, height: 1_000 } }, network, policy });
if ('refusal' in legs) throw new Error(legs.sentence);

const lock: LockTerms = {
  preimageHash: hash,
  amount: 100_000n,
  token: address(0x11),
  refundAddress: address(0x22),
  claimAddress: address(0x33),
  timelock: BigInt(legs.timelock),
};
const token = { address: lock.token, decimals: 8, symbol: 'WBTC', name: 'Wrapped BTC' };

export const arkadeEvmTerms: ArkadeEvmTerms = {
  hash,
  sourceAmount: sats(100_260),
  feeSats: sats(250),
  networkFeeSats: sats(10),
  vhtlc: {
    sender: key(1),
    receiver: key(2),
    operator: key(4),
    hash: hash160OfSha256(hash),
    refundLocktime: legs.refundLocktime,
    ...vhtlcDelays({ exitDelay: seconds(512), leg: seconds(legs.refundLocktime - start), policy }),
  },
  script: new Uint8Array(34).fill(8),
  keyIndex: 0,
  toleranceBps: 100,
  fundBefore: legs.fundBefore,
  minCoinExpiry: legs.minCoinExpiry,
  address: 'tark1vhtlc',
  serverKey: asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(3))),
  clientKeyText: '02'.repeat(33),
  targetSats: sats(100_000),
  network,
  contracts: {
    kind: 'erc20',
    htlc: address(0x44),
    coordinator: address(0x55),
    htlcVersion: '4',
    coordinatorVersion: '3',
  },
  lock,
  pegged: token,
  target: token,
  targetAmount: tokenAmount(100_000),
  floor: 100_000n,
  targetAddress: address(0x66),
  gasless: true,
  lockBefore: legs.lockBefore,
  since: 990,
  burial: 16,
  policy,
};

const t = arkadeEvmTerms;
export const evmTxid = {
  lock: '1a'.repeat(32),
  relay: '2b'.repeat(32),
  refund: '3c'.repeat(32),
  client: '4d'.repeat(32),
  bumped: '5e'.repeat(32),
};

export function seenLock(state: SeenLock['state'], change: Partial<SeenLock> = {}): SeenLock {
  return {
    terms: lock,
    key: swapKey(lock),
    txid: evmTxid.lock,
    height: 1_000,
    confirmations: 1,
    depositor: null,
    state,
    ...change,
  };
}

export const lockIs = {
  active: { is: 'active' },
  claimed: { is: 'redeemed', preimage, txid: evmTxid.client, confirmations: 1 },
  forged: { is: 'redeemed', preimage: asPreimage(new Uint8Array(32).fill(1)), txid: evmTxid.client, confirmations: 1 },
  claimedDeep: { is: 'redeemed', preimage, txid: evmTxid.client, confirmations: 16 },
  refunded: { is: 'refunded', txid: evmTxid.refund, confirmations: 15 },
  refundedDeep: { is: 'refunded', txid: evmTxid.refund, confirmations: 16 },
} as const satisfies Record<string, SeenLock['state']>;

export function evmSeen(locks: readonly SeenLock[], at: number = start + 120): Event {
  return { is: 'evm.seen', network, height: 1_010, time: unix(at), asked: unix(at), locks };
}

export const claimRequest: Event & { is: 'claim.requested' } = {
  is: 'claim.requested',
  secret: preimage,
  destination: t.targetAddress,
  sweepToken: lock.token,
  minAmountOut: lock.amount,
  calls: [],
  signature: { v: 27, r: new Uint8Array(32).fill(1), s: new Uint8Array(32).fill(2) },
};

const soon = clocksOn(start + 60);
const telling = (label: string, event: Event, now: Clocks = soon): Telling => ({ label, event, now });
const coins = (label: string, ...of: Parameters<typeof coin>): Telling =>
  telling(`vhtlc.seen ${label}`, { is: 'vhtlc.seen', coins: of.map((change) => coin(change)) });

const sentStates: Record<string, SentState> = {
  waiting: { is: 'waiting', taken: null },
  taken: { is: 'waiting', taken: evmTxid.bumped },
  mined: { is: 'mined', by: '', ok: true, confirmations: 1, cost: 1n },
  'mined by a variant': { is: 'mined', by: evmTxid.bumped, ok: true, confirmations: 1, cost: 1n },
  reverted: { is: 'mined', by: '', ok: false, confirmations: 15, cost: 1n },
  'reverted and buried': { is: 'mined', by: '', ok: false, confirmations: 16, cost: 1n },
  gone: { is: 'gone' },
};
const purposes: readonly (readonly [EvmPurpose, string])[] = [
  ['lock', evmTxid.lock],
  ['relay-claim', evmTxid.relay],
  ['refund', evmTxid.refund],
];

/** Timelock of our lock, and the client's refund of the VHTLC. */
export const lockEnds = legs.timelock;
const vhtlcEnds = t.vhtlc.refundLocktime;
const other: Outpoint = otherPoint;

export const arkadeEvmCase: Case<ArkadeEvmTerms, ArkadeEvmProgress> = {
  machine: arkadeEvm,
  terms: t,
  first: { at: 'pending', fenced: false },
  events: [
    ...purposes.flatMap(([purpose, txid]) => [
      telling(`evm.prepared ${purpose}`, { is: 'evm.prepared', purpose, txid }),
      telling(`evm.refused ${purpose}`, { is: 'evm.refused', purpose, reason: 'it would revert' }),
      telling(`evm.already-done ${purpose}`, { is: 'evm.already-done', purpose }),
      ...Object.entries(sentStates).map(([name, state]) =>
        telling(`evm.sent ${purpose} ${name}`, {
          is: 'evm.sent',
          purpose,
          txid,
          state: state.is === 'mined' && state.by === '' ? { ...state, by: txid } : state,
        }),
      ),
    ]),
    telling('evm.seen nothing', evmSeen([])),
    telling('evm.seen nothing, asked before', evmSeen([], start)),
    ...Object.entries(lockIs).map(([name, state]) => telling(`evm.seen ${name}`, evmSeen([seenLock(state)]))),
    telling('evm.seen active in another block', evmSeen([seenLock(lockIs.active, { txid: evmTxid.bumped })])),
    telling("evm.seen a stranger's of the hash", evmSeen([seenLock(lockIs.claimed, { key: new Uint8Array(32) })])),
    telling('evm.seen on another chain', { ...evmSeen([seenLock(lockIs.claimed)]), network: 'evm:1' } as Event),
    telling('evm.seen claimed, the VHTLC about to open', evmSeen([seenLock(lockIs.claimed)]), clocksOn(vhtlcEnds - 60)),
    telling('claim.requested', claimRequest),
    telling('claim.requested with a wrong secret', { ...claimRequest, secret: lockIs.forged.preimage }),
    telling('claim.requested after the timelock', claimRequest, clocksOn(lockEnds)),
    telling('refund.cosign.requested swap coin', { is: 'refund.cosign.requested', coins: [coinPoint] }),
    telling('refund.cosign.requested other coin', { is: 'refund.cosign.requested', coins: [other] }),
    telling('vhtlc.prepared claim', {
      is: 'vhtlc.prepared',
      purpose: 'claim',
      txid: 'b2'.repeat(32),
      output: { txid: 'b2'.repeat(32), vout: 0 },
    }),
    telling('vhtlc.final claim', { is: 'vhtlc.final', purpose: 'claim', txid: 'b2'.repeat(32) }),
    telling('vhtlc.seen nothing, funding window over', { is: 'vhtlc.seen', coins: [] }, clocksOn(t.fundBefore)),
    telling('vhtlc.seen exact, EVM clock unread', { is: 'vhtlc.seen', coins: [coin()] }, clocksOn(start + 60, null)),
    telling(
      'vhtlc.seen exact, too late on the EVM chain',
      { is: 'vhtlc.seen', coins: [coin()] },
      clocksOn(start + 60, t.lockBefore + 1),
    ),
    telling('vhtlc.seen exact, funding window over', { is: 'vhtlc.seen', coins: [coin()] }, clocksOn(t.fundBefore)),
    coins('exact', {}),
    coins('short by one', { amount: sats(t.sourceAmount - 1n) }),
    coins('expires too soon', { expiresAt: unix(t.minCoinExpiry - 1) }),
    telling('vhtlc.seen dust beside the right one', {
      is: 'vhtlc.seen',
      coins: [coin(), coin({ outpoint: other, amount: sats(330) })],
    }),
    coins('taken by our claim', spentBy.ourClaim),
    coins('refunded by the client alone', spentBy.refund),
    coins('refunded with our signature', spentBy.cosignedRefund),
    telling('clock', { is: 'clock' }),
    telling('clock, timelock passed by the wall alone', { is: 'clock' }, clocksOn(lockEnds + 60, lockEnds - 1)),
    telling('clock, timelock passed', { is: 'clock' }, clocksOn(lockEnds)),
    telling('clock, locktime passed', { is: 'clock' }, clocksOn(vhtlcEnds + 1_801)),
  ],
};
