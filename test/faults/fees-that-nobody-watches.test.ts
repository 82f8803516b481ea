import { afterEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { day } from '../../engine/domain/time.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import { readTx } from '../../engine/legs/psbt.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { alertName } from '../../engine/runtime/alert-names.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';

let scene: Scene | null = null;
afterEach(async () => {
  await scene?.end();
  scene = null;
});

/** The sandbox operator's coins live for seven days; they are renewed in the last third of them. */
const life = 604_672;
const window = Math.floor(life / 3);

/** A node with coins of these amounts, this long before they expire, and an operator that asks for its batches. */
async function wallet(
  count: number,
  sats: bigint,
  left: number,
  fee: { input?: string; output?: string },
): Promise<Scene> {
  scene = await openScene({ coins: { count, sats } });
  ask(scene, fee);
  await scene.world.advance(life - left);
  return scene;
}

function ask({ world }: Scene, { input = '', output = '' }: { input?: string; output?: string }): void {
  world.operator.configure({
    intentFee: { offchainInput: input, offchainOutput: output, onchainInput: '', onchainOutput: '' },
  });
}

/** Each with its name before it. */
function alertsOf({ node }: Scene): string[] {
  const alerts: string[] = [];
  node.runtime.onAlert(({ swap, sentence }) => void alerts.push(`${alertName(swap, sentence)}: ${sentence}`));
  return alerts;
}

function booked({ node }: Scene): [string, string | null, string][] {
  const ledger = node.service.owner.ledger({ from: null, to: null, pair: null, format: 'json', cursor: null });
  if (isRefusal(ledger) || ledger instanceof Promise) throw new Error('the ledger was not told');
  return ledger.rows.map(({ kind, swap_id: swap, amount }) => [kind, swap, amount]);
}

function arkadeDetail({ node }: Scene): string {
  const status = node.service.owner.status();
  if (isRefusal(status) || status instanceof Promise) throw new Error('the status was not told');
  return status.networks.find(({ name }) => name === 'arkade')?.detail ?? '';
}

test('fault 48: a renewal for nine tenths of the wallet is left to the owner, who is told once', async () => {
  const { node, walletTotal } = await wallet(2, 1_000_000n, window - 600, { input: 'amount * 0.9' });
  const alerts = alertsOf(scene!);
  await node.renewal.check();
  await node.renewal.check();
  expect([await walletTotal(), booked(scene!)]).toEqual([2_000_000n, []]);
  expect(alerts).toEqual([
    expect.stringMatching(
      /^coins-not-renewed: 2 coins of 2000000 sats on Arkade are not renewed: the operator asks 900000 sats, above the ceiling.*ceilings\.renewalBps/,
    ),
  ]);
  expect(arkadeDetail(scene!)).toContain('2 coins of 2000000 sats');
  await node.service.owner.changeSettings({ ceilings: { renewalBps: 9_000, renewalMonthBps: 9_000 } });
  await node.renewal.check();
  expect([await walletTotal(), booked(scene!)]).toEqual([200_000n, [['renewal-fee-paid', null, '-1800000']]]);
  expect(arkadeDetail(scene!)).not.toContain('2000000 sats');
});

test('fault 109: a wall that was set back by a day keeps the owner from being told again no longer', async () => {
  let skew = 0;
  scene = await openScene({ coins: { count: 2, sats: 1_000_000n }, skew: () => skew });
  ask(scene, { input: 'amount * 0.9' });
  await scene.world.advance(life - 1_200);
  const alerts = alertsOf(scene);
  await scene.node.renewal.check();
  skew = -600;
  await scene.node.renewal.check();
  const early = alerts.length;
  skew = -day - 600;
  await scene.node.renewal.check();
  expect([early, alerts.length]).toEqual([1, 2]);
});

test('fault 48: an ordinary fee is paid, and booked under the renewal', async () => {
  const { node, walletTotal } = await wallet(2, 1_000_000n, window - 600, { input: '900.0', output: '100.0' });
  const alerts = alertsOf(scene!);
  await node.renewal.check();
  expect([await walletTotal(), booked(scene!), alerts]).toEqual([
    1_998_100n,
    [['renewal-fee-paid', null, '-1900']],
    [],
  ]);
});

test('fault 48: a coin that is dear for its size is left out, the others go', async () => {
  scene = await openScene({ coins: { count: 2, sats: 1_000_000n } });
  const { address } = await scene.node.ports.arkade!.address();
  scene.world.faucet(address, 20_000n);
  ask(scene, { input: '600.0' });
  await scene.world.advance(life - window + 600);
  await scene.node.renewal.check();
  const coins = await scene.node.ports.arkade!.walletCoins();
  expect([coins.map(({ amount }) => amount).sort(), booked(scene)]).toEqual([
    [1_998_800n, 20_000n],
    [['renewal-fee-paid', null, '-1200']],
  ]);
});

test.each([
  ['two per cent wait in the first half of the window', window - 600, 'amount * 0.02', 1_000_000n, /not renewed/],
  [
    'two per cent are paid in the second half, with an alert',
    window / 2 - 600,
    'amount * 0.02',
    980_000n,
    /^renewal-dear: .* cost 20000 sats, more than ceilings\.renewalBps/,
  ],
  ['a third waits in the second half', window / 2 - 600, 'amount * 0.3', 1_000_000n, /not renewed/],
  [
    'a third is paid in the last hours, with an alert',
    11 * 3_600,
    'amount * 0.3',
    700_000n,
    /^renewal-dear: .* cost 300000 sats/,
  ],
  ['more than half is never paid', 600, 'amount * 0.51', 1_000_000n, /not renewed/],
])('fault 48: %s', async (_, left, input, total, alert) => {
  const { node, walletTotal } = await wallet(1, 1_000_000n, Math.floor(left), { input });
  const alerts = alertsOf(scene!);
  await node.service.owner.changeSettings({ ceilings: { renewalMonthBps: 200 } });
  await node.renewal.check();
  expect([await walletTotal(), alerts]).toEqual([total, [expect.stringMatching(alert)]]);
});

test("fault 48: renewals of thirty days cost a hundredth of the wallet, save in a coin's last hours", async () => {
  await wallet(1, 1_000_000n, window - 600, { input: '1900.0' });
  const totals: bigint[] = [];
  for (let i = 0; i < 5; i++) {
    await scene!.node.renewal.check();
    totals.push(await scene!.walletTotal());
    await scene!.restart();
    await scene!.world.advance(life - window + 600);
  }
  const alerts = alertsOf(scene!);
  await scene!.node.renewal.check();
  totals.push(await scene!.walletTotal());
  await scene!.world.advance(window - 1_200 - 11 * 3_600);
  await scene!.node.renewal.check();
  totals.push(await scene!.walletTotal());
  // The fifth makes 9,500 of about 9,900; a sixth would not fit.
  expect([totals, alerts]).toEqual([
    [998_100n, 996_200n, 994_300n, 992_400n, 990_500n, 990_500n, 988_600n],
    [expect.stringMatching(/ceilings\.renewalMonthBps/)],
  ]);
});

test.each([
  ['raised', '100.0', '400.0', 999_600n],
  ['lowered', '400.0', '100.0', 999_900n],
])(
  'fault 48: a fee that the operator %s since it was read is read again, and not overpaid',
  async (_, before, now, total) => {
    const { node, walletTotal } = await wallet(1, 1_000_000n, window - 600, { input: before });
    await node.ports.arkade!.info();
    ask(scene!, { input: now });
    await node.renewal.check();
    expect(await walletTotal()).toBe(total);
  },
);

test('fault 48: a fee raised between the reading and the intent is judged again', async () => {
  let raise = (): void => undefined;
  scene = await openScene({
    coins: { count: 1, sats: 1_000_000n },
    onBoundary: (what, moment) => {
      if (what === 'ark.registerIntent' && moment === 'before') raise();
    },
  });
  ask(scene, { input: '100.0' });
  await scene.world.advance(life - window + 600);
  let questions = 0;
  raise = () => {
    if (++questions === 1) ask(scene!, { input: 'amount * 0.5' });
  };
  await scene.node.renewal.check();
  expect([questions, await scene.walletTotal(), booked(scene)]).toEqual([1, 1_000_000n, []]);
});

/** Two coins in a batch whose end the node does not live to see, at a fee of 300 each. */
async function unseenBatch(): Promise<void> {
  let die = false;
  scene = await openScene({
    coins: { count: 2, sats: 1_000_000n },
    onBoundary: (what, moment) => {
      if (die && what === 'ark.submitSignedForfeitTxs' && moment === 'after') {
        die = false;
        void scene?.node.kill();
      }
    },
  });
  ask(scene, { input: '300.0' });
  await scene.world.advance(life - window + 600);
  die = true;
  await scene.node.renewal.check();
  await new Promise((resolve) => setTimeout(resolve, 500));
}

test('fault 48: what a renewal cost is booked once, although the node died before its batch ended', async () => {
  await unseenBatch();
  await scene!.restart({});
  await scene!.node.renewal.check();
  await scene!.node.renewal.check();
  expect([await scene!.walletTotal(), booked(scene!)]).toEqual([1_999_400n, [['renewal-fee-paid', null, '-600']]]);
});

test('fault 48: what a renewal cost is booked although another one was begun before its end showed', async () => {
  await unseenBatch();
  await scene!.restart({});
  const { node, world } = scene!;
  const arkade = node.ports.arkade as { -readonly [name in keyof ArkadePort]: ArkadePort[name] };
  const { coins, coinsAt } = arkade;
  // The operator's index lags: what the batch took shows as it was.
  const before = (listed: Vtxo[]): Vtxo[] => listed.map((coin) => ({ ...coin, spent: false, settledBy: null }));
  arkade.coins = async (scripts) => before(await coins(scripts));
  arkade.coinsAt = async (points) => before(await coinsAt(points));
  const { address } = await arkade.address();
  world.expire(world.faucet(address, 500_000n));
  await node.renewal.check();
  const first = booked(scene!);
  Object.assign(arkade, { coins, coinsAt });
  await node.renewal.check();
  await node.renewal.check();
  const fees = booked(scene!).map(([, , amount]) => Number(amount));
  expect([first.length, fees.sort(), await scene!.walletTotal()]).toEqual([1, [-300, -600], 2_500_000n - 900n]);
});

test('fault 48: of two renewals begun with one coin, the cost of the one that was made is booked once', async () => {
  await unseenBatch();
  await scene!.restart({});
  const [first] = [
    scene!.node.store.settings.get<{ id: string; fee: bigint; coins: string[] }[]>('renewal-begun'),
  ].flat();
  if (first === undefined || first === null) throw new Error('nothing was begun');
  scene!.node.store.settings.put('renewal-begun', [
    { ...first, id: 'one of them', coins: first.coins.slice(1), fee: 900n },
    first,
    { ...first, id: 'another one', coins: ['ab'.repeat(32) + ':0'], fee: 1n },
  ]);
  await scene!.node.renewal.check();
  await scene!.node.renewal.check();
  expect([booked(scene!), scene!.node.store.settings.get<unknown[]>('renewal-begun')?.length]).toEqual([
    [['renewal-fee-paid', null, '-600']],
    1,
  ]);
});

test('fault 48: what a renewal cost is booked although the operator signs by another key since', async () => {
  await unseenBatch();
  scene!.world.operator.rotateSigner(2 * 86_400);
  await scene!.restart({});
  const { settings } = scene!.node.store;
  const [begun] = [settings.get<{ id: string }>('renewal-begun')].flat();
  settings.put('renewal-begun', begun);
  await scene!.node.ports.arkade!.info();
  await scene!.node.renewal.check();
  expect(booked(scene!)).toContainEqual(['renewal-fee-paid', null, '-600']);
});

/** A payout that settles once the client's coin cannot be claimed any more by an ordinary transaction. */
async function owedCoin(befalls: (scene: Scene, coin: Outpoint) => void): Promise<{ id: string; coin: Outpoint }> {
  scene = await openScene();
  const { bolt11, hash } = scene.world.invoice(100_000n, { hold: true });
  const { id, arkade_vhtlc_address } = await scene.client.createArkadeLightning(scene.node, bolt11, 100_000n);
  const coin = scene.world.faucet(arkade_vhtlc_address, price);
  await scene.node.until(id, 'paying');
  befalls(scene, coin);
  scene.world.lightning.release(toHex(hash), 'settles');
  await scene.node.until(id, 'claiming');
  return { id, coin };
}

/** How long the client's lock holds, in seconds. */
function leg(id: string): number {
  const row = scene?.node.runtime.workingSet.find(id)?.row;
  return row === undefined
    ? 0
    : (row.terms as { vhtlc: { refundLocktime: number } }).vhtlc.refundLocktime - row.createdAt;
}

function flagOf(id: string): string | null {
  return scene?.node.runtime.workingSet.find(id)?.row.flag ?? null;
}

test('fault 48: a claim that only a batch can make costs half at most, more in its last quarter', async () => {
  const { id } = await owedCoin((on, coin) => {
    on.world.expire(coin);
    ask(on, { input: 'amount * 0.6' });
  });
  await eventually(() => flagOf(id)?.includes('ceilings.claimBps') === true, 'the owner is told');
  const early = scene!.node.at(id);
  await scene!.world.advance(Math.floor(leg(id) * 0.8));
  await scene!.restart();
  await scene!.node.until(id, 'claimed');
  expect([early, booked(scene!).filter(([kind]) => kind === 'operator-fee-paid')]).toEqual([
    'claiming',
    [['operator-fee-paid', id, '-60156']],
  ]);
});

test('fault 48: the owner may let a claim through a batch cost more', async () => {
  const { id } = await owedCoin((on, coin) => {
    on.world.expire(coin);
    ask(on, { input: 'amount * 0.6' });
  });
  await eventually(() => flagOf(id) !== null, 'the owner is told');
  expect(alertName(id, flagOf(id) ?? '')).toBe('act-repeated');
  await scene!.restart({ config: { ceilings: { claimBps: 7_000 } } });
  await scene!.node.until(id, 'claimed');
});

test('fault 48: our own lock comes back through a batch for half at most', async () => {
  scene = await openScene();
  const { world } = scene;
  const { record, secret, coin } = await lockLightningArkade(scene!);
  world.expire(coin!.outpoint);
  ask(scene, { input: 'amount * 0.6' });
  await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
  await eventually(() => flagOf(record.id)?.includes('ceilings.claimBps') === true, 'the owner is told');
  ask(scene, { input: '500.0' });
  await scene.restart();
  await scene.node.until(record.id, 'refunded');
  expect([world.paid(sha256Of(secret)), booked(scene).filter(([kind]) => kind === 'operator-fee-paid')]).toEqual([
    'failed',
    [['operator-fee-paid', record.id, '-500']],
  ]);
});

/** What the transaction that spends a coin on the chain now leaves of it. */
function leftOf(coin: Outpoint): bigint | null {
  const { bitcoin } = scene!.world;
  const spend = bitcoin.spend(coin);
  const bytes = spend && bitcoin.transaction(spend.txid)?.tx.bytes;
  return (bytes && readTx(bytes)?.getOutput(0).amount) ?? null;
}

async function owedOnChain(): Promise<{ coin: Outpoint; wayBack: number }> {
  const { id, coin } = await owedCoin((on, ours) => {
    on.world.operator.faults.unroll(outpointKey(ours));
    on.world.bitcoin.mine(1);
  });
  const { vhtlc } = scene!.node.runtime.workingSet.find(id)?.row.terms as {
    vhtlc: { claimDelay: number; refundWithoutReceiverDelay: number };
  };
  await scene!.world.advance(vhtlc.claimDelay + 600);
  return { coin, wayBack: vhtlc.refundWithoutReceiverDelay };
}

test('fault 30: a claim on the chain pays half of the coin at most, and all of it before it is lost', async () => {
  const { coin, wayBack } = await owedOnChain();
  await eventually(() => (leftOf(coin) ?? 0n) > price - 500n, 'it is claimed at one sat per virtual byte');
  scene!.world.bitcoin.setFeeRate(50);
  await eventually(() => (leftOf(coin) ?? price) < price - 7_000n, 'it pays fifty');
  scene!.world.bitcoin.setFeeRate(450);
  await eventually(() => leftOf(coin) === price / 2n, 'it pays half of the coin');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const capped = leftOf(coin);
  await scene!.world.advance(Math.floor(wayBack * 0.8));
  await eventually(() => (leftOf(coin) ?? price) < price / 2n - 10_000n, 'it pays what the chain asks');
  expect(capped).toBe(price / 2n);
});

test('fault 45: a claim on the chain is late by the Lightning node where its source stands still', async () => {
  const { coin, wayBack } = await owedOnChain();
  const real = createBitcoinPort(scene!.world.bitcoin, undefined, scene!.world.estimates);
  let frozen: Awaited<ReturnType<typeof real.tip>> | null = null;
  await scene!.restart({ bitcoin: { ...real, tip: async () => frozen ?? real.tip() } });
  scene!.world.bitcoin.setFeeRate(450);
  await eventually(() => leftOf(coin) === price / 2n, 'it pays half of the coin');
  frozen = await real.tip();
  const blocks = 40;
  for (let i = 0; i < blocks; i++) {
    await scene!.world.pass(Math.floor((wayBack * 0.85) / blocks));
    await scene!.world.mine(1);
  }
  await eventually(() => (leftOf(coin) ?? price) < price / 2n - 10_000n, 'it pays what the chain asks');
});

test('fault 59: a fee said ten thousand times too high counts as three times what another one says', async () => {
  const { coin } = await owedOnChain();
  await eventually(() => leftOf(coin) !== null, 'it is claimed');
  Object.assign(scene!.world.estimates, { first: 10_000, second: 1 });
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(leftOf(coin)).toBeGreaterThan(price - 1_000n);
});
