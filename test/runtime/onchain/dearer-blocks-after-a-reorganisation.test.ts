import { expect, test, vi } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { bitcoinWithdrawal, bitcoinWithdrawalEffect } from '../../../engine/swap/jobs/withdrawal-bitcoin.ts';
import { swapRow } from '../../store/support.ts';
import { bitcoinScene, newWorld, type BitcoinScene } from './scene.ts';
import { fundedByRefund, funding, type Funded } from './fundings.ts';
import { elsewhere } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

/** Less than any child costs. */
const noChild = sats(1);
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 2_500));

/** What was sent for each of these, and what came of them once so many blocks were mined at a high rate. */
async function bothEnd(scene: BitcoinScene, funded: readonly Funded[], rate: number): Promise<void> {
  const { world } = scene;
  world.setFeeRate(rate);
  for (const { txid, id } of funded) {
    await eventually(() => {
      world.mine(1);
      return (world.transaction(txid)?.height ?? null) !== null;
    }, 'it is mined');
    world.mine(5);
    await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  }
}

test('fault 205, bitcoin: a child is not replaced while another funding spends what it brought', async () => {
  const world = newWorld();
  const scene = await bitcoinScene({ world });
  await scene.deposit(300_000);
  const first = await funding(scene);
  world.setFeeRate(4);
  const change = { txid: first.txid, vout: 1 };
  await eventually(() => world.spend(change) !== undefined, 'a child pays for it');
  const child = world.spend(change)?.txid ?? '';
  world.mine(1);
  const second = await funding(scene, noChild);
  expect(second.coins.map(({ txid }) => txid)).toEqual([child]);
  world.reorg(1);
  world.setFeeRate(30);
  await aWhile();
  expect([world.spend(change)?.txid, world.waiting(second.txid)?.tx.txid]).toEqual([child, second.txid]);
  await bothEnd(scene, [first, second], 1);
});

test('fault 205, bitcoin: a refund is not raised while a funding spends what it brought', async () => {
  const { scene, world, refund, own } = await fundedByRefund(noChild);
  world.reorg(1);
  world.setFeeRate(30);
  await aWhile();
  expect([world.waiting(refund)?.tx.txid, world.waiting(own.txid)?.tx.txid]).toEqual([refund, own.txid]);
  await bothEnd(scene, [own], 1);
});

test('fault 205, bitcoin: a withdrawal is not raised while a funding spends its change', async () => {
  const world = newWorld();
  const scene = await bitcoinScene({ world });
  await scene.deposit(300_000);
  const id = 'b0000000-0000-4000-8000-000000000001';
  const terms = { script: elsewhere, address: '', amount: sats(50_000) };
  const createdAt = unix(world.clock.now());
  const row = swapRow({ id, machine: bitcoinWithdrawal.name, createdAt, terms, progress: { at: 'choosing' } });
  scene.runtime.commits.open(id, () => ({ row, effects: [bitcoinWithdrawalEffect(terms)] }));
  await eventually(() => world.mempool().length === 1, 'it is sent');
  const [paid] = scene.rows(id);
  world.mine(1);
  const own = await funding(scene, noChild);
  expect(own.coins.map(({ txid }) => txid)).toEqual([paid?.txid]);
  world.reorg(1);
  world.setFeeRate(30);
  await aWhile();
  expect(world.waiting(own.txid)?.tx.txid).toBe(own.txid);
  scene.runtime.commits.deliver(id, { is: 'bump.requested' });
  await eventually(() => scene.flag(id)?.includes('A funding of ours spends its change') === true, 'its owner reads');
  expect([scene.rows(id).length, world.waiting(own.txid)?.tx.txid]).toEqual([1, own.txid]);
  await bothEnd(scene, [own], 1);
});

test('fault 206, bitcoin: a child pays for all that a reorganisation took, and all of it is mined', async () => {
  const world = newWorld();
  const scene = await bitcoinScene({ world });
  await scene.deposit(300_000);
  const first = await funding(scene);
  world.mine(1);
  const second = await funding(scene);
  world.reorg(1);
  world.setFeeRate(40);
  const child = () => world.spend({ txid: second.txid, vout: 1 })?.txid ?? '';
  await eventually(() => child() !== '', 'a child pays for both');
  const all = [first.txid, second.txid, child()].map((txid) => world.waiting(txid));
  const [fee, size] = [
    all.reduce((sum, one) => sum + Number(one?.fee), 0),
    all.reduce((sum, one) => sum + (one?.tx.vsize ?? 0), 0),
  ];
  expect(fee / size).toBeGreaterThanOrEqual(40);
  expect(fee / size).toBeLessThan(41);
  world.mine(6);
  for (const { id } of [first, second])
    await eventually(() => scene.at(id) === 'over: onchain.final', 'both are buried');
});

test('fault 207, bitcoin: a child whose coin is promised while it is signed is made anew', async () => {
  const world = newWorld();
  const scene = await bitcoinScene({ world });
  await scene.deposit(200_000);
  const first = await funding(scene);
  const { prepareCpfp } = scene.wallet;
  const coin = { txid: first.txid, vout: 1 };
  let signed = 0;
  Object.assign(scene.wallet, {
    async prepareCpfp(request: Parameters<typeof prepareCpfp>[0]) {
      const made = await prepareCpfp(request);
      signed += 1;
      // Another payment with the same coin, as one is made that sees the block first.
      const bytes = new Uint8Array(1);
      const row = { subject: first.id, leg: 'bitcoin', purpose: 'send', network: 'bitcoin', asset: 'btc' } as const;
      if (signed === 1) scene.store.transactions.insert({ ...row, txid: 'ab'.repeat(32), bytes, inputs: [coin] }, 1);
      return made;
    },
  });
  world.setFeeRate(40);
  await eventually(() => signed > 0, 'a child is signed');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(scene.store.effects.of(first.id).map(({ parked }) => parked)).toEqual([null]);
  scene.store.transactions.close('ab'.repeat(32), 'dead', 2);
  await eventually(() => world.spend(coin) !== undefined, 'a child pays for it');
});
