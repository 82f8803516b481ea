import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Outpoint, Txid } from '../../engine/domain/outpoint.ts';
import type { NodeOptions } from '../support/node.ts';
import { accepted, deposit, inMempool } from '../support/bitcoin-wallet.ts';
import { lockLightningArkade, payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const options: NodeOptions = { bitcoinWallet: true, coins: { count: 3, sats: 2_500_000n } };
const many = 6;

let scene: Scene;
let coins: Outpoint[];
beforeEach(async () => {
  scene = await openScene(options);
});
afterEach(() => scene.end());

async function look(): Promise<void> {
  await scene.node.networks.refresh();
  await scene.node.exits.look();
  await scene.node.unilateralExits.look();
}

/** Coins of so many swaps that we must claim, whose operator is gone, with one coin of so many sats for all fees. */
async function claiming(count = many, feeCoin = 60_000): Promise<void> {
  await deposit(scene, feeCoin);
  const swaps = [];
  for (let i = 0; i < count; i++) swaps.push(await payArkadeLightning(scene));
  await scene.world.mine(1);
  await look();
  scene.world.operator.faults.away();
  for (const { release } of swaps) release('settles');
  for (const { record } of swaps) await scene.node.until(record.id, 'claiming');
  coins = swaps.map(({ coin }) => coin);
}

/** Away for so long that what a swap must take leaves it, in all of which no block comes. */
async function goneFor(hours = 12.2): Promise<void> {
  for (let minutes = 0; minutes <= hours * 60; minutes += 10) {
    await scene.world.pass(600);
    await look();
  }
}

function splits(): { state: string; txid: string }[] {
  return scene.node.store.transactions.onTheWay('split').map(({ state, txid }) => ({ state, txid }));
}

function onChain(): number {
  return coins.filter(({ txid }) => (scene.world.bitcoin.transaction(txid)?.height ?? null) !== null).length;
}

/** Each coin and its child wait for the next block together. */
async function allGo(): Promise<void> {
  await eventually(() => inMempool(scene).length === 2 * many, 'each goes with a child of its own');
  await scene.world.mine(1);
  expect(onChain()).toBe(many);
}

test('six coins that one coin pays for come to the chain in two blocks, and its pieces come back', async () => {
  await claiming();
  await goneFor();
  await eventually(() => inMempool(scene).length === 1 && splits()[0]?.state === 'accepted', 'the coin is split');
  const [split] = inMempool(scene);
  const pieces = scene.world.bitcoin.transaction(split!)?.tx.outputs.map(({ amount }) => amount) ?? [];
  await scene.world.mine(1);
  await allGo();
  await scene.world.mine(6);
  await eventually(() => splits().length === 0, 'the split is over');
  const fees = () =>
    scene.node.store.swaps
      .page({ machine: 'unroll-arkade', limit: 100 })
      .flatMap(({ id }) => scene.node.store.ledger.of(id).map(({ amount }) => -amount / 1_000n));
  await eventually(() => fees().length === many, 'every job ends');
  const { available } = await scene.node.runtime.ports.bitcoinWallet!.balance([]);
  expect({
    pieces: pieces.length,
    booked: fees().reduce((sum, fee) => sum + fee, 0n),
    state: scene.node.store.transactions.byId(split!)?.state,
  }).toEqual({ pieces: many, booked: 60_000n - available, state: 'final' });
}, 120_000);

test('a split that asks too little pays more before the block, and stays one', async () => {
  await claiming();
  await goneFor();
  await eventually(() => inMempool(scene).length === 1, 'the coin is split');
  const [first] = inMempool(scene);
  scene.world.bitcoin.setFeeRate(3);
  await eventually(
    () => inMempool(scene).length === 1 && inMempool(scene)[0] !== first,
    'a dearer one is in its place',
  );
  const [second] = inMempool(scene);
  await scene.world.mine(1);
  await allGo();
  await scene.world.mine(6);
  const states = () => [first, second].map((txid) => scene.node.store.transactions.byId(txid!)?.state);
  await eventually(() => states()[1] === 'final', 'it is over');
  expect(states()).toEqual(['dead', 'final']);
}, 120_000);

/** A block brought the split and a reorganisation took it, with all that hangs on it; its id. */
async function splitTakenBack(): Promise<string> {
  await claiming();
  await goneFor();
  await eventually(() => inMempool(scene).length === 1, 'the coin is split');
  const [split] = inMempool(scene);
  await scene.world.mine(1);
  await eventually(() => inMempool(scene).length === 2 * many, 'each goes with a child of its own');
  expect(splits()).toEqual([{ state: 'accepted', txid: split }]);
  scene.world.bitcoin.reorg(1, [split!, ...inMempool(scene)]);
  return split!;
}

test('fault 220, bitcoin: a split that a reorganisation takes back is sent again as it was', async () => {
  const split = await splitTakenBack();
  await eventually(() => inMempool(scene).includes(split), 'it is sent again');
  expect(splits()).toEqual([{ state: 'accepted', txid: split }]);
  await scene.world.mine(1);
  await allGo();
  await scene.world.mine(6);
  await eventually(() => splits().length === 0, 'the split is over once it is buried');
}, 120_000);

test('fault 220, bitcoin: a split taken back pays more where blocks are dearer by then', async () => {
  const split = await splitTakenBack();
  scene.world.bitcoin.setFeeRate(3);
  await eventually(async () => {
    await scene.world.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return onChain() === many;
  }, 'all coins come to the chain');
  await scene.world.mine(6);
  await eventually(() => splits().length === 0, 'the splits are over');
  expect(scene.node.store.transactions.byId(split as Txid)?.state).toBe('dead');
}, 120_000);

test('a node that is killed before it sends the split sends the same one', async () => {
  await claiming();
  let killed = false;
  let saved = '';
  await scene.restart({
    ...options,
    onBoundary(what, moment) {
      const [split] = killed || what !== 'bitcoin.broadcast' || moment !== 'before' ? [] : splits();
      if (split === undefined) return;
      killed = true;
      saved = split.txid;
      void scene.node.kill();
    },
  });
  // The kill comes in the middle of this.
  await goneFor().catch(() => undefined);
  await eventually(() => killed, 'the node is killed');
  const before = inMempool(scene);
  await scene.restart(options);
  await eventually(() => inMempool(scene).length === 1, 'the split is sent');
  expect({ before, after: inMempool(scene) }).toEqual({ before: [], after: [saved] });
  await scene.world.mine(1);
  await allGo();
}, 120_000);

test('where one coin is too small to be split, what runs out earlier goes before what was begun earlier', async () => {
  await claiming(1, 1_500);
  await goneFor(11.7);
  accepted(await scene.node.service.owner.walletExit('arkade'));
  await eventually(() => inMempool(scene).length === 2, 'a coin of the wallet goes');
  const first = inMempool(scene);
  await goneFor(0.5);
  await scene.world.mine(1);
  await eventually(() => inMempool(scene).length === 2, 'another one goes');
  expect([first.includes(coins[0]!.txid), inMempool(scene).includes(coins[0]!.txid), splits()]).toEqual([
    false,
    true,
    [],
  ]);
}, 120_000);

test('of six ways of three transactions each block takes six, and the coin is split once', async () => {
  await scene.end();
  // What is left of a coin is too small for the next lock, so that each has a way of its own.
  scene = await openScene({ ...options, coins: { count: many, sats: 150_000n } });
  await deposit(scene, 60_000);
  for (let i = 0; i < many; i++) await lockLightningArkade(scene);
  await scene.world.mine(1);
  await look();
  coins = scene.node.store.ownCoins
    .all()
    .map(({ outpoint }) => outpoint)
    .filter((coin) => scene.node.store.exits.path(coin)?.transactions.length === 3);
  scene.world.operator.faults.away();
  await scene.node.networks.refresh();
  const begun = accepted(await scene.node.service.owner.walletExit('arkade'));
  await eventually(() => inMempool(scene).length === 1, 'the coin is split');
  await scene.world.mine(1);
  for (let step = 1; step < 3; step++) {
    await eventually(() => inMempool(scene).length === 2 * many, `transaction ${step} of each goes`);
    await scene.world.mine(1);
  }
  await allGo();
  expect([coins.length, begun.jobs.length]).toEqual([many, many]);
}, 120_000);
