import { afterEach, beforeEach, expect, test } from 'vitest';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true });
});
afterEach(() => scene.end());

const day = 86_400;

function onRecord(coin: Outpoint) {
  return scene.node.store.ownCoins.all().find(({ outpoint }) => outpointKey(outpoint) === outpointKey(coin));
}

/** From now on the operator does not list this coin, and says of it what `told` makes of the truth. */
function deny(coin: Outpoint, change: (truth: Vtxo) => Vtxo[]): void {
  const arkade = scene.node.ports.arkade as { -readonly [name in keyof ArkadePort]: ArkadePort[name] };
  const { walletCoins, coinsAt } = { ...arkade };
  const isIt = ({ outpoint }: Vtxo): boolean => outpointKey(outpoint) === outpointKey(coin);
  arkade.walletCoins = async () => (await walletCoins()).filter((one) => !isIt(one));
  arkade.coinsAt = async (points) => (await coinsAt(points)).flatMap((one) => (isIt(one) ? change(one) : [one]));
}

/** A coin that a final transaction of ours took. */
let spentCoin: Vtxo;

const denials: readonly [string, (truth: Vtxo) => Vtxo[]][] = [
  ['spent by a transaction that is not ours', (truth) => [{ ...truth, spent: true, spentIn: 'ab'.repeat(32) }]],
  [
    'taken by a batch that is not ours',
    (truth) => [{ ...truth, spent: true, spentBy: 'ab'.repeat(32), settledBy: 'cd'.repeat(32) }],
  ],
  [
    'spent by a transaction of ours that took another one',
    (truth) => [{ ...truth, spent: true, spentIn: spentCoin.spentIn, spentBy: spentCoin.spentBy }],
  ],
  ['unknown', () => []],
];

test.each(denials)(
  'fault 56: a coin that the operator calls %s stays on record, and is ours once on the chain',
  async (_, change) => {
    const { world, node } = scene;
    scene.booksDiffer('the operator denies a coin to the end');
    const { record } = await lockLightningArkade(scene);
    const [lock] = node.store.transactions.of(record.id);
    spentCoin = (await node.ports.arkade!.coins(await node.ports.arkade!.walletScripts())).find(
      ({ spentIn }) => spentIn === lock?.txid,
    ) as Vtxo;
    const [coin] = await node.ports.arkade!.walletCoins();
    if (coin === undefined) throw new Error('the wallet is empty');
    await eventually(() => onRecord(coin.outpoint) !== undefined, 'it is on record');
    deny(coin.outpoint, change);
    await node.networks.refresh();
    await world.advance(day + 3_600);
    await node.networks.refresh();
    expect(onRecord(coin.outpoint)).toMatchObject({ unrolled: false });
    world.operator.faults.unroll(outpointKey(coin.outpoint));
    await world.mine(1);
    await world.advance(2 * 3_600);
    await eventually(() => onRecord(coin.outpoint)?.unrolled === true, 'it is known to lie on the chain');
  },
  30_000,
);

test('fault 56: a coin that went into a transaction or a batch of ours is on record no more', async () => {
  const { world, node } = scene;
  await eventually(() => node.store.ownCoins.all().length === 16, 'the coins are on record');
  await lockLightningArkade(scene);
  const old = world.faucet((await node.ports.arkade!.address()).address, 700_000n);
  await eventually(() => onRecord(old) !== undefined, 'it is on record');
  world.expire(old);
  await node.renewal.check();
  await eventually(async () => {
    const listed = new Set((await node.ports.arkade!.walletCoins()).map(({ outpoint }) => outpointKey(outpoint)));
    return (
      !listed.has(outpointKey(old)) &&
      node.store.ownCoins.all().every(({ outpoint }) => listed.has(outpointKey(outpoint)))
    );
  }, 'only what the wallet has is on record');
});
