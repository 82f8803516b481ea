import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { claimBitcoin, evmToBitcoin, type ToBitcoin } from '../../stories/client/to-bitcoin.ts';
import { givenTimes } from './evm-oracle.ts';
import { coin, tokenOf } from './evm-tokens.ts';
import type { EvmBitcoinRecord } from './evm-verdict.ts';
import { askBack, chainId, fund, give, refundTogether, type FromEvmSwap } from './from-evm.ts';
import type { Oracle } from './oracle.ts';
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

type Open = FromEvmSwap<ToBitcoin>;

const lateClaim = 'claims at the last moment';
const lateRefund = 'asks back once our coin is back';

async function open(stage: Stage, story: string, gasless = stage.chance.next() < 0.7): Promise<Open> {
  const { node, chance } = stage;
  // Permit2 takes a token from an account without coins only where the token has permits of its own.
  const token = tokenOf(stage, chainId, gasless ? 'USDC' : chance.pick(['WBTC', 'USDC'] as const));
  const amount = { amount_out: Math.floor(chance.between(60_000, 150_000)) };
  const swap = await opened(() => evmToBitcoin(node.url, { chainId, token, gasless, amount, userId: randomUUID() }));
  const record = swap.record as unknown as EvmBitcoinRecord;
  const hash = record.evm_hash_lock.slice(2);
  const scenario = begin(stage, { direction: 'evm-bitcoin', story, hash, record, fromEvm: swap, toBitcoin: swap });
  await give(stage, swap, token, givenTimes * swap.price);
  if (!gasless) await give(stage, swap, coin, 10n ** 18n);
  return { scenario, swap, gasless };
}

const funded = (stage: Stage, scenario: Scenario): Promise<string> => lockOrEnd(stage, 'our coin', scenario);

async function claim({ node, endpoints }: Stage, swap: ToBitcoin, fee?: bigint): Promise<string> {
  const { body } = await node.ask(`/swap/${swap.id}`);
  return claimBitcoin(endpoints.bitcoin.esploraUrl, swap, body, fee);
}

/** Claims again while nobody believes it: its claim may be lost before the node has seen it. */
async function claimUntilOver(stage: Stage, { scenario, swap }: Open): Promise<void> {
  await until(stage, 'the claim', scenario, async () => {
    const status = await look(stage, scenario);
    if (status === 'serverfunded') await claim(stage, swap);
    return status === 'serverredeemed';
  });
}

async function claimIfFunded(stage: Stage, swap: Open): Promise<void> {
  const status = await funded(stage, swap.scenario);
  if (status === 'serverfunded') await claimUntilOver(stage, swap);
  else if (status !== 'expired' && (await untilOver(stage, swap.scenario)) !== 'serverredeemed')
    await refundTogether(stage, swap);
}

export const evmToBitcoinStories: Record<string, Story> = {
  async honest(stage) {
    const swap = await open(stage, 'honest');
    await fund(stage, swap);
    await claimIfFunded(stage, swap);
  },
  /** Its claim is driven out, and what it spends with it: whoever learned the secret sends both again. */
  async 'claim is driven out'(stage) {
    const swap = await open(stage, 'claim is driven out');
    await fund(stage, swap);
    if ((await funded(stage, swap.scenario)) === 'serverfunded') {
      const txid = await until(stage, 'the claim', swap.scenario, () => claim(stage, swap.swap));
      await pause(stage.chance.between(0, 2_500));
      const { body } = await stage.node.ask(`/swap/${swap.swap.id}`);
      const drop = stage.chance.next() < 0.5 ? [txid] : [txid, String(body['btc_fund_txid'])];
      await stage.wallet.controls.reorg(1 + Math.floor(stage.chance.next() * 5), drop);
    }
    await claimIfFunded(stage, swap);
  },
  async 'claim is replaced'(stage) {
    const swap = await open(stage, 'claim is replaced');
    await fund(stage, swap);
    if ((await funded(stage, swap.scenario)) === 'serverfunded') {
      await until(stage, 'the claim', swap.scenario, () => claim(stage, swap.swap, 200n));
      await pause(stage.chance.between(0, 1_500));
      await claim(stage, swap.swap, 3_000n).catch(() => undefined); // mined already
    }
    await claimIfFunded(stage, swap);
  },
  /** Never claims what we funded. */
  async 'walks away'(stage) {
    const swap = await open(stage, 'walks away');
    await fund(stage, swap);
    await funded(stage, swap.scenario);
  },
  async [lateClaim](stage) {
    const swap = await open(stage, lateClaim);
    await fund(stage, swap);
    await funded(stage, swap.scenario);
  },
  async [lateRefund](stage) {
    const swap = await open(stage, lateRefund);
    await fund(stage, swap);
    await funded(stage, swap.scenario);
  },
  /** Wants its lock back while we fund: must get one of the two, never both. */
  async 'funds and asks back'(stage) {
    const swap = await open(stage, 'funds and asks back');
    await fund(stage, swap);
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await pause(30)) {
      await askBack(stage, swap.swap).catch(() => undefined); // refused for now
      if (isLockDecided(await look(stage, swap.scenario))) break;
    }
    await claimIfFunded(stage, swap);
  },
  async 'never funds'(stage) {
    await open(stage, 'never funds');
  },
};

/** What a client does at the very time that passed, whatever the node does. */
export async function evmToBitcoinAtLast(
  stage: Stage,
  scenario: Scenario,
  time: string,
  oracle: Oracle,
): Promise<void> {
  const { toBitcoin: swap, story } = scenario;
  if (swap === undefined || time !== 'service' || scenario.seen.at(-1) !== 'serverfunded') return;
  const { chance } = stage;
  if (story === lateClaim) {
    // The node is down, and cannot be asked where our coin is.
    const [txid = '', vout] = (await oracle.bitcoin.legOf(scenario.record))?.[0]?.outpoint.split(':') ?? [];
    await pause(chance.between(0, 4_000) * chance.pick([0, 1]));
    const place = { btc_fund_txid: txid, btc_fund_vout: Number(vout) };
    await claimBitcoin(stage.endpoints.bitcoin.esploraUrl, swap, place).catch(() => undefined); // too late
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
