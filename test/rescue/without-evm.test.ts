import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { lockLightningArkade, payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { createLightningPort } from '../support/sandbox-ports/lightning.ts';
import { bundleIn, runRescue, walletTotal, withoutHands, type Left } from './rescuer.ts';

let scene: Scene;

beforeEach(async () => {
  scene = await openScene({ bundle: true, bitcoinWallet: true }, 'usual');
});

afterEach(() => scene.end());

/** The node is gone for good, and its database with it. */
async function lose(): Promise<Left> {
  const folder = scene.node.nextFolder;
  await scene.node.kill();
  return { world: scene.world, folder };
}

const holdOf = (hash: Parameters<ReturnType<typeof createLightningPort>['hold']>[0]) =>
  createLightningPort(scene.world.lightning).hold(hash);

async function past(locktime: number): Promise<void> {
  await scene.world.advance(locktime - scene.world.now() + 7_200);
  await scene.world.mine(12);
}

describe('Lightning to Arkade', () => {
  test('what nobody claims is refunded after its locktime, and the payment that was held goes back', async () => {
    const { record } = await lockLightningArkade(scene);
    const before = await walletTotal(scene);
    const left = await lose();
    const early = await runRescue(left);
    expect([early.outcome, early.lines.join('\n')]).toEqual([
      'later',
      expect.stringMatching(/it stays locked, .* until /),
    ]);
    await past(record.vhtlc_refund_locktime);
    expect((await withoutHands(left)).outcome).toBe('done');
    expect(await walletTotal(scene)).toBe(before + BigInt(record.target_amount));
    expect(scene.world.lightning.invoice('node', record.hash_lock.replace('0x', ''))?.state).toBe('cancelled');
    expect((await runRescue(left)).outcome).toBe('done');
  });

  test('what the client claimed meanwhile is settled with its secret', async () => {
    const { record, secret } = await lockLightningArkade(scene);
    const left = await lose();
    await scene.client.claim(record, secret);
    expect((await withoutHands(left)).outcome).toBe('done');
    expect(scene.lightning()).toBe(BigInt(record.source_amount) * 1_000n);
    expect(bundleIn(left.folder).swaps[0]).toMatchObject({ shown: true, secret });
  });

  test('a secret that was learned is kept: with Lightning away now, the VHTLC is never taken back later', async () => {
    const { record, secret } = await lockLightningArkade(scene);
    const left = await lose();
    await scene.client.claim(record, secret);
    const first = await runRescue({ ...left, without: ['lightning'] });
    expect([first.outcome, first.lines.join('\n')]).toEqual(['later', expect.stringMatching(/lncli settleinvoice/)]);
    await past(record.vhtlc_refund_locktime);
    const second = await runRescue({ ...left, without: ['lightning', 'arkade'] });
    expect(second.lines.join('\n')).not.toMatch(/we take back/);
  });

  test('a lock that the operator has half done is finished, and comes back after its locktime', async () => {
    await scene.end();
    let died = false;
    const onBoundary = (what: string, when: string): void => {
      if (what !== 'ark.finalizeTx' || when !== 'before') return;
      died = true;
      void scene.node.kill();
    };
    scene = await openScene({ bundle: true, bitcoinWallet: true, onBoundary }, 'usual');
    const before = await walletTotal(scene);
    const record = await scene.client.createLightningArkade(scene.node, 100_000n, scene.client.secret());
    scene.world.pay(record.bolt11_invoice);
    await eventually(() => died, 'the node dies');
    await scene.node.kill();
    const left = { world: scene.world, folder: scene.node.nextFolder };
    expect(await walletTotal(scene)).toBeLessThan(before);
    expect((await runRescue(left)).outcome).toBe('later');
    expect(await walletTotal(scene)).toBe(before - BigInt(record.target_amount));
    await past(record.vhtlc_refund_locktime);
    expect([(await runRescue(left)).outcome, await walletTotal(scene)]).toEqual(['done', before]);
  });

  test('an operator that is away is no reason to end: it says what is left', async () => {
    const { record } = await lockLightningArkade(scene);
    const left = await lose();
    await past(record.vhtlc_refund_locktime);
    const run = await runRescue({ ...left, without: ['arkade'] });
    expect([run.outcome, run.lines.join('\n')]).toEqual([
      'later',
      expect.stringMatching(/no Arkade operator is connected/),
    ]);
    expect((await runRescue(left)).outcome).toBe('done');
  });

  test('whoever does not agree sees what is there, and nothing is done', async () => {
    const { record } = await lockLightningArkade(scene);
    const left = await lose();
    await past(record.vhtlc_refund_locktime);
    const run = await runRescue(left, false);
    expect([run.outcome, run.lines.at(-1)]).toEqual(['later', expect.stringMatching(/Run this again/)]);
    expect(run.lines).toContain('Nothing was done.');
    expect((await holdOf(new Uint8Array(Buffer.from(record.hash_lock.replace('0x', ''), 'hex')) as never)).is).toBe(
      'held',
    );
  });
});

describe('Arkade to Lightning', () => {
  async function paid() {
    const swap = await payArkadeLightning(scene);
    const { hash } = swap;
    await eventually(() => isHeld(hash), 'the payee holds the payment');
    return swap;
  }

  const isHeld = (hash: Uint8Array) => scene.world.lightning.invoice('outside', toHex(hash))?.state === 'accepted';

  test('a payment that settles after the node is gone opens the coin of the client', async () => {
    const { release, record } = await paid();
    const before = await walletTotal(scene);
    const left = await lose();
    expect((await runRescue(left)).outcome).toBe('later');
    release('settles');
    expect((await runRescue(left)).outcome).toBe('done');
    expect(await walletTotal(scene)).toBe(before + BigInt(record.source_amount));
  });

  test('a payment that fails leaves the coin to the client', async () => {
    const { release, record } = await paid();
    const left = await lose();
    release('fails');
    expect((await runRescue(left)).outcome).toBe('done');
    expect((await scene.client.coins(record)).map(({ spent }) => spent)).toEqual([false]);
  });
});

describe('Bitcoin to Arkade', () => {
  async function locked() {
    await deposit(scene, 500_000);
    const secret = scene.client.secret();
    const record = await scene.client.createBitcoinArkade(scene.node, 90_000n, secret);
    const coin = scene.client.payBitcoin(record);
    await scene.world.mine(1);
    await scene.node.until(record.id, 'locked');
    return { record, secret, coin };
  }

  test('the secret that the client shows claims the bitcoin', async () => {
    const { record, secret, coin } = await locked();
    const left = await lose();
    await scene.client.claim(record, secret);
    expect((await runRescue(left)).outcome).toBe('later');
    await scene.world.mine(1);
    expect((await runRescue(left)).outcome).toBe('later');
    await scene.world.mine(6);
    expect((await runRescue(left)).outcome).toBe('done');
    expect(await createBitcoinPort(scene.world.bitcoin).spend(coin)).toMatchObject({ height: expect.any(Number) });
  });

  test('run twice while its claim waits, it makes no second one', async () => {
    const { record, secret } = await locked();
    const left = await lose();
    await scene.client.claim(record, secret);
    await runRescue(left);
    const first = scene.world.bitcoin.mempool().map(({ tx }) => tx.txid);
    await runRescue(left);
    expect(scene.world.bitcoin.mempool().map(({ tx }) => tx.txid)).toEqual(first);
  });

  test('a claim that waits while fees rise is replaced by a dearer one', async () => {
    const { record, secret, coin } = await locked();
    const left = await lose();
    await scene.client.claim(record, secret);
    await runRescue(left);
    const before = await createBitcoinPort(scene.world.bitcoin).spend(coin);
    scene.world.estimates.first = 30;
    await runRescue(left);
    const after = await createBitcoinPort(scene.world.bitcoin).spend(coin);
    expect(after).not.toEqual(before);
  });

  test("a VHTLC that nobody claims comes back, and the bitcoin stays the client's", async () => {
    const { record, coin } = await locked();
    const left = await lose();
    await past(record.vhtlc_refund_locktime);
    expect((await runRescue(left)).outcome).toBe('done');
    expect(await createBitcoinPort(scene.world.bitcoin).spend(coin)).toBeNull();
    await eventually(async () => (await runRescue(left)).outcome === 'done', 'a second run finds nothing to do');
  });
});
