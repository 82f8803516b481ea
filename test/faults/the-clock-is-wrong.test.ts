import { afterEach, expect, test, vi } from 'vitest';
import { furthest } from '../../engine/domain/time.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import { alertName } from '../../engine/runtime/alert-names.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import type { ArkadeLightningTerms } from '../../engine/swap/directions/arkade-lightning.ts';
import { lockLightningArkade, payArkadeLightning } from '../support/openings.ts';
import { openScene, price, type Scene } from '../support/scene.ts';
import { onchainFailure } from '../../engine/legs/onchain/failures.ts';

const hour = 3_600;

let scene: Scene | null = null;
afterEach(async () => {
  await scene?.end();
  scene = null;
});

/** Blocks come one by one, at this speed, until it is so. */
async function blocksUntil({ world }: Scene, everySeconds: number, so: () => boolean): Promise<void> {
  for (let blocks = 0; !so(); blocks++) {
    if (blocks > 2_000) throw new Error('it never came to this');
    await world.pass(everySeconds);
    await world.mine(1);
  }
}

test.each([
  [14, 600],
  [24, 450],
  [24, 750],
])(
  'fault 45: with the wall %i h ahead and blocks every %i s, the VHTLC is back before lnd gives up',
  async (hours, speed) => {
    scene = await openScene({ skew: () => hours * hour });
    const { client, node, world } = scene;
    const { record: swap, secret } = await lockLightningArkade(scene!, 50_000n);
    const invoice = () => world.lightning.invoice('node', swap.hash_lock.slice(2))?.state;
    await blocksUntil(
      scene,
      speed,
      () => invoice() !== 'accepted' || world.bitcoin.clock.mtp() > swap.vhtlc_refund_locktime,
    );
    // What was held goes back in the same moment as our VHTLC is back.
    const isHeld = invoice() === 'accepted' || node.at(swap.id) === 'returned';
    expect([isHeld, world.bitcoin.clock.mtp() > swap.vhtlc_refund_locktime]).toEqual([true, true]);
    await node.until(swap.id, 'refunded');
    await expect(client.claim(swap, secret)).rejects.toThrow();
    expect([await scene.clientTotal(), scene.lightning()]).toEqual([0n, 0n]);
  },
);

test.each([0, -1.9, 2.9, 14, 24])(
  'fault 45: with the wall wrong by %d h and slow blocks, a payment ends before the refund opens',
  async (hours) => {
    scene = await openScene({ skew: () => Math.round(hours * hour) });
    const { client, node, world } = scene;
    const { bolt11 } = world.invoice(100_000n, { hold: true, expirySeconds: 30 * 24 * hour });
    const swap = await client.createArkadeLightning(node, bolt11, 100_000n);
    const { maxTimeoutHeight } = node.store.swaps.byId(swap.id)?.terms as ArkadeLightningTerms;
    const blocks = maxTimeoutHeight - world.bitcoin.clock.height();
    expect(world.now() + blocks * defaultPolicy.slowBlock + defaultPolicy.margin).toBeLessThanOrEqual(
      swap.vhtlc_refund_locktime,
    );
    world.faucet(swap.arkade_vhtlc_address, price);
    await node.until(swap.id, 'paying');
  },
);

test('fault 45: a wall that leaps while a VHTLC is out neither refunds it early nor gives it away', async () => {
  let wrong = 0;
  scene = await openScene({ skew: () => wrong });
  const { node, world } = scene;
  const { record: swap } = await lockLightningArkade(scene!, 50_000n);
  for (const leap of [14 * hour, 400 * 24 * hour, -12 * hour, -400 * 24 * hour]) {
    wrong = leap;
    await world.pass(1);
    await node.runtime.wake();
    expect(node.at(swap.id)).toBe('locked');
  }
  await world.advance(12 * hour + 60);
  await node.until(swap.id, 'refunded');
});

test.each([-3_000, -130, 5, 3_000])(
  'fault 45: with the wall wrong by %i s, coins are renewed before they expire',
  async (seconds) => {
    scene = await openScene({ skew: () => seconds, coins: { count: 2, sats: 1_000_000n } });
    const { node, world } = scene;
    await world.advance(6 * 24 * hour);
    await node.renewal.check();
    const coins = (await node.ports.arkade!.walletCoins()).filter(({ spent }) => !spent);
    expect(coins.map(({ expiresAt }) => expiresAt > world.now() + 6 * 24 * hour)).toEqual([true]);
  },
);

/** What every network with real money has: a limit to how far median time past may trail. */
const strict = { timing: { medianTimeLagSeconds: 3 * hour } };

test('fault 45: a wall beyond the expiry of every coin keeps none from being claimed or locked', async () => {
  let wrong = 0;
  scene = await openScene({ skew: () => wrong, config: strict });
  const { client, node, world } = scene;
  const { record: paid, release } = await payArkadeLightning(scene!, { expirySeconds: 30 * 24 * hour });
  const held = await client.createLightningArkade(node, 50_000n, client.secret());
  wrong = 400 * 24 * hour;
  await world.pass(1);
  release('settles');
  await node.until(paid.id, 'claimed');
  world.pay(held.bolt11_invoice);
  await node.renewal.check();
  expect((await node.ports.arkade!.balance([])).recoverable).toBe(0n);
});

test('fault 45: of a source that stands still the owner is told, and nothing new begins meanwhile', async () => {
  scene = await openScene();
  const real = createBitcoinPort(scene.world.bitcoin, undefined, scene.world.estimates);
  let frozen: Awaited<ReturnType<typeof real.tip>> | null = null;
  await scene.restart({ bitcoin: { ...real, tip: async () => frozen ?? real.tip() } });
  const { client, node, world } = scene;
  const alerts: string[] = [];
  node.runtime.onAlert(({ sentence }) => void alerts.push(`${alertName(null, sentence)}: ${sentence}`));
  const ask = () =>
    client.createArkadeLightning(node, world.invoice(100_000n).bolt11, 100_000n).then(
      ({ status }) => status,
      (cause: Error) => cause.message,
    );
  frozen = await real.tip();
  await world.mine(3);
  const inPassing = [await ask(), ...alerts];
  await world.mine(1);
  await node.networks.refresh();
  const behind = await ask();
  frozen = null;
  await node.networks.refresh();
  expect([inPassing, behind, alerts, await ask()]).toEqual([
    ['pending'],
    'New swaps over Bitcoin wait: its source is behind the chain. Try again later.',
    [
      expect.stringMatching(
        /^bitcoin-source-stands-still: The Bitcoin source is at height \d+ and the Lightning node at \d+: the source stands still/,
      ),
    ],
    'pending',
  ]);
});

/** The node on one Bitcoin source, which answers and stands still while it is told to. */
async function onFrozenSource(): Promise<{ freeze(): Promise<void>; leave(): void }> {
  scene = await openScene();
  const real = createBitcoinPort(scene.world.bitcoin, undefined, scene.world.estimates);
  let frozen: Awaited<ReturnType<typeof real.tip>> | null = null;
  let away = false;
  async function tip(): ReturnType<typeof real.tip> {
    if (away) throw onchainFailure('bitcoin-away', 'safe', 'nobody answers');
    return frozen ?? real.tip();
  }
  await scene.restart({ bitcoin: { ...real, tip } });
  return {
    freeze: async () => void (frozen = await real.tip()),
    leave: () => void (away = true),
  };
}

test.each([450, 600, 750])(
  'fault 45: with its source standing still, blocks every %i s, the VHTLC is back before lnd gives up',
  async (speed) => {
    const source = await onFrozenSource();
    const { client, node, world } = scene!;
    const { record: swap, secret } = await lockLightningArkade(scene!, 50_000n);
    await source.freeze();
    const invoice = () => world.lightning.invoice('node', swap.hash_lock.slice(2))?.state;
    await blocksUntil(scene!, speed, () => {
      if (world.bitcoin.clock.mtp() <= swap.vhtlc_refund_locktime) expect(node.at(swap.id)).toBe('locked');
      return invoice() !== 'accepted' || world.bitcoin.clock.mtp() > swap.vhtlc_refund_locktime;
    });
    expect(invoice()).toBe('accepted');
    await node.until(swap.id, 'refunded');
    await expect(client.claim(swap, secret)).rejects.toThrow();
    expect([await scene!.clientTotal(), scene!.lightning()]).toEqual([0n, 0n]);
  },
);

test('fault 45: with its source away for longer than it is believed, the VHTLC is back all the same', async () => {
  const source = await onFrozenSource();
  const { node, world } = scene!;
  const { record: swap } = await lockLightningArkade(scene!, 50_000n);
  source.leave();
  await blocksUntil(scene!, 600, () => world.bitcoin.clock.mtp() > swap.vhtlc_refund_locktime);
  expect(node.runtime.clock.now()).toMatchObject({
    bitcoin: { mtp: null, height: null, ahead: { mtp: world.bitcoin.clock.mtp() } },
  });
  await node.until(swap.id, 'refunded');
});

test('fault 45: beside a source that stands still a Lightning node that lags makes no refund early', async () => {
  const source = await onFrozenSource();
  const { node, world } = scene!;
  const { record: swap } = await lockLightningArkade(scene!, 50_000n);
  await source.freeze();
  world.lagLightning(10);
  await blocksUntil(scene!, 600, () => {
    expect([furthest(node.runtime.clock.now().bitcoin).mtp! <= world.bitcoin.clock.mtp(), node.at(swap.id)]).toEqual([
      true,
      'locked',
    ]);
    return world.bitcoin.clock.mtp() + 600 > swap.vhtlc_refund_locktime;
  });
});

test('fault 45: a Lightning node that dates blocks two hours ahead ends no claim before the locktime', async () => {
  const source = await onFrozenSource();
  const { client, node, world } = scene!;
  const { record: swap, secret } = await lockLightningArkade(scene!, 50_000n);
  await source.freeze();
  const { clock } = world.lightning;
  const { tipTime } = clock;
  const lie = vi.spyOn(clock, 'tipTime').mockImplementation(() => tipTime() + 2 * hour);
  await blocksUntil(scene!, 600, () => world.bitcoin.clock.mtp() + 600 > swap.vhtlc_refund_locktime);
  lie.mockRestore();
  expect(furthest(node.runtime.clock.now().bitcoin).mtp).toBeGreaterThan(swap.vhtlc_refund_locktime);
  await node.until(swap.id, 'refunding');
  await client.claim(swap, secret);
  await node.until(swap.id, 'claimed');
});

test('a clock that is too far from the chain is told of once, as what it is, while nothing new begins', async () => {
  let wrong = 0;
  scene = await openScene({ skew: () => wrong, config: { timing: { medianTimeLagSeconds: 10_800 } } });
  const { node, world } = scene;
  const alerts: string[] = [];
  node.runtime.onAlert(({ sentence }) => void alerts.push(alertName(null, sentence)));
  wrong = 24 * hour;
  for (let looks = 0; looks < 2; looks++) {
    await world.mine(1);
    await node.networks.refresh();
  }
  expect([alerts, node.networks.closed('bitcoin') === null]).toEqual([['bitcoin-clock'], false]);
});
