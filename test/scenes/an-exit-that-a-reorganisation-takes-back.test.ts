import { afterEach, beforeEach, expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { accepted, deposit, scriptOf } from '../support/bitcoin-wallet.ts';
import type { NodeOptions } from '../support/node.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const options: NodeOptions = { bitcoinWallet: true, coins: { count: 1, sats: 2_500_000n } };

let scene: Scene;
let coin: Outpoint;
beforeEach(async () => {
  scene = await openScene(options);
  await scene.world.mine(1);
  await scene.node.networks.refresh();
  await scene.node.exits.look();
  coin = scene.node.store.ownCoins.all()[0]!.outpoint;
});
afterEach(() => scene.end());

const isWaiting = (txid: string): boolean => scene.world.bitcoin.waiting(txid) !== undefined;

/** What brings the coin to the chain waits for a block, with a child that pays for it; these are both. */
async function onItsWay(): Promise<string[]> {
  accepted(await scene.node.service.owner.walletExit('arkade'));
  await eventually(() => scene.world.bitcoin.mempool().length === 2, 'the coin goes');
  return scene.world.bitcoin.mempool().map(({ tx }) => tx.txid);
}

/** Blocks come until the coin lies on the chain. */
async function brought(): Promise<void> {
  await eventually(async () => {
    await scene.world.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return (scene.world.bitcoin.transaction(coin.txid)?.height ?? null) !== null;
  }, 'the coin comes to the chain');
}

/** A stranger's payment to the wallet in the last block, and what would pay the same coin elsewhere. */
async function paidByStranger() {
  const { bitcoin } = scene.world;
  const stranger = openPayer('a stranger');
  const outpoint = bitcoin.faucet(stranger.script, sats(90_000));
  if (outpoint === null) throw new Error('the faucet has no coin');
  await scene.world.mine(1);
  const { address } = accepted(await scene.node.service.owner.walletAddress('bitcoin', { asset: null, amount: null }));
  const from = [{ outpoint, amount: 90_000n }];
  const { txid } = bitcoin.submit(stranger.pay({ from, to: [{ script: scriptOf(address), amount: 89_000n }] }));
  await scene.world.mine(1);
  return { txid, elsewhere: stranger.pay({ from, to: [{ script: stranger.script, amount: 70_000n }] }) };
}

test('fault 208, bitcoin: the payment whose coin pays for an exit is sent again with it', async () => {
  const { txid } = await paidByStranger();
  const sent = await onItsWay();
  scene.world.bitcoin.reorg(1, [txid, ...sent]);
  await eventually(() => isWaiting(txid), 'the payment is sent again');
  await brought();
}, 120_000);

test('fault 208, bitcoin: an exit goes with another coin where the one that paid never comes back', async () => {
  const { txid, elsewhere } = await paidByStranger();
  const sent = await onItsWay();
  const { bitcoin } = scene.world;
  bitcoin.reorg(1, [txid, ...sent]);
  bitcoin.submit(elsewhere);
  await deposit(scene, 80_000);
  await scene.world.mine(6);
  await brought();
}, 120_000);

test('fault 209, bitcoin: a coin that a reorganisation takes off the chain is brought there again', async () => {
  await deposit(scene, 60_000);
  const sent = await onItsWay();
  await scene.world.mine(1);
  await eventually(() => scene.node.store.ownCoins.all()[0]?.unrolled === true, 'it lies on the chain');
  // Whatever looks at that has done so.
  for (let i = 0; i < 3; i++) {
    await scene.world.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  scene.world.bitcoin.reorg(4, sent);
  expect(sent.map(isWaiting)).toEqual([false, false]);
  await brought();
  await scene.world.mine(6);
  const isOpen = () => [...scene.node.runtime.workingSet.all()].some(({ machine }) => machine.name === 'unroll-arkade');
  await eventually(() => !isOpen(), 'the job ends once it is buried');
}, 120_000);
