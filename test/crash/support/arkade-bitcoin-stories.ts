import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ArkadeBitcoinRecord } from '../../../engine/contract/directions/arkade-bitcoin.ts';
import { arkadeToBitcoin, type ToHtlcFromArkade } from '../../stories/client/to-bitcoin.ts';
import { claimByScript, claimUntilNamed, type OfBoth } from './key-of-both.ts';
import { refundIfOwed, refundTogether } from './refund.ts';
import { begin, look, opened, until, untilOver, type Stage, type Story } from './scenario.ts';

type Open = OfBoth<ToHtlcFromArkade>;

/** Our coin is out, or never will be. */
const decided: ReadonlySet<string> = new Set([
  'serverfunded',
  'clientredeemed',
  'serverredeemed',
  'serverwontfund',
  'clientfundedtoolate',
  'clientinvalidfunded',
  'clientfundedserverrefunded',
  'clientrefundedserverrefunded',
  'clientrefunded',
  'expired',
]);
const over: ReadonlySet<string> = new Set([...decided].filter((status) => status !== 'serverfunded'));

async function open(stage: Stage, story: string): Promise<Open> {
  const { node, wallet, chance } = stage;
  const amount = { target_amount_sats: Math.floor(chance.between(60_000, 150_000)) };
  const swap = await opened(() => arkadeToBitcoin(node.url, { arkade: wallet }, { amount, userId: randomUUID() }));
  const record = swap.record as unknown as ArkadeBitcoinRecord;
  wallet.terms(record);
  const hash = record.hash_lock.slice(2);
  return { swap, scenario: begin(stage, { direction: 'arkade-bitcoin', story, hash, record, toHtlc: swap }) };
}

async function fund({ wallet }: Stage, { vhtlc, price }: ToHtlcFromArkade, difference = 0): Promise<void> {
  await wallet.controls.arkadeFaucet({ address: vhtlc.address, amount: price + difference });
}

/** Funds the VHTLC, and answers whether our coin came. */
async function fundedByBoth(stage: Stage, { scenario, swap }: Open): Promise<boolean> {
  await fund(stage, swap);
  const end = await until(stage, 'our coin', scenario, async () => {
    const now = await look(stage, scenario);
    return decided.has(now) ? now : null;
  });
  return end === 'serverfunded';
}

/** Claims again while nobody believes it: its claim may be lost before the node has seen it. */
async function claimUntilOver(stage: Stage, { scenario, swap }: Open): Promise<void> {
  await until(stage, 'the claim', scenario, async () => {
    const status = await look(stage, scenario);
    if (status === 'serverfunded') await claimByScript(stage, swap);
    return over.has(status);
  });
  await refundIfOwed(stage, scenario);
}

export const arkadeToBitcoinStories: Record<string, Story> = {
  async honest(stage) {
    const swap = await open(stage, 'honest');
    if (await fundedByBoth(stage, swap)) await claimUntilOver(stage, swap);
    else await refundIfOwed(stage, swap.scenario);
  },
  /** An answer that never came may have been given: then the key of both is asked for again, or the script taken. */
  async 'claims by the key of both'(stage) {
    const swap = await open(stage, 'claims by the key of both');
    if (!(await fundedByBoth(stage, swap))) return refundIfOwed(stage, swap.scenario);
    await claimUntilNamed(stage, swap, over);
    return claimUntilOver(stage, swap);
  },
  /** Its claim is driven out, and what it spends with it: whoever learned the secret sends both again. */
  async 'claim is driven out'(stage) {
    const swap = await open(stage, 'claim is driven out');
    if (!(await fundedByBoth(stage, swap))) return refundIfOwed(stage, swap.scenario);
    const txid = await until(stage, 'the claim', swap.scenario, () => claimByScript(stage, swap.swap));
    await pause(stage.chance.between(0, 2_500));
    const { body } = await stage.node.ask(`/swap/${swap.swap.id}`);
    const drop = stage.chance.next() < 0.5 ? [txid] : [txid, String(body['btc_fund_txid'])];
    await stage.wallet.controls.reorg(1 + Math.floor(stage.chance.next() * 5), drop);
    return claimUntilOver(stage, swap);
  },
  /** Never claims what we funded. */
  async 'walks away'(stage) {
    await fundedByBoth(stage, await open(stage, 'walks away'));
  },
  async 'funds short'(stage) {
    const { scenario, swap } = await open(stage, 'funds short');
    await fund(stage, swap, -1);
    await untilOver(stage, scenario);
    await refundIfOwed(stage, scenario);
  },
  /** Wants its money back while we fund: gets it only where we did not. */
  async 'funds and asks back'(stage) {
    const { scenario, swap } = await open(stage, 'funds and asks back');
    await fund(stage, swap);
    await until(stage, 'a refund, or our coin', scenario, async () => {
      if (decided.has(await look(stage, scenario))) return true;
      return !(await refundTogether(stage, scenario));
    });
    if ((await look(stage, scenario)) === 'serverfunded') await claimUntilOver(stage, { scenario, swap });
    else await refundIfOwed(stage, scenario);
  },
  async 'never funds'(stage) {
    await open(stage, 'never funds');
  },
};
