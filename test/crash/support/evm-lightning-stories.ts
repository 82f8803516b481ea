import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { EvmLightningRecord } from '../../../engine/contract/directions/evm-lightning.ts';
import { evmToLightning } from '../../stories/client/from-evm.ts';
import { givenTimes } from './evm-oracle.ts';
import { coin, tokenOf } from './evm-tokens.ts';
import { askBack, chainId, fund, give, refundTogether, type FromEvmSwap } from './from-evm.ts';
import { begin, look, opened, overForClient, until, untilOver, type Stage, type Story } from './scenario.ts';

interface Choice {
  readonly hold?: boolean;
  readonly gasless?: boolean;
}

async function open(
  stage: Stage,
  story: string,
  { hold = false, gasless = stage.chance.next() < 0.6 }: Choice = {},
): Promise<FromEvmSwap> {
  const { node, wallet, chance } = stage;
  // Permit2 takes a token from an account without coins only where the token has permits of its own.
  const token = tokenOf(stage, chainId, gasless ? 'USDC' : chance.pick(['WBTC', 'USDC'] as const));
  const { swap, hash } = await opened(async () => {
    const { bolt11, payment_hash: hash } = await wallet.controls.lightningInvoice({
      amount_sats: Math.floor(chance.between(20_000, 80_000)),
      hold,
      expiry_seconds: 86_400,
    });
    return {
      hash,
      swap: await evmToLightning(node.url, { chainId, token, bolt11, hash, gasless, userId: randomUUID() }),
    };
  });
  const record = swap.record as unknown as EvmLightningRecord;
  const scenario = begin(stage, { direction: 'evm-lightning', story, hash, record, fromEvm: swap });
  await give(stage, swap, token, givenTimes * swap.price);
  if (!gasless) await give(stage, swap, coin, 10n ** 18n);
  return { scenario, swap, gasless };
}

/** The payee has the payment, and gives it back or takes it. */
async function release(stage: Stage, { scenario }: FromEvmSwap, outcome: 'settles' | 'fails'): Promise<void> {
  await until(stage, 'the payment', scenario, async () => {
    if (overForClient.has(await look(stage, scenario))) return true;
    return (await stage.wallet.controls.lightningPayment(scenario.hash)).state === 'in_flight';
  });
  await pause(stage.chance.between(0, 2_000));
  if (overForClient.has(await look(stage, scenario))) return;
  await until(stage, 'the release', scenario, async () => {
    await stage.wallet.controls.lightningRelease(scenario.hash, outcome);
    return true;
  });
}

export const evmToLightningStories: Record<string, Story> = {
  async honest(stage) {
    const swap = await open(stage, 'honest');
    await fund(stage, swap);
    if ((await untilOver(stage, swap.scenario)) !== 'serverredeemed') await refundTogether(stage, swap);
  },
  async 'payee gives it back'(stage) {
    const swap = await open(stage, 'payee gives it back', { hold: true });
    await fund(stage, swap);
    await release(stage, swap, 'fails');
    if ((await untilOver(stage, swap.scenario)) !== 'serverredeemed') await refundTogether(stage, swap);
  },
  async 'payee hesitates'(stage) {
    const swap = await open(stage, 'payee hesitates', { hold: true });
    await fund(stage, swap);
    await release(stage, swap, stage.chance.next() < 0.6 ? 'settles' : 'fails');
    if ((await untilOver(stage, swap.scenario)) !== 'serverredeemed') await refundTogether(stage, swap);
  },
  /** Comes back for its lock when it can take it alone. */
  async 'payee gives it back, client leaves'(stage) {
    const swap = await open(stage, 'payee gives it back, client leaves', { hold: true });
    await fund(stage, swap);
    await release(stage, swap, 'fails');
    await untilOver(stage, swap.scenario);
  },
  /** Wants its lock back while it is being paid for: must get one of the two, never both. */
  async 'funds and asks back'(stage) {
    const swap = await open(stage, 'funds and asks back');
    const { scenario } = swap;
    await fund(stage, swap);
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await pause(30)) {
      if (overForClient.has(await look(stage, scenario))) break;
      await askBack(stage, swap.swap).catch(() => undefined); // refused for now
    }
    if ((await untilOver(stage, scenario)) !== 'serverredeemed') await refundTogether(stage, swap);
  },
  async 'never funds'(stage) {
    await open(stage, 'never funds');
  },
};
