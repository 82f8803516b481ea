import { randomUUID } from 'node:crypto';
import { bitcoinToEvm } from '../../stories/client/to-evm.ts';
import type { BitcoinEvmRecord } from './evm-verdict.ts';
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

type Swap = ToEvmSwap<Awaited<ReturnType<typeof bitcoinToEvm>>>;

async function open(stage: Stage, story: string, target: Target, gasless = true): Promise<Swap> {
  const { node, chance } = stage;
  const swap = await opened(() =>
    bitcoinToEvm(node.url, {
      ...targetOf(stage, target),
      gasless,
      userId: randomUUID(),
      amount: { amount_in: Math.floor(chance.between(40_000, 120_000)) },
    }),
  );
  const record = swap.record as unknown as BitcoinEvmRecord;
  const hash = record.evm_hash_lock.slice(2);
  const scenario = begin(stage, { direction: 'bitcoin-evm', story, hash, record, toEvm: swap, fromBitcoin: swap });
  return { scenario, swap };
}

async function pay(stage: Stage, { scenario, swap }: Swap, difference = 0): Promise<void> {
  const { btc_htlc_address: address } = scenario.record as BitcoinEvmRecord;
  await until(stage, 'the payment', scenario, () =>
    stage.wallet.controls.bitcoinFaucet({ address, amount: swap.price + difference }),
  );
}

/** Pays, and answers whether our lock came, and not a refusal. */
async function paidAndLocked(stage: Stage, swap: Swap, difference = 0): Promise<boolean> {
  await pay(stage, swap, difference);
  const status = await until(stage, 'the lock', swap.scenario, async () => {
    const now = await look(stage, swap.scenario);
    return lockEnds.has(now) ? now : null;
  });
  return status === 'serverfunded';
}

export const bitcoinToEvmStories: Record<string, Story> = {
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
  /** Pays and is never seen again. */
  async 'walks away'(stage) {
    const swap = await open(stage, 'walks away', stage.chance.pick(['pegged', 'coin'] as const));
    await paidAndLocked(stage, swap);
  },
  async 'pays too little, or too much'(stage) {
    const swap = await open(stage, 'pays too little, or too much', 'pegged');
    await paidAndLocked(stage, swap, stage.chance.pick([-1, 5_000]));
  },
  async 'pays twice'(stage) {
    const swap = await open(stage, 'pays twice', 'pegged');
    await pay(stage, swap);
    if (await paidAndLocked(stage, swap)) await claimByRelay(stage, swap);
  },
  async 'never pays'(stage) {
    await open(stage, 'never pays', 'exchanged');
  },
};
