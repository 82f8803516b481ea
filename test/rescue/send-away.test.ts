import { afterEach, beforeEach, expect, test } from 'vitest';
import { deposit, inMempool, paidOut, payee } from '../support/bitcoin-wallet.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { sendAway, type Left } from './rescuer.ts';

let scene: Scene;
let left: Left;

beforeEach(async () => {
  scene = await openScene({ bundle: true, bitcoinWallet: true }, 'usual');
  await deposit(scene, 60_000, 40_000);
  await scene.world.mine(1);
  await scene.node.stop();
  left = { world: scene.world, folder: scene.node.folder };
});

afterEach(() => scene.end());

test('all of the Bitcoin wallet goes to the address of the owner, who is shown amount and fee before', async () => {
  const run = await sendAway(left, payee);
  await scene.world.mine(1);
  const [paid = 0n] = await paidOut(scene);
  const again = await sendAway(left, payee);
  expect({ run: run.outcome, questions: run.questions, again: again.outcome, all: paid > 99_000n }).toEqual({
    run: 'later',
    questions: [`Send ${paid} sats to ${payee}, for a fee of ${100_000n - paid} sats?`],
    again: 'done',
    all: true,
  });
});

test('run twice before a block, it sends nothing twice', async () => {
  await sendAway(left, payee);
  const first = inMempool(scene);
  await sendAway(left, payee);
  expect([first.length, inMempool(scene)]).toEqual([1, first]);
});

test('whoever does not agree sends nothing', async () => {
  const run = await sendAway(left, payee, false);
  expect([run.outcome, run.lines, inMempool(scene)]).toEqual([
    'later',
    [expect.stringMatching(/^Not sent: \d+ sats to bcrt1q/)],
    [],
  ]);
});

test('a fee above the ceilings of withdrawals is not paid', async () => {
  scene.world.estimates.first = 400;
  const run = await sendAway(left, payee);
  expect([run.outcome, run.lines, inMempool(scene)]).toEqual([
    'later',
    [expect.stringMatching(/would be above ceilings.withdrawalBps/)],
    [],
  ]);
});
