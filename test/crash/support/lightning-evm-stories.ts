import { randomUUID } from 'node:crypto';
import type { LightningEvmRecord } from '../../../engine/contract/directions/lightning-evm.ts';
import { lightningToEvm } from '../../stories/client/to-evm.ts';
import { begin, look, opened, until, type Stage, type Story } from './scenario.ts';
import {
  claimAndLoseIt,
  claimByItself,
  claimByRelay,
  claimInBothWays,
  giveGas,
  lockEnds,
  targetOf,
  type Target,
  type ToEvmSwap,
} from './to-evm.ts';

async function open(stage: Stage, story: string, target: Target, gasless = true): Promise<ToEvmSwap> {
  const { node, chance } = stage;
  const swap = await opened(() =>
    lightningToEvm(node.url, {
      ...targetOf(stage, target),
      gasless,
      userId: randomUUID(),
      amount: { amount_in: Math.floor(chance.between(20_000, 80_000)) },
    }),
  );
  const record = swap.record as unknown as LightningEvmRecord;
  const hash = record.hash_lock.slice(2);
  return { scenario: begin(stage, { direction: 'lightning-evm', story, hash, record, toEvm: swap }), swap };
}

/** Pays, and answers whether the lock came; a payment that failed is back with its client. */
async function paidAndLocked(stage: Stage, { scenario }: ToEvmSwap): Promise<boolean> {
  const { controls } = stage.wallet;
  await controls.lightningPay((scenario.record as LightningEvmRecord).bolt11_invoice);
  const end = await until(stage, 'the lock', scenario, async () => {
    const now = await look(stage, scenario);
    if (lockEnds.has(now)) return now;
    return (await controls.lightningPayment(scenario.hash)).state === 'failed' ? 'failed' : null;
  });
  return end === 'serverfunded';
}

export const lightningToEvmStories: Record<string, Story> = {
  async honest(stage) {
    const swap = await open(stage, 'honest', stage.chance.pick(['pegged', 'exchanged', 'coin'] as const));
    if (await paidAndLocked(stage, swap)) await claimByRelay(stage, swap);
  },
  async 'claims by itself'(stage) {
    const swap = await open(stage, 'claims by itself', 'pegged', false);
    await giveGas(stage, swap.swap);
    if (await paidAndLocked(stage, swap)) await claimByItself(stage, swap);
  },
  async 'claims, and a reorganisation undoes it'(stage) {
    const swap = await open(stage, 'claims, and a reorganisation undoes it', 'pegged', false);
    await giveGas(stage, swap.swap);
    if (await paidAndLocked(stage, swap)) await claimAndLoseIt(stage, swap);
  },
  async 'claims in both ways'(stage) {
    const swap = await open(stage, 'claims in both ways', 'pegged');
    await giveGas(stage, swap.swap);
    if (await paidAndLocked(stage, swap)) await claimInBothWays(stage, swap);
  },
  /** Never claims what we locked. */
  async 'walks away'(stage) {
    const swap = await open(stage, 'walks away', stage.chance.pick(['pegged', 'coin'] as const));
    await paidAndLocked(stage, swap);
  },
  async 'never pays'(stage) {
    await open(stage, 'never pays', 'exchanged');
  },
};
