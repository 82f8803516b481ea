import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import { arkadeFailure } from '../../engine/legs/arkade/failures.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import { anyFailure } from '../support/failure.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { lockLightningArkade, payArkadeLightning, vhtlcTerms } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';
import { broughtBy, bundleIn, forGood, leafOf, portsOf, runRescue, type Left } from './rescuer.ts';

let scene: Scene;

beforeEach(async () => {
  scene = await openScene({ bundle: true, bitcoinWallet: true, coins: { count: 3, sats: 2_500_000n } }, 'usual');
  await deposit(scene, 60_000, 60_000, 60_000, 60_000);
});

afterEach(() => scene.end());

/** The ways of everything to the chain are in the bundle; then the node is gone for good, and its database with it. */
async function lose(): Promise<Left> {
  await scene.world.mine(1);
  await scene.node.networks.refresh();
  const { folder, store } = scene.node;
  await eventually(async () => {
    await scene.node.exits.look();
    if (!existsSync(join(folder, bundleName))) return false;
    return bundleIn(folder).exitPaths.coins.length === store.exits.coins().length && store.exits.coins().length >= 3;
  }, 'every way is in the bundle');
  const left = { world: scene.world, folder: scene.node.nextFolder };
  await scene.node.kill();
  return left;
}

describe('with the node and the operator gone for good', () => {
  test('what we locked comes back through the chain, by the leaf that is ours alone', async () => {
    const { record, coin } = await lockLightningArkade(scene);
    const terms = vhtlcTerms(scene.node, record.id);
    const left = await lose();
    scene.world.operator.faults.away();
    await scene.world.advance(terms.refundLocktime - scene.world.now() + 7_200);
    await scene.world.mine(12);
    const first = await runRescue(left);
    expect([first.outcome, first.lines.join('\n')]).toEqual([
      'later',
      expect.stringMatching(/has not served since .* goes to the chain from .* on, or now with --operator-gone/),
    ]);
    const runs = await broughtBy(left, coin.outpoint, forGood);
    expect(runs[0]?.lines.join('\n')).toMatch(
      /paid by a child for \d+ sats; transaction 1 of 3 that bring the coin to the chain waits/,
    );
    const early = await runRescue(left, true, forGood);
    expect(early.lines.join('\n')).toMatch(/its delay of \d+ seconds has to pass/);
    await scene.world.advance(terms.refundWithoutReceiverDelay + 600);
    await runRescue(left, true, forGood);
    await scene.world.mine(6);
    await eventually(
      async () =>
        !(await runRescue(left, true, forGood)).lines.some(
          (line) => line.includes(record.id) && /locked|waits/.test(line),
        ),
      'the swap is over',
    );
    expect({
      leaf: leafOf(scene.world, coin.outpoint),
      held: scene.world.lightning.invoice('node', record.hash_lock.replace('0x', ''))?.state,
    }).toEqual({ leaf: vhtlcScript(terms).leaf['unilateral-refund-without-receiver'].script, held: 'cancelled' });
  }, 120_000);

  test('what we paid for is claimed on the chain with the secret that the payment showed', async () => {
    const { record, coin, release } = await payArkadeLightning(scene);
    const terms = vhtlcTerms(scene.node, record.id);
    const left = await lose();
    scene.world.operator.faults.away();
    release('settles');
    await broughtBy(left, coin, forGood);
    await scene.world.advance(terms.claimDelay + 600);
    await runRescue(left, true, forGood);
    expect(leafOf(scene.world, coin)).toEqual(vhtlcScript(terms).leaf['unilateral-claim'].script);
  }, 120_000);

  test('the coins of the wallet come to the chain, and to the Bitcoin wallet once their delay is over', async () => {
    const coins = scene.node.store.ownCoins.all();
    const left = await lose();
    scene.world.operator.faults.away();
    for (const { outpoint } of coins) await broughtBy(left, outpoint, forGood);
    await runRescue(left, true, forGood);
    const early = coins.map(({ outpoint }) => leafOf(scene.world, outpoint));
    await scene.world.advance(Math.max(...coins.map(({ exitDelay }) => exitDelay)) + 3_600);
    await runRescue(left, true, forGood);
    await scene.world.mine(6);
    const last = await runRescue(left, true, forGood);
    expect({
      early,
      swept: coins.map(({ outpoint }) => leafOf(scene.world, outpoint) !== null),
      last: last.outcome,
    }).toEqual({ early: [null, null, null], swept: [true, true, true], last: 'done' });
  }, 120_000);
});

test('coins of the wallet that cannot be looked at now are left for later, and are not forgotten', async () => {
  const transaction = () => Promise.reject(anyFailure('away', 'safe', 'no source answers'));
  const run = await runRescue({ ...(await lose()), tampered: { bitcoin: { transaction } } });
  expect([run.outcome, run.lines.join('\n')]).toEqual([
    'later',
    expect.stringMatching(/could not be .*no source answers/),
  ]);
});

describe('an operator', () => {
  test('that answers and serves keeps every coin, whatever the owner says', async () => {
    const coins = scene.node.store.ownCoins.all();
    const { record } = await lockLightningArkade(scene);
    const left = await lose();
    await scene.world.advance(record.vhtlc_refund_locktime - scene.world.now() + 7_200);
    await scene.world.mine(12);
    const run = await runRescue(left, true, forGood);
    const sent = coins.filter(({ outpoint }) => scene.world.bitcoin.transaction(outpoint.txid) !== undefined);
    expect([run.outcome, sent]).toEqual(['done', []]);
  });

  test('that serves gives the coins of the wallet up to an owner who wants them on the chain', async () => {
    const coins = scene.node.store.ownCoins.all();
    const left = await lose();
    for (const { outpoint } of coins) await broughtBy(left, outpoint, { unroll: true });
    const run = await runRescue(left, true, { unroll: true });
    expect([run.outcome, run.lines.join('\n')]).toEqual(['later', expect.stringMatching(/until their delay is over/)]);
  }, 120_000);

  test('that is away for half a day by the clock of the chain is left without a word of the owner', async () => {
    const { coin, release } = await payArkadeLightning(scene);
    const left = await lose();
    scene.world.operator.faults.away();
    release('settles');
    await runRescue(left);
    const waits = scene.world.bitcoin.mempool().length;
    await scene.world.advance(12 * 3_600 + 60);
    await runRescue(left);
    expect([waits, scene.world.bitcoin.mempool().length > 0]).toEqual([0, true]);
    await broughtBy(left, coin);
  }, 120_000);

  test.each([
    ['is not ready', () => Promise.reject(arkadeFailure('operator-not-ready', 'safe', 'it is not ready'))],
    ['refuses our claim, fault 352', async () => ({ is: 'refused', reason: 'no' }) as const],
  ])(
    'that answers and lets no coin be taken is left as one that is away: it %s',
    async (_, submit) => {
      const { record, coin, release } = await payArkadeLightning(scene);
      const terms = vhtlcTerms(scene.node, record.id);
      const { coins } = scene.world.operator.indexer;
      Object.assign(scene.world.operator.indexer, {
        coins: (query: Parameters<typeof coins>[0]) => coins(query).map((one) => ({ ...one, unrolled: false })),
      });
      const left = { ...(await lose()), tampered: { arkade: { submit } } };
      release('settles');
      await runRescue(left);
      const waits = scene.world.bitcoin.mempool().length;
      await scene.world.advance(12 * 3_600 + 60);
      await runRescue(left);
      expect([waits, scene.world.bitcoin.mempool().length > 0]).toEqual([0, true]);
      await broughtBy(left, coin);
      await scene.world.advance(terms.claimDelay + 600);
      await runRescue(left);
      expect(leafOf(scene.world, coin)).toEqual(vhtlcScript(terms).leaf['unilateral-claim'].script);
    },
    120_000,
  );

  test('that comes back in between is not counted as away', async () => {
    const left = await lose();
    const { faults } = scene.world.operator;
    const inMempool: number[] = [];
    for (const [hours, state] of [
      [40, 'away'],
      [0, 'back'],
      [40, 'away'],
      [40, 'away'],
      [40, 'away'],
    ] as const) {
      if (state === 'away') faults.away();
      else faults.back();
      await scene.world.advance(hours * 3_600);
      await runRescue(left);
      inMempool.push(scene.world.bitcoin.mempool().length);
    }
    expect(inMempool).toEqual([0, 0, 0, 0, expect.not.closeTo(0)]);
  });

  test('that calls our coin spent by nothing loses it to us on the chain at once', async () => {
    const other = scene.node.store.ownCoins.all()[0]?.outpoint.txid ?? '';
    const { record, coin, release } = await payArkadeLightning(scene);
    const terms = vhtlcTerms(scene.node, record.id);
    const left = await lose();
    release('settles');
    scene.world.operator.faults.callSpent(outpointKey(coin), other);
    await broughtBy(left, coin);
    await scene.world.advance(terms.claimDelay + 600);
    await runRescue(left);
    expect(leafOf(scene.world, coin)).toEqual(vhtlcScript(terms).leaf['unilateral-claim'].script);
  }, 120_000);
});

test('many coins come to the chain together, though one coin alone pays for them', async () => {
  await scene.end();
  scene = await openScene({ bundle: true, bitcoinWallet: true, coins: { count: 3, sats: 2_500_000n } }, 'usual');
  await deposit(scene, 60_000);
  const swaps = [];
  for (let i = 0; i < 6; i++) swaps.push(await payArkadeLightning(scene));
  const left = await lose();
  const { bitcoin, operator } = scene.world;
  operator.faults.away();
  for (const { release } of swaps) release('settles');
  const { coins } = bundleIn(left.folder).exitPaths;
  const first = await runRescue(left, true, forGood);
  const split = bitcoin.mempool().map(({ tx }) => [tx.txid, tx.outputs.length]);
  await runRescue(left, true, forGood);
  const again = bitcoin.mempool().map(({ tx }) => [tx.txid, tx.outputs.length]);
  await scene.world.mine(1);
  await runRescue(left, true, forGood);
  const together = bitcoin.mempool().length;
  await scene.world.mine(1);
  expect({
    first: [first.outcome, first.lines.join('\n')],
    split: split.map(([, outputs]) => outputs),
    again,
    together,
    there: coins.filter(({ outpoint }) => (bitcoin.transaction(outpoint.txid)?.height ?? null) !== null).length,
  }).toEqual({
    first: ['later', expect.stringMatching(/split into 9, to pay for 9 transactions at once, for \d+ sats/)],
    split: [9],
    again: split,
    together: 18,
    there: 9,
  });
}, 120_000);

test('run twice before a block, it pays for a transaction once', async () => {
  const { coin, release } = await payArkadeLightning(scene);
  const left = await lose();
  scene.world.operator.faults.away();
  release('settles');
  await runRescue(left, true, forGood);
  const first = scene.world.bitcoin.mempool().map(({ tx }) => tx.txid);
  await runRescue(left, true, forGood);
  expect([first.length > 0, scene.world.bitcoin.mempool().map(({ tx }) => tx.txid)]).toEqual([true, first]);
  await broughtBy(left, coin, forGood);
}, 120_000);

test('a Bitcoin wallet without coins for the fees is named, with the address to send some to', async () => {
  await scene.end();
  scene = await openScene({ bundle: true, bitcoinWallet: true, coins: { count: 3, sats: 2_500_000n } }, 'usual');
  const left = await lose();
  scene.world.operator.faults.away();
  const run = await runRescue(left, true, forGood);
  expect([run.outcome, run.lines.join('\n')]).toEqual([
    'failed',
    expect.stringMatching(/send confirmed coins to the Bitcoin wallet of these words \(bcrt1p/),
  ]);
});

test('fault 315, arkade: dust that a stranger sent to the wallet keeps no coin of it from the chain', async () => {
  await scene.end();
  scene = await openScene({ bundle: true, bitcoinWallet: true, coins: { count: 20, sats: 700n } }, 'usual');
  await deposit(scene, 60_000);
  const { address } = await scene.node.ports.arkade!.address();
  await scene.world.advance(3_600);
  const coin = scene.world.faucet(address, 2_500_000n);
  const left = await lose();
  scene.world.operator.faults.away();
  await broughtBy(left, coin, forGood);
}, 120_000);

test('fault 315, arkade: dust that the chain tells nothing of keeps no coin of a swap from it', async () => {
  const { address } = await scene.node.ports.arkade!.address();
  const dust = scene.world.faucet(address, 700n);
  const { release } = await payArkadeLightning(scene);
  const left = await lose();
  scene.world.operator.faults.away();
  release('settles');
  const { transaction } = portsOf(left, null).bitcoin!;
  let questions = 0;
  const bitcoin: Partial<BitcoinPort> = {
    // The first one is whether it lies there; the next one begins to bring it.
    async transaction(txid) {
      if (txid === dust.txid && questions++ > 0) throw anyFailure('away', 'safe', 'no source answers');
      return transaction(txid);
    },
  };
  const { lines } = await runRescue({ ...left, tampered: { bitcoin } }, true, forGood);
  expect([scene.world.bitcoin.mempool().length, lines.join('\n')]).toEqual([
    2,
    expect.stringMatching(/Coins could not be brought to the chain[^]*paid by a child for \d+ sats/),
  ]);
}, 120_000);
