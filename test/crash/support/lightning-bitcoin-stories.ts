import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { LightningBitcoinRecord } from '../../../engine/contract/directions/lightning-bitcoin.ts';
import { lightningToBitcoin, type ToHtlcByLightning } from '../../stories/client/to-bitcoin.ts';
import { claimByScript, claimUntilNamed, type OfBoth } from './key-of-both.ts';
import { begin, look, opened, until, type Stage, type Story } from './scenario.ts';

type Open = OfBoth<ToHtlcByLightning>;

const over: ReadonlySet<string> = new Set([
  'serverredeemed',
  'serverwontfund',
  'expired',
  'clientrefundedserverrefunded',
  'clientredeemed',
]);

async function open(stage: Stage, story: string): Promise<Open> {
  const { node, chance } = stage;
  const amount = { target_amount_sats: Math.floor(chance.between(60_000, 150_000)) };
  const swap = await opened(() => lightningToBitcoin(node.url, { amount, userId: randomUUID() }));
  const record = swap.record as unknown as LightningBitcoinRecord;
  const hash = record.hash_lock.slice(2);
  return {
    swap,
    scenario: begin(stage, { direction: 'lightning-bitcoin', story, hash, record, toHtlc: swap }),
  };
}

/** Pays, and answers whether our coin came; a payment that failed is back with its client. */
async function paidAndFunded(stage: Stage, { scenario, swap }: Open): Promise<boolean> {
  const { controls } = stage.wallet;
  await controls.lightningPay(swap.bolt11);
  const end = await until(stage, 'our coin', scenario, async () => {
    const now = await look(stage, scenario);
    if (now === 'serverfunded' || over.has(now)) return now;
    return (await controls.lightningPayment(scenario.hash)).state === 'failed' ? 'failed' : null;
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
}

export const lightningToBitcoinStories: Record<string, Story> = {
  async honest(stage) {
    const swap = await open(stage, 'honest');
    if (await paidAndFunded(stage, swap)) await claimUntilOver(stage, swap);
  },
  /** An answer that never came may have been given: then the key of both is asked for again, or the script taken. */
  async 'claims by the key of both'(stage) {
    const swap = await open(stage, 'claims by the key of both');
    if (!(await paidAndFunded(stage, swap))) return;
    await claimUntilNamed(stage, swap, over);
    await claimUntilOver(stage, swap);
  },
  /** Its claim is driven out, and what it spends with it: whoever learned the secret sends both again. */
  async 'claim is driven out'(stage) {
    const swap = await open(stage, 'claim is driven out');
    if (!(await paidAndFunded(stage, swap))) return;
    const txid = await until(stage, 'the claim', swap.scenario, () => claimByScript(stage, swap.swap));
    await pause(stage.chance.between(0, 2_500));
    const { body } = await stage.node.ask(`/swap/${swap.swap.id}`);
    const drop = stage.chance.next() < 0.5 ? [txid] : [txid, String(body['btc_fund_txid'])];
    await stage.wallet.controls.reorg(1 + Math.floor(stage.chance.next() * 5), drop);
    await claimUntilOver(stage, swap);
  },
  async 'claim is replaced'(stage) {
    const swap = await open(stage, 'claim is replaced');
    if (!(await paidAndFunded(stage, swap))) return;
    await until(stage, 'the claim', swap.scenario, () => claimByScript(stage, swap.swap, 200n));
    await pause(stage.chance.between(0, 1_500));
    await claimByScript(stage, swap.swap, 3_000n).catch(() => undefined); // mined already
    await claimUntilOver(stage, swap);
  },
  /** Never claims what we funded. */
  async 'walks away'(stage) {
    await paidAndFunded(stage, await open(stage, 'walks away'));
  },
  async 'never pays'(stage) {
    await open(stage, 'never pays');
  },
};
