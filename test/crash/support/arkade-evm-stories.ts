import { randomUUID } from 'node:crypto';
import type { ArkadeEvmRecord } from '../../../engine/contract/directions/arkade-evm.ts';
import { arkadeToEvm, type ToEvm } from '../../stories/client/to-evm.ts';
import { refundIfOwed, refundTogether } from './refund.ts';
import { begin, look, opened, until, untilOver, type Stage, type Story, type Scenario } from './scenario.ts';
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

async function open(stage: Stage, story: string, target: Target, gasless = true): Promise<ToEvmSwap<ToEvm>> {
  const { node, wallet, chance } = stage;
  const swap = await opened(() =>
    arkadeToEvm(
      node.url,
      { arkade: wallet },
      {
        ...targetOf(stage, target),
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

/** Whether our lock came, and not a refusal. */
async function locked(stage: Stage, scenario: Scenario): Promise<boolean> {
  const status = await until(stage, 'the lock', scenario, async () => {
    const now = await look(stage, scenario);
    return lockEnds.has(now) ? now : null;
  });
  return status === 'serverfunded';
}

async function honest(stage: Stage, story: string, target: Target): Promise<void> {
  const { scenario, swap } = await open(stage, story, target);
  await fund(stage, swap);
  if (await locked(stage, scenario)) await claimByRelay(stage, { scenario, swap });
  else await refundIfOwed(stage, scenario);
}

export const arkadeToEvmStories: Record<string, Story> = {
  honest: (stage) => honest(stage, 'honest', stage.chance.pick(['pegged', 'exchanged', 'coin'] as const)),
  async 'claims by itself'(stage) {
    const { scenario, swap } = await open(stage, 'claims by itself', 'pegged', false);
    await giveGas(stage, swap);
    await fund(stage, swap);
    if (await locked(stage, scenario)) await claimByItself(stage, { scenario, swap });
    else await refundIfOwed(stage, scenario);
  },
  async 'claims, and a reorganisation undoes it'(stage) {
    const { scenario, swap } = await open(stage, 'claims, and a reorganisation undoes it', 'pegged', false);
    await giveGas(stage, swap);
    await fund(stage, swap);
    if (await locked(stage, scenario)) await claimAndLoseIt(stage, { scenario, swap });
    else await refundIfOwed(stage, scenario);
  },
  async 'claims in both ways'(stage) {
    const { scenario, swap } = await open(stage, 'claims in both ways', 'pegged');
    await giveGas(stage, swap);
    await fund(stage, swap);
    if (!(await locked(stage, scenario))) return refundIfOwed(stage, scenario);
    return claimInBothWays(stage, { scenario, swap });
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
    if ((await look(stage, scenario)) === 'serverfunded') await claimByRelay(stage, { scenario, swap });
    else await refundIfOwed(stage, scenario);
  },
  async 'never funds'(stage) {
    await open(stage, 'never funds', 'exchanged');
  },
};
