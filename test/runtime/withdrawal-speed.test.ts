import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { tokenAmount } from '../../engine/domain/money.ts';
import { withdrawalSpeeds, type WithdrawalSpeed } from '../../engine/domain/withdrawal-cost.ts';
import type { BitcoinWithdrawalTerms } from '../../engine/swap/jobs/withdrawal-bitcoin.ts';
import { accepted, bookedFor, costOf, deposit, inMempool, paidOut, payee } from '../support/bitcoin-wallet.ts';
import { openScene, type Scene } from '../support/scene.ts';

const patience = { timeout: 60_000, interval: 20 };
/** Of a payment from one coin with change. */
const size = 142;

let scene: Scene;

beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true, pollMs: 25 });
  scene.world.estimates.within = { 1: 20, 3: 12, 6: 8, 144: 2 };
});
afterEach(() => scene.end());

const to = { address: payee, asset: null };

async function send(amount: number | 'all', speed?: WithdrawalSpeed, maxFee?: number) {
  return scene.node.service.owner.withdraw('bitcoin', {
    ...to,
    amount: amount === 'all' ? amount : tokenAmount(amount),
    ...(speed === undefined ? {} : { speed }),
    ...(maxFee === undefined ? {} : { maxFee: tokenAmount(maxFee) }),
  });
}

async function feesOf(amount: number | 'all', maxFee?: number) {
  const answer = await scene.node.service.owner.withdrawalFees('bitcoin', {
    ...to,
    amount: amount === 'all' ? amount : tokenAmount(amount),
    ...(maxFee === undefined ? {} : { maxFee: tokenAmount(maxFee) }),
  });
  return accepted(answer).fees;
}

test('each speed is told with its rate and fee, and a payment at one of them costs what was told', async () => {
  await deposit(scene, 300_000);
  const figures = await feesOf(100_000);
  expect(figures).toEqual(
    [
      ['next-block', 20],
      ['hour', 8],
      ['day', 2],
    ].map(([speed, rate]) => ({ speed, rate, fee: Number(rate) * size, arrives: 100_000, refused: null })),
  );
  expect(inMempool(scene)).toEqual([]);
  const { id } = accepted(await send(100_000, 'day'));
  // Dearer estimates for sooner blocks are no reason to raise it.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(scene.node.store.transactions.of(id)).toHaveLength(1);
  await scene.world.mine(6);
  await scene.node.until(id, 'sent');
  expect([costOf(scene.world, scene.node, id), bookedFor(scene.node, id)]).toEqual([284n, 284n]);
});

test('a payment keeps its speed over a restart, and is raised by the estimate for that', async () => {
  await deposit(scene, 300_000);
  const { id, transaction } = accepted(await send(100_000, 'day'));
  await scene.restart({ bitcoinWallet: true, pollMs: 25 });
  expect((scene.node.store.swaps.byId(id)?.terms as BitcoinWithdrawalTerms).within).toBe(withdrawalSpeeds.day);
  scene.world.estimates.within = { 1: 20, 3: 12, 6: 8, 144: 4 };
  await vi.waitFor(() => expect(inMempool(scene)).not.toContain(transaction), patience);
  await scene.world.mine(6);
  await scene.node.until(id, 'sent');
  expect(costOf(scene.world, scene.node, id)).toBe(BigInt(4 * size));
});

test('without a speed it is as it was: the first fee for six blocks, a raise for three', async () => {
  await deposit(scene, 300_000);
  const { id, transaction } = accepted(await send(100_000));
  await vi.waitFor(() => expect(inMempool(scene)).not.toContain(transaction), patience);
  await scene.world.mine(6);
  await scene.node.until(id, 'sent');
  expect([
    costOf(scene.world, scene.node, id),
    'within' in (scene.node.store.swaps.byId(id)?.terms as BitcoinWithdrawalTerms),
  ]).toEqual([BigInt(12 * size), false]);
});

test('of all that there is more arrives the longer it may take', async () => {
  await deposit(scene, 300_000);
  const figures = await feesOf('all');
  expect(figures.map(({ fee, arrives }) => (fee ?? 0) + (arrives ?? 0))).toEqual([300_000, 300_000, 300_000]);
  const { id } = accepted(await send('all', 'day'));
  await scene.world.mine(6);
  await scene.node.until(id, 'sent');
  expect(await paidOut(scene)).toEqual([BigInt(figures[2]?.arrives ?? 0)]);
});

test('an absurd estimate stays bounded at each speed, and the figures say what the payment would', async () => {
  await deposit(scene, 300_000);
  scene.world.estimates.within = { 1: 10_000, 6: 8, 144: 2 };
  const [soonest, hour, day] = await feesOf(100_000, 500);
  expect([soonest, hour?.refused, day?.fee]).toEqual([
    {
      speed: 'next-block',
      refused: expect.stringMatching(/^Its fee would be 71000 sats at 500 sats per vbyte, and the ceiling is 500:/),
      rate: null,
      fee: null,
      arrives: null,
    },
    expect.stringMatching(/^Its fee would be 1136 sats at 8 sats per vbyte, and the ceiling is 500:/),
    284,
  ]);
  expect([await send(100_000, 'next-block', 500), inMempool(scene)]).toEqual([
    { refusal: 'forbidden', sentence: `Nothing was sent: ${soonest?.refused}` },
    [],
  ]);
  scene.world.estimates.second = 1;
  expect((await feesOf(100_000))[0]?.refused).toMatch(/another source says 1 sats per vbyte|the ceiling is 5000/);
});

test('a wrong address has no figures, and no other network a speed', async () => {
  const { owner } = scene.node.service;
  const amount = tokenAmount(1_000);
  const sentences = await Promise.all([
    owner.withdrawalFees('bitcoin', { address: 'nonsense', amount, asset: null }),
    owner.withdrawalFees('bitcoin', { ...to, amount, asset: '0x12' }),
    owner.withdrawalFees('lightning', { ...to, amount }),
    owner.withdraw('arkade', { ...to, amount, speed: 'day' }),
    owner.withdraw('lightning', { ...to, amount, speed: 'hour' }),
  ]);
  expect(sentences.map((answer) => (isRefusal(answer) ? answer.sentence.split(/[:;,]/)[0] : answer))).toEqual([
    'address is not a Bitcoin address of regtest',
    'asset is 0x12',
    'network is lightning',
    'speed is day',
    'speed is hour',
  ]);
});

test('of two at once that are more than is free the second is refused before anything of it is signed', async () => {
  await deposit(scene, 100_000);
  const answers = await Promise.all([send(60_000, 'day'), send(60_000, 'day')]);
  expect(answers.map((answer) => (isRefusal(answer) ? answer.sentence : 'sent'))).toEqual([
    'sent',
    'amount is 60000 sats; 40000 are confirmed and free: send less, or wait for confirmations.',
  ]);
});

test('what a swap could be paid with is told before there is an address for it, and arrives', async () => {
  await deposit(scene, 300_000);
  const request = { address: null, amount: 'all', asset: null } as const;
  const { fees } = accepted(await scene.node.service.owner.withdrawalFees('bitcoin', request));
  // One coin to an output of an HTLC, and no change.
  expect(fees.map(({ arrives }) => arrives)).toEqual([20, 8, 2].map((rate) => 300_000 - rate * 111));
  const { id } = accepted(await send(Math.min(...fees.flatMap(({ arrives }) => arrives ?? []))));
  await scene.world.mine(6);
  await scene.node.until(id, 'sent');
});
