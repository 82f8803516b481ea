import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hour } from '../../engine/domain/time.ts';
import { accepted } from '../support/bitcoin-wallet.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true, coins: { count: 2, sats: 100_000n } });
});
afterEach(() => scene.end());

/** Pairs that end on Arkade, with the most that they take. */
async function offered(): Promise<Record<string, number>> {
  const { pairs } = accepted(await scene.node.service.pairs());
  return Object.fromEntries(
    pairs.filter(({ target }) => target === 'Arkade').map(({ source, max_sats: most }) => [source, most]),
  );
}

const creates = () =>
  Promise.all(
    [
      scene.client.createLightningArkade(scene.node, 50_000n, scene.client.secret()),
      scene.client.createBitcoinArkade(scene.node, 50_000n, scene.client.secret()),
    ].map((created) =>
      created.then(
        () => 'created',
        (cause: Error) => cause.message,
      ),
    ),
  );

async function soonest(): Promise<number> {
  const coins = (await scene.node.ports.arkade?.walletCoins()) ?? [];
  return Math.min(...coins.map(({ expiresAt }) => expiresAt));
}

test('fault 80: all that is offered can be locked, to the last satoshi', async () => {
  const { Lightning: most = 0 } = await offered();
  // What is left of the coins has to be nothing, or an output that the operator takes.
  expect(most).toBe(200_000 - 330);
  const record = await scene.client.createLightningArkade(scene.node, BigInt(most), scene.client.secret());
  scene.world.pay(record.bolt11_invoice);
  await scene.node.until(record.id, 'locked');
});

describe.each([
  ['expire before a lock of theirs is over', -10 * hour],
  ['have expired', 60],
])('coins that %s', (_, from) => {
  test('fault 80: are offered to nobody, whatever was read of the wallet before', async () => {
    expect(Object.keys(await offered()).sort()).toEqual(['Bitcoin', 'Lightning']);
    await scene.world.advance((await soonest()) + from - scene.world.now());
    expect(await offered()).toEqual({});
    const refusals = await creates();
    expect(refusals).toEqual(Array(2).fill(expect.stringMatching(/liquidity|later/i)));
    expect(scene.node.store.reservations.totals()).toEqual(new Map());
  });
});
