import { setTimeout as pause } from 'node:timers/promises';
import { refundAlone } from '../../stories/client/from-evm.ts';
import { arkadeToBitcoinStories } from './arkade-bitcoin-stories.ts';
import { arkadeToEvmStories } from './arkade-evm-stories.ts';
import { bitcoinToArkadeAtLast, bitcoinToArkadeStories, takeBitcoin } from './bitcoin-arkade-stories.ts';
import { evmToArkadeAtLast, evmToArkadeStories } from './evm-arkade-stories.ts';
import { bitcoinToEvmStories } from './bitcoin-evm-stories.ts';
import { evmToBitcoinAtLast, evmToBitcoinStories } from './evm-bitcoin-stories.ts';
import { evmToLightningStories } from './evm-lightning-stories.ts';
import { coin, rpcOf } from './evm-tokens.ts';
import { give } from './from-evm.ts';
import { lightningToEvmStories } from './lightning-evm-stories.ts';
import { bitcoinToLightningStories, takeHtlc } from './bitcoin-lightning-stories.ts';
import { lightningToBitcoinStories } from './lightning-bitcoin-stories.ts';
import type { Oracle } from './oracle.ts';
import { claimAgain } from './to-evm.ts';
import { arkadeToLightning, lightningToArkade } from './stories.ts';
import { unlessLost, type Stage, type Story, type Scenario } from './scenario.ts';
import type { CrashDirection } from './verdict.ts';
import type { RefundableRecord } from './wallet.ts';

/** What has passed: the funding windows, the service's own locks, those of the clients. */
export type Time = 'windows' | 'service' | 'client';

/** One direction as clients play it against a node that is killed. */
export interface WireDirection {
  readonly stories: Readonly<Record<string, Story>>;
  /** Where every swap must be after each passage of time. */
  readonly final: Readonly<Record<Time, ReadonlySet<string>>>;
  /** When the service takes its own lock back, and when the client takes its: unix seconds. */
  readonly ends: Readonly<Record<Exclude<Time, 'windows'>, (scenario: Scenario, now: number) => number>>;
  /** What a client does at the very time that passed, while the node is down or dies. */
  atLast?(stage: Stage, scenario: Scenario, time: Time, oracle: Oracle): Promise<void>;
  /** What a client does alone in the end; returns once nothing is left for it. */
  helpItself?(stage: Stage, scenario: Scenario, oracle: Oracle): Promise<void>;
  /** The EVM chains that it is played on, which misbehave meanwhile. */
  readonly chains: readonly string[];
  /** Whether it is played on the Bitcoin chain, which misbehaves then as well. */
  readonly onBitcoin: boolean;
}

const hour = 3_600;
const againMs = 200;

function vhtlcEnd({ record }: Scenario): number {
  return 'vhtlc_refund_locktime' in record ? record.vhtlc_refund_locktime : 0;
}

function lockEnd({ record }: Scenario): number {
  return 'evm_refund_locktime' in record ? record.evm_refund_locktime : 0;
}

function bitcoinEnd({ record }: Scenario): number {
  return 'btc_refund_locktime' in record ? record.btc_refund_locktime : 0;
}

/** The client's VHTLC, after its locktime. */
async function takeVhtlc({ wallet }: Stage, scenario: Scenario): Promise<void> {
  const record = scenario.record as RefundableRecord;
  while ((await wallet.fates(record)).some((coin_) => coin_.spent === 'unspent'))
    await wallet.refundAlone(record).catch(() => pause(againMs));
  for (let isFinished = false; !isFinished;)
    isFinished = await wallet.finishRefund(record).then(
      () => true,
      () => pause(againMs, false),
    );
}

/** The client's lock, after its timelock, by a transaction of its own. */
async function takeLock(stage: Stage, { hash, fromEvm }: Scenario, { evm }: Oracle): Promise<void> {
  if (fromEvm === undefined) return;
  const isLocked = async () => (await evm.reader(137).locks(hash)).some(({ end }) => end === 'active');
  if (!(await isLocked())) return;
  await give(stage, fromEvm, coin, 10n ** 18n);
  const take = () => unlessLost(refundAlone(stage.node.url, fromEvm, rpcOf(stage, 137)));
  while (await isLocked()) await take().catch(() => pause(againMs));
}

const refunded = [
  'expired',
  'serverredeemed',
  'clientrefunded',
  'clientinvalidfunded',
  'clientfundedtoolate',
  'serverwontfund',
];

export const wireDirections: Readonly<Record<CrashDirection, WireDirection>> = {
  'lightning-arkade': {
    stories: lightningToArkade,
    final: {
      windows: new Set(['expired', 'serverfunded', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
      service: new Set(['expired', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
    },
    ends: { service: (_, now) => now + 11 * hour, client: vhtlcEnd },
    chains: [],
    onBitcoin: false,
  },
  'arkade-lightning': {
    stories: arkadeToLightning,
    final: {
      windows: new Set(refunded),
      service: new Set(refunded),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded']),
    },
    ends: { service: (_, now) => now + 11 * hour, client: vhtlcEnd },
    helpItself: takeVhtlc,
    chains: [],
    onBitcoin: false,
  },
  'arkade-evm': {
    stories: arkadeToEvmStories,
    final: {
      // The last one is of a round before.
      windows: new Set([...refunded, 'serverfunded', 'clientrefundedserverrefunded']),
      service: new Set([...refunded, 'clientfundedserverrefunded', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded', 'clientrefundedserverrefunded']),
    },
    ends: { service: lockEnd, client: vhtlcEnd },
    async helpItself(stage, scenario, oracle) {
      await claimAgain(stage, scenario, oracle);
      await takeVhtlc(stage, scenario);
    },
    chains: ['137', '31'],
    onBitcoin: false,
  },
  'arkade-bitcoin': {
    stories: arkadeToBitcoinStories,
    final: {
      // The last one is of a round before; our height may have come while clients were busy.
      windows: new Set([...refunded, 'serverfunded', 'clientfundedserverrefunded', 'clientrefundedserverrefunded']),
      service: new Set([...refunded, 'clientfundedserverrefunded', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded', 'clientrefundedserverrefunded']),
    },
    // The height of ours: a block comes for every ten minutes that pass.
    ends: { service: (_, now) => now + 13 * hour, client: vhtlcEnd },
    helpItself: takeVhtlc,
    chains: [],
    onBitcoin: true,
  },
  'lightning-evm': {
    stories: lightningToEvmStories,
    final: {
      windows: new Set(['expired', 'serverfunded', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
      service: new Set(['expired', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
    },
    ends: { service: lockEnd, client: lockEnd },
    helpItself: claimAgain,
    chains: ['137', '31'],
    onBitcoin: false,
  },
  'lightning-bitcoin': {
    stories: lightningToBitcoinStories,
    final: {
      windows: new Set(['expired', 'serverfunded', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
      service: new Set(['expired', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'serverwontfund', 'clientrefundedserverrefunded']),
    },
    // Its height: a block comes for every ten minutes that pass.
    ends: { service: (_, now) => now + 13 * hour, client: (_, now) => now + hour },
    chains: [],
    onBitcoin: true,
  },
  'bitcoin-lightning': {
    stories: bitcoinToLightningStories,
    final: {
      windows: new Set([...refunded, 'pending']),
      service: new Set(refunded),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded']),
    },
    // Its height: a block comes for every ten minutes that pass.
    ends: { service: (_, now) => now + 12 * hour, client: (_, now) => now + 50 * hour },
    helpItself: takeHtlc,
    chains: [],
    onBitcoin: true,
  },
  'evm-lightning': {
    stories: evmToLightningStories,
    final: {
      windows: new Set(refunded),
      service: new Set(refunded),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded']),
    },
    ends: { service: (_, now) => now + hour, client: lockEnd },
    helpItself: takeLock,
    chains: ['137'],
    onBitcoin: false,
  },
  'bitcoin-arkade': {
    stories: bitcoinToArkadeStories,
    final: {
      // A payment that was replaced may come again until it is too late for it.
      windows: new Set([...refunded, 'pending', 'serverfunded', 'clientrefundedserverrefunded']),
      service: new Set([...refunded, 'clientfundedserverrefunded', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded', 'clientrefundedserverrefunded']),
    },
    ends: {
      service: vhtlcEnd,
      client: bitcoinEnd,
    },
    atLast: bitcoinToArkadeAtLast,
    helpItself: takeBitcoin,
    chains: [],
    onBitcoin: true,
  },
  'evm-bitcoin': {
    stories: evmToBitcoinStories,
    final: {
      windows: new Set([...refunded, 'serverfunded', 'clientrefundedserverrefunded']),
      service: new Set([...refunded, 'clientfundedserverrefunded', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded', 'clientrefundedserverrefunded']),
    },
    ends: { service: bitcoinEnd, client: lockEnd },
    atLast: evmToBitcoinAtLast,
    helpItself: takeLock,
    chains: ['137'],
    onBitcoin: true,
  },
  'evm-arkade': {
    stories: evmToArkadeStories,
    final: {
      windows: new Set([...refunded, 'serverfunded', 'clientrefundedserverrefunded']),
      service: new Set([...refunded, 'clientfundedserverrefunded', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded', 'clientrefundedserverrefunded']),
    },
    ends: { service: vhtlcEnd, client: lockEnd },
    atLast: evmToArkadeAtLast,
    helpItself: takeLock,
    chains: ['137'],
    onBitcoin: false,
  },
  'bitcoin-evm': {
    stories: bitcoinToEvmStories,
    final: {
      windows: new Set([...refunded, 'pending', 'serverfunded', 'clientrefundedserverrefunded']),
      service: new Set([...refunded, 'clientfundedserverrefunded', 'clientrefundedserverrefunded']),
      client: new Set(['expired', 'serverredeemed', 'clientrefunded', 'clientrefundedserverrefunded']),
    },
    ends: { service: lockEnd, client: bitcoinEnd },
    async helpItself(stage, scenario, oracle) {
      await claimAgain(stage, scenario, oracle);
      await takeBitcoin(stage, scenario, oracle);
    },
    chains: ['137', '31'],
    onBitcoin: true,
  },
};
