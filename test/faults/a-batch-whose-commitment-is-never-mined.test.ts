import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { outpointKey, type Outpoint, type Txid } from '../../engine/domain/outpoint.ts';
import { seconds } from '../../engine/domain/time.ts';
import { exitStarts } from '../../engine/legs/arkade/exit-rule.ts';
import { burialDepth } from '../../engine/legs/onchain/depth.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { directions } from '../../engine/service/directions/directions.ts';
import { unsavedValue } from '../../engine/service/limits/unsaved.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

vi.setConfig({ testTimeout: 120_000 });

let scene: Scene;
/** Batches that no block has, though the operator says that they are over. */
let withheld: Map<Txid, 'nowhere' | 'mempool'>;
beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true, coins: { count: 1, sats: 2_500_000n } });
  withheld = new Map();
  const bitcoin = scene.node.ports.bitcoin as { -readonly [name in keyof BitcoinPort]: BitcoinPort[name] };
  const { transaction } = { ...bitcoin };
  bitcoin.transaction = async (txid, fits) => {
    const is = withheld.get(txid);
    if (is === 'nowhere') return null;
    const entry = await transaction(txid, fits);
    return entry === null || is === undefined ? entry : { ...entry, height: null };
  };
});
afterEach(() => scene.end());

async function look(): Promise<void> {
  await scene.node.networks.refresh();
  await scene.node.exits.look();
  await scene.node.unilateralExits.look();
}

function hasWay(coin: Outpoint): boolean {
  return scene.node.store.exits.path(coin) !== null;
}

function jobs(): string[] {
  return [...scene.node.runtime.workingSet.all()]
    .filter(({ machine }) => machine.name === 'unroll-arkade')
    .map(({ row }) => outpointKey((row.terms as { coin: Outpoint }).coin));
}

function unsaved(): bigint {
  const { runtime, config } = scene.node;
  return unsavedValue({ runtime, directions, config });
}

async function mined(blocks: number): Promise<void> {
  const { world, node } = scene;
  const height = (): number => node.runtime.clock.now().bitcoin.height ?? 0;
  const before = height();
  await world.mine(blocks);
  await eventually(() => height() >= before + blocks, 'the blocks are read');
}

/** The one coin of the wallet, its way saved, in the last days of its life, and what a batch made of it. */
async function renewed(is: 'nowhere' | 'mempool' | 'mined'): Promise<{ old: Outpoint; fresh: Outpoint; batch: Txid }> {
  const { world, node } = scene;
  await deposit(scene, 60_000, 60_000);
  await mined(1);
  await look();
  const [row] = node.store.ownCoins.all();
  if (row === undefined) throw new Error('the wallet is empty');
  expect(hasWay(row.outpoint)).toBe(true);
  const expiresAt = node.store.exits.expiresAt(row.outpoint) ?? 0;
  await world.advance(expiresAt - world.now() - 2 * 86_400);
  await look();
  await node.renewal.check();
  const [old] = await node.ports.arkade!.coinsAt([row.outpoint]);
  const batch = old?.settledBy;
  if (typeof batch !== 'string') throw new Error('nothing was renewed');
  if (is !== 'mined') withheld.set(batch, is);
  const fresh = (await node.ports.arkade!.walletCoins()).find((coin) => coin.batch === batch);
  if (fresh === undefined) throw new Error('the batch made nothing of ours');
  return { old: row.outpoint, fresh: fresh.outpoint, batch };
}

test('fault 353, arkade: a coin goes to the chain in time where its batch never does', async () => {
  const { world, node } = scene;
  const { old } = await renewed('nowhere');
  await look();
  await mined(1);
  await look();
  expect({ way: hasWay(old), jobs: jobs() }).toEqual({ way: true, jobs: [] });
  const row = node.store.ownCoins.all().find(({ outpoint }) => outpointKey(outpoint) === outpointKey(old));
  const starts = exitStarts(node.store.exits.expiresAt(old)!, seconds(row?.exitDelay ?? 0));
  await world.advance(starts - world.now() - 3_600);
  await look();
  expect(jobs()).toEqual([]);
  await world.advance(3_660);
  await eventually(() => look().then(() => jobs().length > 0), 'its exit begins');
  expect(jobs()).toEqual([outpointKey(old)]);
  await eventually(async () => {
    await world.mine(1);
    await look();
    return (world.bitcoin.transaction(old.txid)?.height ?? null) !== null;
  }, 'it lies on the chain');
  expect(world.now()).toBeLessThan(node.store.exits.expiresAt(old)!);
});

test('fault 353, arkade: a batch that is buried takes the way of its coin, and none leaves meanwhile', async () => {
  const { node } = scene;
  const { old, fresh } = await renewed('mined');
  await look();
  await mined(1);
  await look();
  const shallow = { old: hasWay(old), fresh: hasWay(fresh) };
  await mined(burialDepth);
  await eventually(() => look().then(() => !hasWay(old)), 'its way is dropped');
  const own = node.store.ownCoins.all().map(({ outpoint }) => outpointKey(outpoint));
  expect({ shallow, own, jobs: jobs() }).toEqual({
    shallow: { old: true, fresh: true },
    own: [outpointKey(fresh)],
    jobs: [],
  });
});

test('fault 353, arkade: what hangs on the mempool alone is not saved, and the way of before counts', async () => {
  const { world } = scene;
  const { old, fresh, batch } = await renewed('mempool');
  await mined(1);
  await world.advance(1_200);
  await look();
  const waiting = { old: hasWay(old), fresh: hasWay(fresh), unsaved: unsaved() };
  withheld.delete(batch);
  await mined(1);
  await eventually(() => look().then(() => hasWay(fresh)), 'its way is saved');
  expect(waiting).toEqual({ old: true, fresh: false, unsaved: 0n });
});

test('fault 353, arkade: a commitment that a reorganisation takes saves nothing until it is back', async () => {
  const { world, node } = scene;
  await mined(1);
  await look();
  await world.advance(1_200);
  const [coin] = node.store.ownCoins.all();
  if (coin === undefined) throw new Error('the wallet is empty');
  const commitment = node.store.exits.path(coin.outpoint)?.roots[0]?.outpoint.txid ?? '';
  const saved = unsaved();
  withheld.set(commitment, 'mempool');
  await mined(1);
  await look();
  const without = { unsaved: unsaved(), way: hasWay(coin.outpoint) };
  withheld.delete(commitment);
  await mined(1);
  await look();
  expect({ saved, without, again: unsaved() }).toEqual({
    saved: 0n,
    without: { unsaved: coin.amount, way: true },
    again: 0n,
  });
});
