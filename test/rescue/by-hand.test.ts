import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { lockLightningArkade, payArkadeLightning, vhtlcTerms } from '../support/openings.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';
import { broughtBy, bundleIn, forGood, leafOf, runRescue, walletTotal, type Left, type Run } from './rescuer.ts';

/*
 * The owner passes the machine of a swap by, which nobody says that it works: its legs alone are gone by, under the
 * same rule.
 */

let scene: Scene;

beforeEach(async () => {
  scene = await openScene({ bundle: true, bitcoinWallet: true, coins: { count: 3, sats: 2_500_000n } }, 'usual');
  await deposit(scene, 60_000, 60_000, 60_000, 500_000);
});

afterEach(() => scene.end());

async function lose(): Promise<Left> {
  const { nextFolder: folder } = scene.node;
  await scene.node.kill();
  return { world: scene.world, folder };
}

async function past(locktime: number): Promise<void> {
  await scene.world.advance(locktime - scene.world.now() + 7_200);
  await scene.world.mine(12);
}

/** What its machine came to would be told. */
async function byHand(left: Left, id: string, options: Parameters<typeof runRescue>[2] = {}): Promise<Run> {
  const run = await runRescue(left, true, { ...options, byHand: [id] });
  expect(run.lines.filter((line) => line.includes(`${id}: it is`))).toEqual([]);
  return run;
}

test('what we locked on Arkade comes back, and then the payment that was held goes back', async () => {
  const { record } = await lockLightningArkade(scene);
  const before = await walletTotal(scene);
  const left = await lose();
  expect((await byHand(left, record.id)).outcome).toBe('later');
  await past(record.vhtlc_refund_locktime);
  const { outcome } = await byHand(left, record.id);
  const state = scene.world.lightning.invoice('node', record.hash_lock.replace('0x', ''))?.state;
  expect([outcome, await walletTotal(scene), state]).toEqual([
    'done',
    before + BigInt(record.target_amount),
    'cancelled',
  ]);
});

test('a secret that was shown settles the payment, and what it was shown for is never taken back', async () => {
  const { record, secret } = await lockLightningArkade(scene);
  const left = await lose();
  await scene.client.claim(record, secret);
  await byHand({ ...left, without: ['lightning'] }, record.id);
  await past(record.vhtlc_refund_locktime);
  const late = await byHand({ ...left, without: ['lightning', 'arkade'] }, record.id);
  expect(late.lines.join('\n')).not.toMatch(/we take back/);
  expect([(await byHand(left, record.id)).outcome, scene.lightning()]).toEqual([
    'done',
    BigInt(record.source_amount) * 1_000n,
  ]);
});

test('the secret that the client shows claims its bitcoin, and pays more once fees rise', async () => {
  const secret = scene.client.secret();
  const record = await scene.client.createBitcoinArkade(scene.node, 90_000n, secret);
  const coin = scene.client.payBitcoin(record);
  await scene.world.mine(1);
  await scene.node.until(record.id, 'locked');
  const left = await lose();
  await scene.client.claim(record, secret);
  const spend = () => createBitcoinPort(scene.world.bitcoin).spend(coin);
  const first = [(await byHand(left, record.id)).outcome, (await spend())?.txid];
  const again = [(await byHand(left, record.id)).outcome, (await spend())?.txid];
  scene.world.estimates.first = 30;
  const dearer = [(await byHand(left, record.id)).outcome, (await spend())?.txid];
  await scene.world.mine(6);
  expect([again, dearer[1] === first[1], (await byHand(left, record.id)).outcome]).toEqual([first, false, 'done']);
});

test('with the operator gone its coin is brought to the chain all the same, and claimed there', async () => {
  const { record, coin, release } = await payArkadeLightning(scene);
  const terms = vhtlcTerms(scene.node, record.id);
  await scene.world.mine(1);
  await scene.node.networks.refresh();
  await eventually(async () => {
    await scene.node.exits.look();
    const { folder, store } = scene.node;
    return (
      existsSync(join(folder, bundleName)) && bundleIn(folder).exitPaths.coins.length >= store.exits.coins().length
    );
  }, 'every way is in the bundle');
  const left = await lose();
  scene.world.operator.faults.away();
  release('settles');
  await broughtBy(left, coin, { ...forGood, byHand: [record.id] });
  await scene.world.advance(terms.claimDelay + 600);
  await byHand(left, record.id, forGood);
  expect(leafOf(scene.world, coin)).toEqual(vhtlcScript(terms).leaf['unilateral-claim'].script);
}, 120_000);
