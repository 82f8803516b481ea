import { hex } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2.js';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { evmToArkade, type ToArkade } from '../../stories/client/to-arkade.ts';
import { givenTimes } from './evm-oracle.ts';
import { coin, tokenOf } from './evm-tokens.ts';
import { askBack, chainId, fund, give, refundTogether, type FromEvmSwap } from './from-evm.ts';
import {
  begin,
  look,
  opened,
  isLockDecided,
  lockOrEnd,
  until,
  untilOver,
  type Stage,
  type Story,
  type Scenario,
} from './scenario.ts';
import type { EvmArkadeLock } from './wallet.ts';

type Open = FromEvmSwap<ToArkade> & { readonly record: EvmArkadeLock };

const lateClaim = 'claims at the last moment';
const lateRefund = 'asks back once our VHTLC is back';

async function open(stage: Stage, story: string, gasless = stage.chance.next() < 0.7): Promise<Open> {
  const { node, wallet, chance } = stage;
  // Permit2 takes a token from an account without coins only where the token has permits of its own.
  const token = tokenOf(stage, chainId, gasless ? 'USDC' : chance.pick(['WBTC', 'USDC'] as const));
  const amount = { amount_out: Math.floor(chance.between(20_000, 90_000)) };
  const swap = await opened(() =>
    evmToArkade(node.url, { arkade: wallet }, { chainId, token, gasless, amount, userId: randomUUID() }),
  );
  const record = swap.record as unknown as EvmArkadeLock;
  wallet.terms(record);
  const hash = hex.encode(sha256(swap.secret));
  const scenario = begin(stage, { direction: 'evm-arkade', story, hash, record, fromEvm: swap, toArkade: swap });
  await give(stage, swap, token, givenTimes * swap.price);
  if (!gasless) await give(stage, swap, coin, 10n ** 18n);
  return { scenario, swap, gasless, record };
}

const locked = (stage: Stage, scenario: Scenario): Promise<string> => lockOrEnd(stage, 'our lock', scenario);

async function claimUntilOver(stage: Stage, { scenario, swap, record }: Open): Promise<void> {
  await until(stage, 'the claim', scenario, async () => {
    const status = await look(stage, scenario);
    if (status === 'serverfunded') await stage.wallet.claim(record, swap.secret);
    return status === 'serverredeemed';
  });
}

async function claimIfLocked(stage: Stage, swap: Open): Promise<void> {
  const status = await locked(stage, swap.scenario);
  if (status === 'serverfunded') await claimUntilOver(stage, swap);
  else if (status !== 'expired' && (await untilOver(stage, swap.scenario)) !== 'serverredeemed')
    await refundTogether(stage, swap);
}

export const evmToArkadeStories: Record<string, Story> = {
  async honest(stage) {
    const swap = await open(stage, 'honest');
    await fund(stage, swap);
    await claimIfLocked(stage, swap);
  },
  /** Never claims what we locked. */
  async 'walks away'(stage) {
    const swap = await open(stage, 'walks away');
    await fund(stage, swap);
    await locked(stage, swap.scenario);
  },
  async [lateClaim](stage) {
    const swap = await open(stage, lateClaim);
    await fund(stage, swap);
    await locked(stage, swap.scenario);
  },
  async [lateRefund](stage) {
    const swap = await open(stage, lateRefund);
    await fund(stage, swap);
    await locked(stage, swap.scenario);
  },
  /** Wants its lock back while we lock: must get one of the two, never both. */
  async 'funds and asks back'(stage) {
    const swap = await open(stage, 'funds and asks back');
    await fund(stage, swap);
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await pause(30)) {
      await askBack(stage, swap.swap).catch(() => undefined); // refused for now
      if (isLockDecided(await look(stage, swap.scenario))) break;
    }
    await claimIfLocked(stage, swap);
  },
  async 'never funds'(stage) {
    await open(stage, 'never funds');
  },
};

/** What a client does at the very time that passed, whatever the node does. */
export async function evmToArkadeAtLast(stage: Stage, scenario: Scenario, time: string): Promise<void> {
  const { toArkade: swap, story } = scenario;
  if (swap === undefined || time !== 'service' || scenario.seen.at(-1) !== 'serverfunded') return;
  const { chance } = stage;
  if (story === lateClaim) {
    await pause(chance.between(0, 3_000) * chance.pick([0, 1]));
    await stage.wallet.claim(scenario.record as EvmArkadeLock, swap.secret).catch(() => undefined); // too late
  }
  if (story === lateRefund)
    await until(stage, 'the refund', scenario, async () => {
      const status = await look(stage, scenario);
      if (status !== 'serverfunded' && status !== 'clientfundedserverrefunded') return true;
      await askBack(stage, swap);
      await pause(chance.between(100, 800));
      return false;
    });
}
