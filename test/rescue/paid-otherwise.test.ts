import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import type { BitcoinLeg } from '../../engine/taker/terms.ts';
import { eventually } from '../support/scene.ts';
import { amount, openSwap, pastLocktime, pay, stageOf, type Stage } from '../taker/by-half.ts';
import { silence, takerSeed } from '../taker/pair.ts';
import { bundleIn, portsOf, runRescue, walletTotal, type Left } from './rescuer.ts';

/*
 * The owner pays while the node is lost already, and not exactly what was asked for: a wallet adds its fee, or pays in
 * two parts, or twice. No provider takes such a coin, and the bundle knows of none.
 */

let stage: Stage;
afterEach(() => stage.stop());
vi.setConfig({ testTimeout: 120_000 });

const mostFee = 3_000n;

test.each([
  ['too much', [61_000n]],
  ['too little', [20_000n]],
  ['in two parts', [30_000n, 30_310n]],
])('fault 161, bitcoin: what was paid to an HTLC %s comes home', async (_, paid) => {
  stage = await stageOf(['bitcoin-arkade'], { untilMs: 90_000, bundle: true });
  const { pair } = stage;
  const { world } = pair;
  const { deal } = await openSwap(stage, 'bitcoin-arkade');
  const { folder, nextFolder } = pair.taker;
  await eventually(
    () => existsSync(join(folder, bundleName)) && bundleIn(folder, takerSeed).swaps.length === 1,
    'it is in the bundle',
  );
  await pair.provider.kill();
  await pair.taker.kill();
  for (const one of paid) world.bitcoin.faucet((deal.source as BitcoinLeg).script, sats(one));
  await world.mine(1);
  await pastLocktime(stage, deal);
  const left: Left = { world, folder: nextFolder, seed: takerSeed };
  const lines: string[] = [];
  for (let run = 0, outcome = 'later'; outcome !== 'done' && run < 10; run++) {
    const one = await runRescue(left);
    lines.push(`${one.outcome}: ${one.lines.join(' | ')}`);
    outcome = one.outcome;
    await world.mine(1);
  }
  const wallet = portsOf(left, bundleIn(left.folder, takerSeed)).bitcoinWallet;
  const available = (await wallet?.balance([]))?.available ?? 0n;
  const whole = paid.reduce((sum, one) => sum + one, 0n);
  expect(available > whole - mostFee, `${available} of ${whole}\n${lines.join('\n')}`).toBe(true);
});

test('fault 161, arkade: what lies beside the coin that its provider took comes home', async () => {
  stage = await stageOf(['arkade-evm'], { untilMs: 90_000, bundle: true });
  const { pair, chain } = stage;
  const { world } = pair;
  pair.tampered.claimOnEvm = silence;
  const opened = await openSwap(stage, 'arkade-evm');
  await pay(stage, opened);
  await pair.taker.until(opened.id, 'claiming');
  const { folder, nextFolder } = pair.taker;
  await eventually(
    () => existsSync(join(folder, bundleName)) && bundleIn(folder, takerSeed).swaps[0]?.shown === true,
    'it is in the bundle',
  );
  await pair.taker.kill();
  // Paid once more, by hand.
  world.faucet(opened.swap.pay?.text ?? '', amount);
  const left: Left = { world, folder: nextFolder, seed: takerSeed, ...(chain === null ? {} : { evm: chain }) };
  const first = await runRescue(left);
  await pair.provider.until(opened.deal.swapId, 'claimed');
  await pastLocktime(stage, opened.deal);
  const last = await runRescue(left);
  const lines = [...first.lines, '---', ...last.lines].join('\n');
  expect([last.outcome, await walletTotal(left)], lines).toEqual(['done', amount]);
});
