import { afterEach, beforeEach, expect, test } from 'vitest';
import { btcOn } from '../../engine/domain/money.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { lookAtBooks } from '../support/books.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const arkade = btcOn('arkade');

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true });
});
afterEach(() => scene.end());

type Changed = { -readonly [name in keyof ArkadePort]: ArkadePort[name] };

/** From now on the operator does not list this coin, and says of it what `word` makes of the truth. */
function deny(coin: Outpoint, word: (truth: Vtxo) => Vtxo): void {
  const port = scene.node.ports.arkade as Changed;
  const { walletCoins, coinsAt } = { ...port };
  const isIt = ({ outpoint }: Vtxo): boolean => outpointKey(outpoint) === outpointKey(coin);
  port.walletCoins = async () => (await walletCoins()).filter((one) => !isIt(one));
  port.coinsAt = async (points) => (await coinsAt(points)).map((one) => (isIt(one) ? word(one) : one));
}

function difference(): bigint | undefined {
  const state = scene.node.books.states().find(({ of }) => of.network === arkade.network);
  return state?.verdict?.difference;
}

/** A renewal that was booked, and a coin that it did not take. */
async function renewed(): Promise<{ batch: string; coin: Outpoint; amount: bigint }> {
  const { world, node } = scene;
  await lookAtBooks(node);
  const old = world.faucet((await node.ports.arkade!.address()).address, 700_000n);
  await lookAtBooks(node);
  world.expire(old);
  await node.renewal.check();
  await lookAtBooks(node);
  const [input] = await node.ports.arkade!.coinsAt([old]);
  const coin = (await node.ports.arkade!.walletCoins()).find(({ batch }) => batch !== input?.settledBy);
  if (typeof input?.settledBy !== 'string' || coin === undefined) throw new Error('nothing was renewed');
  expect(difference()).toBe(0n);
  return { batch: input.settledBy, coin: coin.outpoint, amount: coin.amount };
}

test('fault 151, arkade: a coin that a batch of ours was not handed is missed', async () => {
  scene.booksDiffer('the operator denies a coin to the end');
  const { batch, coin, amount } = await renewed();
  deny(coin, (truth) => ({ ...truth, spent: true, settledBy: batch, spentBy: 'ab'.repeat(32) }));
  await lookAtBooks(scene.node);
  expect(difference()).toBe(-amount * 1_000n);
});

test('fault 151, arkade: nor did a batch take it that bears the id of a transaction of ours', async () => {
  scene.booksDiffer('the operator denies a coin to the end');
  const { coin, amount } = await renewed();
  const { record } = await lockLightningArkade(scene);
  await eventually(() => scene.node.store.transactions.of(record.id)[0]?.state === 'final', 'it is final');
  await lookAtBooks(scene.node);
  expect(difference()).toBe(0n);
  const lock = scene.node.store.transactions.of(record.id)[0]?.txid ?? '';
  deny(coin, (truth) => ({ ...truth, spent: true, spentIn: null, settledBy: lock, spentBy: 'ab'.repeat(32) }));
  await lookAtBooks(scene.node);
  expect(difference()).toBe(-amount * 1_000n);
});

test('fault 151, arkade: a batch that was begun took nothing where nothing of ours came of it', async () => {
  scene.booksDiffer('the operator denies a coin to the end');
  const { node } = scene;
  await lookAtBooks(node);
  const [coin] = await node.ports.arkade!.walletCoins();
  if (coin === undefined) throw new Error('the wallet is empty');
  node.store.settings.put('renewal-begun', [{ id: 'begun', fee: 100n, coins: [outpointKey(coin.outpoint)] }]);
  deny(coin.outpoint, (truth) => ({ ...truth, spent: true, settledBy: 'cd'.repeat(32) }));
  // An index may lag behind the batch: at first it is waited for.
  await node.renewal.check();
  await lookAtBooks(node);
  expect([difference(), node.store.ownBatches.subjectOf('cd'.repeat(32))]).toEqual([0n, null]);
  await node.renewal.check();
  await node.renewal.check();
  await lookAtBooks(node);
  expect([difference(), node.store.ownBatches.subjectOf('cd'.repeat(32))]).toEqual([-coin.amount * 1_000n, null]);
});
