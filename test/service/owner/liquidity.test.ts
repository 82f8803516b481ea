import { afterEach, expect, test } from 'vitest';
import { lookAtBooks } from '../../support/books.ts';
import { accepted } from '../../support/bitcoin-wallet.ts';
import { lockLightningArkade, payArkadeLightning } from '../../support/openings.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { dryIn, moveFor } from '../../../engine/service/owner/liquidity.ts';

let scene: Scene | undefined;
afterEach(async () => scene?.end());

test('says when each network runs dry at the rate of the last day, and which swap would help', async () => {
  scene = await openScene();
  const { node, client } = scene;
  await lookAtBooks(node);
  const read = async () =>
    Object.fromEntries(accepted(await node.service.owner.liquidity()).networks.map((one) => [one.network, one]));
  expect((await read())['arkade']).toMatchObject({ came: '0', left: '0', dry_at: null, move: null });
  const { record, secret } = await lockLightningArkade(scene);
  await client.claim(record, secret);
  await node.until(record.id, 'claimed');
  await lookAtBooks(node);
  const { arkade, lightning } = await read();
  // The change of a coin is not counted as something that left and came.
  expect([arkade?.came, arkade?.left, lightning?.came, lightning?.left]).toEqual([
    '0',
    String(record.target_amount),
    String(record.source_amount),
    '0',
  ]);
  const { wall } = node.runtime.clock.now();
  const days = Number(arkade?.available) / Number(record.target_amount);
  expect(arkade?.dry_at ?? 0).toBe(days > 30 ? 0 : wall + Math.floor(days * 86_400));
  expect(lightning).toMatchObject({ dry_at: null, move: null });
});

test('what was lost in more than a day is the rate of no day', async () => {
  scene = await openScene();
  await lookAtBooks(scene.node);
  const { record, release } = await payArkadeLightning(scene);
  release('settles');
  await scene.node.until(record.id, 'claimed');
  await lookAtBooks(scene.node);
  expect(accepted(await scene.node.service.owner.liquidity()).networks.some(({ left }) => left !== '0')).toBe(true);
  await scene.world.advance(86_401);
  expect(accepted(await scene.node.service.owner.liquidity()).networks.every(({ left }) => left === '0')).toBe(true);
});

test('nothing is foretold beyond 30 days, nor of what does not fall', () => {
  expect([dryIn(1_000n, 1_000_000n), dryIn(1_000n, 2_000_000n), dryIn(0n, 1n)]).toEqual([86_400, 43_200, 0]);
  expect([dryIn(1_000n, 0n), dryIn(1_000n, -5n), dryIn(31_000n, 1_000_000n)]).toEqual([null, null, null]);
});

test('the move comes from the richest network that does not run dry itself, and evens both out', () => {
  const pool = (network: string, available: bigint, dry: number | null) => ({
    ...{ network, available, dryIn: dry },
    came: 0n,
    left: 0n,
  });
  const poor = pool('lightning', 100n, 3_600);
  const pools = [poor, pool('arkade', 500n, null), pool('bitcoin', 900n, 7_200), pool('evm:137', 300n, null)];
  expect(moveFor(poor, pools)).toEqual({ from: 'arkade', amount: 200 });
  expect(moveFor(poor, [poor, pool('arkade', 50n, null)])).toBeNull();
  expect(moveFor(pool('lightning', 100n, 8 * 86_400), pools)).toBeNull();
  expect(moveFor(pool('evm:137', 1n, 5), [pool('evm:10', 50n, null)])).toBeNull();
});
