import { sats } from '../../../engine/domain/money.ts';
import { unix, type ChainClock, type Clocks, hour, minute, seconds } from '../../../engine/domain/time.ts';
import type * as lock from '../../../engine/legs/safety/lock.ts';
import type * as pay from '../../../engine/legs/safety/pay.ts';
import type * as reveal from '../../../engine/legs/safety/reveal.ts';
import type { Safety } from '../../../engine/legs/safety/verdict.ts';
import { defaultPolicy, type TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';

export const start = 1_800_000_000;
const network = 'evm:137';

/** All that either form looks at, as plain numbers: unix seconds, heights, blocks, sats. */
export interface Case {
  readonly wall: number;
  readonly mtp: number | null;
  readonly height: number | null;
  readonly mtpAhead: number | null;
  readonly heightAhead: number | null;
  readonly evm: number | null;
  readonly evmAhead: number | null;
  readonly doubt: 'nobody' | 'bitcoin' | 'evm';
  /** The client's leg ends. */
  readonly client: number;
  /** Ours ends. */
  readonly ours: number;
  /** A held payment times out; a payment of ours may at most. */
  readonly limit: number;
  readonly amount: number;
  readonly depth: number | null;
  readonly coinExpiry: number;
  readonly finalCltv: number;
  readonly invoice: number;
}

export const base: Case = {
  wall: start,
  mtp: start - hour,
  height: 900_000,
  mtpAhead: null,
  heightAhead: null,
  evm: start - 2,
  evmAhead: null,
  doubt: 'nobody',
  client: start + 30 * hour,
  ours: start + 12 * hour,
  limit: 900_200,
  amount: 1_000,
  depth: 3,
  coinExpiry: start + 60 * hour,
  finalCltv: 40,
  invoice: start + hour,
};
const sourceAmount = sats(1_000);
const confirmations = 3;

function clocksOf(of: Case): Clocks {
  const { wall, mtp, height, mtpAhead, heightAhead, evm, evmAhead, doubt } = of;
  const doubtful = 'Two sources differ.';
  const bitcoin: ChainClock = {
    mtp: mtp === null ? null : unix(mtp),
    height,
    ...(mtpAhead === null && heightAhead === null
      ? {}
      : { ahead: { mtp: mtpAhead === null ? null : unix(mtpAhead), height: heightAhead ?? height } }),
    ...(doubt === 'bitcoin' ? { doubt: doubtful } : {}),
  };
  const chain: ChainClock = {
    mtp: evm === null ? null : unix(evm),
    height: 1,
    ...(evmAhead === null ? {} : { ahead: { mtp: unix(evmAhead), height: 2 } }),
    ...(doubt === 'evm' ? { doubt: doubtful } : {}),
  };
  return { wall: unix(wall), bitcoin, ...(evm === null && evmAhead === null ? {} : { [network]: chain }) };
}

const coinOf = ({ amount, coinExpiry }: Case) => ({
  amount: sats(amount),
  expiresAt: unix(coinExpiry),
  recoverable: false,
  unrolled: false,
  spent: false,
});

const clockNumbers = ['mtp', 'mtpAhead', 'height', 'heightAhead', 'evm', 'evmAhead'] as const;
/** The judges of every pair that had one of its own before. */
export type Rules = Omit<typeof lock, 'safeToLockOnEvmForHeld' | 'safeToLockOnEvmForCoin'> & typeof pay & typeof reveal;

export interface Pair {
  readonly of: Partial<Case>;
  readonly numbers: readonly (keyof Case)[];
  /** Those of them that decide nothing here. */
  readonly idle?: readonly (keyof Case)[];
  judge(rules: Rules, of: Case, policy: TimeoutPolicy): Safety;
}

export const pairs: Readonly<Record<string, Pair>> = {
  'lightning-arkade': {
    of: {},
    numbers: ['ours', 'limit', 'amount', 'mtp', 'mtpAhead', 'height', 'heightAhead'],
    judge: (rules, of, policy) =>
      rules.safeToLock(
        {
          held: of.depth === null ? null : { amount: sats(of.amount), expiryHeight: of.limit },
          sourceAmount,
          vhtlcRefundLocktime: unix(of.ours),
        },
        clocksOf(of),
        policy,
      ),
  },
  'arkade-evm': {
    of: {},
    numbers: ['client', 'ours', 'coinExpiry', 'amount', ...clockNumbers],
    idle: ['height', 'heightAhead'],
    judge: (rules, of, policy) =>
      rules.safeToLockOnEvm(
        {
          coin: coinOf(of),
          sourceAmount,
          network,
          refundLocktime: unix(of.client),
          timelock: unix(of.ours),
        },
        clocksOf(of),
        policy,
      ),
  },
  'evm-bitcoin': {
    of: {},
    numbers: ['client', 'ours', 'depth', ...clockNumbers],
    idle: ['height', 'heightAhead'],
    judge: (rules, { depth, ...of }, policy) =>
      rules.safeToFundForLock(
        { network, depth, confirmations, timelock: unix(of.client), htlcRefundLocktime: unix(of.ours) },
        clocksOf({ ...of, depth }),
        policy,
      ),
  },
  'bitcoin-arkade': {
    of: {},
    numbers: ['client', 'ours', 'depth', 'amount', 'mtp', 'mtpAhead', 'height', 'heightAhead'],
    idle: ['height', 'heightAhead'],
    judge: (rules, of, policy) =>
      rules.safeToLockForCoin(
        {
          coin: of.depth === null ? null : { amount: sats(of.amount), depth: of.depth },
          sourceAmount,
          confirmations,
          refundLocktime: unix(of.client),
          lockRefundLocktime: unix(of.ours),
        },
        clocksOf(of),
        policy,
      ),
  },
  'arkade-lightning': {
    of: { client: start + 48 * hour, limit: 900_150 },
    numbers: ['client', 'limit', 'finalCltv', 'invoice', 'wall', 'coinExpiry', 'amount', ...clockNumbers.slice(0, 4)],
    judge: (rules, of, policy) =>
      rules.safeToPay(
        {
          coin: coinOf(of),
          sourceAmount,
          refundLocktime: unix(of.client),
          maxTimeoutHeight: of.limit,
          finalCltv: of.finalCltv,
          invoiceExpiresAt: unix(of.invoice),
        },
        clocksOf(of),
        policy,
      ),
  },
  'evm-lightning': {
    of: { client: start + 48 * hour, limit: 900_150 },
    numbers: ['client', 'limit', 'finalCltv', 'invoice', 'wall', 'depth', ...clockNumbers],
    idle: ['mtp', 'mtpAhead'],
    judge: (rules, of, policy) =>
      rules.safeToPayForLock(
        {
          network,
          depth: of.depth,
          confirmations,
          refundLocktime: unix(of.client),
          maxTimeoutHeight: of.limit,
          finalCltv: of.finalCltv,
          invoiceExpiresAt: unix(of.invoice),
        },
        clocksOf(of),
        policy,
      ),
  },
  'VHTLC to claim': {
    of: {},
    numbers: ['client', 'coinExpiry', 'amount', 'wall', 'mtp', 'mtpAhead', 'height', 'heightAhead'],
    idle: ['height', 'heightAhead'],
    judge: (rules, of, policy) =>
      rules.safeToReveal(
        { coin: coinOf(of), targetAmount: sourceAmount, refundLocktime: unix(of.client) },
        clocksOf(of),
        policy,
      ),
  },
  'lock to claim': {
    of: {},
    numbers: ['client', 'depth', ...clockNumbers],
    idle: ['mtp', 'mtpAhead', 'height', 'heightAhead'],
    judge: (rules, of, policy) =>
      rules.safeToRevealForLock(
        { network, depth: of.depth, confirmations, timelock: unix(of.client) },
        clocksOf(of),
        policy,
      ),
  },
  'coin to claim': {
    of: {},
    numbers: ['client', 'depth', 'amount', 'mtp', 'mtpAhead', 'height', 'heightAhead'],
    idle: ['height', 'heightAhead'],
    judge: (rules, of, policy) =>
      rules.safeToRevealForCoin(
        {
          coin:
            of.depth === null ? null : { amount: sats(of.amount), height: of.depth === 0 ? null : 900_001 - of.depth },
          height: 900_000,
          targetAmount: sourceAmount,
          refundLocktime: unix(of.client),
        },
        clocksOf(of),
        policy,
      ),
  },
};

/** Every state that the clocks can be in. */
export const states: Readonly<Record<string, Partial<Case>>> = {
  'as usual': {},
  'nothing read': { mtp: null, height: null, evm: null },
  'median time past missing': { mtp: null },
  'height missing': { height: null },
  'EVM clock missing': { evm: null },
  'read by another source alone': { mtp: null, height: null, mtpAhead: start, heightAhead: 900_000 },
  'EVM clock read by another source alone': { evm: null, evmAhead: start },
  'Bitcoin in doubt': { doubt: 'bitcoin' },
  'EVM chain in doubt': { doubt: 'evm' },
  'Bitcoin further on by another source': { mtpAhead: start, heightAhead: 900_004 },
  'EVM chain further on by another source': { evm: start - 2 * hour, evmAhead: start },
  'Bitcoin stands still': { mtp: start - 5 * hour },
  'EVM chain stands still': { evm: start - 4 * hour },
  'Bitcoin as far ahead as blocks may be': { mtp: start + 2 * hour },
  'EVM chain ahead': { evm: start + 2 * hour },
  'machine ahead': { wall: start + 14 * hour, invoice: start + 15 * hour },
  'machine behind': { wall: start - 14 * hour },
  'client’s lock gone': { depth: null },
};

const short = (change: Partial<TimeoutPolicy>): TimeoutPolicy => ({ ...defaultPolicy, ...change });
export const policies: readonly TimeoutPolicy[] = [
  defaultPolicy,
  short({ mtpLag: seconds(0) }),
  short({ margin: seconds(minute), fundingWindow: seconds(30), leastClaimTime: seconds(minute) }),
];
