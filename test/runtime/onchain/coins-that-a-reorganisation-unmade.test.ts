import { expect, test, vi } from 'vitest';
import { bitcoinScene, newWorld, type BitcoinScene } from './scene.ts';
import { clientSpend } from './support.ts';
import { amount, fundedByRefund, fundedByStranger, funding } from './fundings.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

/** It ended as one whose coins were spent, and holds none of them any more. */
async function isOver(scene: BitcoinScene, id: string): Promise<void> {
  await eventually(() => scene.at(id) === 'over: onchain.refused', 'the funding is over');
  expect([scene.heard(id, 'onchain.refused')[0]?.why, scene.rows(id).map(({ state }) => state)]).toEqual([
    'spent',
    ['dead'],
  ]);
  expect(scene.rows(id).flatMap(({ txid }) => scene.store.transactions.inputs(txid))).toEqual([]);
}

test('fault 189, bitcoin: a funding whose coin our refund made is over once a claim is buried instead', async () => {
  const { scene, world, refund, own, claim } = await fundedByRefund();
  world.reorg(1, [refund, own.txid]);
  world.submit(claim.bytes);
  world.mine(6);
  await isOver(scene, own.id);
});

test('fault 189, bitcoin: what hangs on a funding that can never be mined is over with it', async () => {
  const { scene, world, refund, own, claim } = await fundedByRefund();
  world.mine(1);
  const next = await funding(scene);
  expect(next.coins.map(({ txid }) => txid)).toEqual([own.txid]);
  world.reorg(2, [refund, own.txid, next.txid]);
  world.submit(claim.bytes);
  world.mine(6);
  await isOver(scene, own.id);
  await isOver(scene, next.id);
});

test('fault 189, bitcoin: a claim in the mempool ends no funding, which is mined if our refund is', async () => {
  const { scene, world, refund, own, claim } = await fundedByRefund();
  const bytes = world.transaction(refund)?.tx.bytes ?? new Uint8Array();
  world.reorg(1, [refund, own.txid]);
  world.submit(claim.bytes);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(scene.at(own.id)).toBe('sending');
  world.include([bytes]);
  world.mine(1);
  await eventually(() => world.waiting(own.txid) !== undefined, 'it is sent again');
  world.mine(6);
  await eventually(() => scene.at(own.id) === 'over: onchain.final', 'it is buried');
});

test('fault 190, bitcoin: what pushed a funding is sent again while another funding hangs on it', async () => {
  const world = newWorld();
  const scene = await bitcoinScene({ world });
  await scene.deposit(200_000);
  const first = await funding(scene);
  world.setFeeRate(12);
  const change = { txid: first.txid, vout: 1 };
  await eventually(() => world.spend(change) !== undefined, 'a child pays for it');
  const child = world.spend(change)?.txid ?? '';
  world.mine(1);
  const second = await funding(scene);
  expect(second.coins.map(({ txid }) => txid)).toEqual([child]);
  world.reorg(1, [child, second.txid]);
  world.setFeeRate(1);
  world.mine(6);
  await eventually(() => world.transaction(second.txid) !== undefined, 'both are sent again');
  world.mine(6);
  await eventually(() => scene.at(first.id) === 'over: onchain.final', 'the first is buried');
  await eventually(() => scene.at(second.id) === 'over: onchain.final', 'and so is the second');
});

test('fault 196, bitcoin: a funding whose change another one spends needs no child of its own', async () => {
  const world = newWorld();
  const scene = await bitcoinScene({ world });
  await scene.deposit(200_000);
  const first = await funding(scene);
  world.mine(1);
  const second = await funding(scene);
  expect(second.coins.map(({ txid }) => txid)).toEqual([first.txid]);
  world.reorg(1, [first.txid, second.txid]);
  await eventually(() => world.waiting(second.txid) !== undefined, 'both are sent again');
  world.setFeeRate(40);
  await eventually(() => world.spend({ txid: second.txid, vout: 1 }) !== undefined, 'a child pays for both');
  const looks = () => scene.store.effects.of(first.id).map(({ attempts, parked }) => ({ attempts, parked }));
  const before = looks()[0]?.attempts ?? 0;
  await eventually(() => looks().some(({ attempts, parked }) => parked !== null || attempts > before + 2), 'looked at');
  expect(looks().map(({ parked }) => parked)).toEqual([null]);
  world.setFeeRate(1);
  world.mine(7);
  await eventually(() => scene.at(first.id) === 'over: onchain.final', 'the first is buried');
  await eventually(() => scene.at(second.id) === 'over: onchain.final', 'and so is the second');
});

test('fault 191, bitcoin: a payment that made our coin is sent again with what hangs on it', async () => {
  const { scene, world, payment, own } = await fundedByStranger();
  world.reorg(1, [payment.txid, own.txid]);
  await eventually(() => world.waiting(own.txid) !== undefined, 'both are sent again');
  world.mine(6);
  await eventually(() => scene.at(own.id) === 'over: onchain.final', 'it is buried');
});

test('fault 191, bitcoin: a claim of the client is mined with the payment that our funding hangs on', async () => {
  const { scene, world, payment, own } = await fundedByStranger();
  const claim = clientSpend(own.terms, { txid: own.txid, vout: 0, amount }, { claim: true });
  world.submit(claim.bytes);
  await eventually(() => scene.at(own.id) === 'resending', 'the claim is seen');
  world.reorg(1, [payment.txid, own.txid, claim.txid]);
  await eventually(() => world.waiting(claim.txid) !== undefined, 'all of it is sent again');
  world.mine(6);
  await eventually(() => scene.at(own.id) === 'over: onchain.final', 'it is buried');
});

test('fault 191, bitcoin: a funding is over once the payment that made its coin was double-spent', async () => {
  const { scene, world, payment, own, elsewhereInstead } = await fundedByStranger();
  world.reorg(1, [payment.txid, own.txid]);
  world.submit(elsewhereInstead);
  world.mine(6);
  await isOver(scene, own.id);
});

test('fault 211, bitcoin: what hangs on the child of a funding that can never be mined is over with it', async () => {
  const { scene, world, payment, own, elsewhereInstead } = await fundedByStranger();
  world.setFeeRate(8);
  const change = { txid: own.txid, vout: 1 };
  await eventually(() => world.spend(change) !== undefined, 'a child pays for it');
  const child = world.spend(change)?.txid ?? '';
  world.mine(1);
  world.setFeeRate(1);
  const next = await funding(scene);
  expect(next.coins.map(({ txid }) => txid)).toEqual([child]);
  world.reorg(2, [payment.txid, own.txid, child, next.txid]);
  world.submit(elsewhereInstead);
  world.mine(6);
  await eventually(() => scene.at(own.id) === 'over: onchain.refused', 'the first is over');
  await eventually(() => scene.at(next.id) === 'over: onchain.refused', 'and so is what hangs on it');
  expect(scene.store.transactions.reservedCoins()).toEqual([]);
});
