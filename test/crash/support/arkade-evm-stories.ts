import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ArkadeEvmRecord } from '../../../engine/contract/directions/arkade-evm.ts';
import { arkadeToEvm, claimAlone, claimGasless, type ToEvm } from '../../stories/client/to-evm.ts';
import { coin, rpcOf, tokenOf } from './evm-tokens.ts';
import { refundIfOwed, refundTogether } from './refund.ts';
import {
  begin,
  look,
  opened,
  overForClient,
  until,
  untilOver,
  type Stage,
  type Story,
  type Scenario,
} from './scenario.ts';

interface Open {
  readonly scenario: Scenario;
  readonly swap: ToEvm;
}

type Target = 'pegged' | 'exchanged' | 'coin';

async function open(stage: Stage, story: string, target: Target, gasless = true): Promise<Open> {
  const { node, wallet, chance } = stage;
  const chainId = target === 'coin' ? 31 : 137;
  const token = target === 'coin' ? coin : tokenOf(stage, chainId, target === 'pegged' ? 'WBTC' : 'USDC');
  const swap = await opened(() =>
    arkadeToEvm(
      node.url,
      { arkade: wallet },
      {
        chainId,
        token,
        gasless,
        userId: randomUUID(),
        amount: { amount_in: Math.floor(chance.between(20_000, 80_000)) },
      },
    ),
  );
  const record = swap.record as unknown as ArkadeEvmRecord;
  wallet.terms(record);
  const hash = record.hash_lock.slice(2);
  return { scenario: begin(stage, { direction: 'arkade-evm', story, hash, record, toEvm: swap }), swap };
}

async function fund({ wallet }: Stage, { vhtlc, price }: ToEvm, difference = 0): Promise<void> {
  await wallet.controls.arkadeFaucet({ address: vhtlc.address, amount: price + difference });
}

const lockEnds: ReadonlySet<string> = new Set([...overForClient, 'serverfunded', 'clientredeeming', 'clientredeemed']);

/** Whether our lock came, and not a refusal. */
async function locked(stage: Stage, scenario: Scenario): Promise<boolean> {
  const status = await until(stage, 'the lock', scenario, async () => {
    const now = await look(stage, scenario);
    return lockEnds.has(now) ? now : null;
  });
  return status === 'serverfunded';
}

/** Asks again where the swap went back to where it can be claimed: a relay may be dropped. */
async function claimUntilOver(stage: Stage, scenario: Scenario, claim: () => Promise<unknown>): Promise<void> {
  await until(stage, 'the claim', scenario, async () => {
    const status = await look(stage, scenario);
    if (status === 'serverredeemed') return true;
    if (status === 'serverfunded') await claim();
    return false;
  });
}

async function relayed({ node }: Stage, swap: ToEvm): Promise<void> {
  const { status, body } = await claimGasless(node.url, swap);
  if (status !== 200) throw new Error(`refused with ${status}: ${String(body['error'])}`);
}

async function honest(stage: Stage, story: string, target: Target): Promise<void> {
  const { scenario, swap } = await open(stage, story, target);
  await fund(stage, swap);
  if (await locked(stage, scenario)) await claimUntilOver(stage, scenario, () => relayed(stage, swap));
  else await refundIfOwed(stage, scenario);
}

async function giveGas({ wallet }: Stage, { account, record }: ToEvm): Promise<void> {
  const pay = { address: account.address, token: coin, amount: (10n ** 18n).toString() };
  await wallet.controls.evmFaucet(String(record['evm_chain_id']), pay);
}

export const arkadeToEvmStories: Record<string, Story> = {
  honest: (stage) => honest(stage, 'honest', stage.chance.pick(['pegged', 'exchanged', 'coin'] as const)),
  async 'claims by itself'(stage) {
    const { scenario, swap } = await open(stage, 'claims by itself', 'pegged', false);
    await giveGas(stage, swap);
    await fund(stage, swap);
    if (await locked(stage, scenario)) await claimUntilOver(stage, scenario, () => claimAlone(rpcOf(stage, 137), swap));
    else await refundIfOwed(stage, scenario);
  },
  /** Asks for the relay many times, and sends its own transaction beside it. */
  async 'claims in both ways'(stage) {
    const { scenario, swap } = await open(stage, 'claims in both ways', 'pegged');
    await giveGas(stage, swap);
    await fund(stage, swap);
    if (!(await locked(stage, scenario))) return refundIfOwed(stage, scenario);
    const asks = Array.from({ length: 4 }, () => relayed(stage, swap).catch(() => undefined));
    if (stage.chance.next() < 0.5) await pause(stage.chance.between(0, 3_000));
    await Promise.all([...asks, claimAlone(rpcOf(stage, 137), swap).catch(() => undefined)]);
    return claimUntilOver(stage, scenario, () => relayed(stage, swap));
  },
  /** Never claims what we locked. */
  async 'walks away'(stage) {
    const { scenario, swap } = await open(stage, 'walks away', stage.chance.pick(['pegged', 'coin'] as const));
    await fund(stage, swap);
    await locked(stage, scenario);
  },
  async 'funds short'(stage) {
    const { scenario, swap } = await open(stage, 'funds short', 'pegged');
    await fund(stage, swap, -1);
    await untilOver(stage, scenario);
    await refundIfOwed(stage, scenario);
  },
  /** Wants its money back while we lock: gets it only where we did not. */
  async 'funds and asks back'(stage) {
    const { scenario, swap } = await open(stage, 'funds and asks back', 'pegged');
    await fund(stage, swap);
    await until(stage, 'a refund, or the lock', scenario, async () => {
      if (lockEnds.has(await look(stage, scenario))) return true;
      return !(await refundTogether(stage, scenario));
    });
    if ((await look(stage, scenario)) === 'serverfunded')
      await claimUntilOver(stage, scenario, () => relayed(stage, swap));
    else await refundIfOwed(stage, scenario);
  },
  async 'never funds'(stage) {
    await open(stage, 'never funds', 'exchanged');
  },
};
