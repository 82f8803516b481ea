import { expect, test, vi } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { day, hour, unix } from '../../../engine/domain/time.ts';
import { createConsolidation } from '../../../engine/service/wallet/consolidation.ts';
import { createFeeHistory } from '../../../engine/service/wallet/fee-history.ts';
import { bitcoinConsolidation } from '../../../engine/swap/jobs/consolidation-bitcoin.ts';
import { openStore, swapRow } from '../../store/support.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import { bitcoinScene, ours, type BitcoinScene, type SceneOptions } from './scene.ts';
import { clientPublic, scriptOf, termsOf } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

/** Two days of rates, of which a quarter are at most 4. */
function seenRates({ store, world }: BitcoinScene): void {
  const now = world.clock.now();
  store.settings.put(
    'bitcoin-fee-rates',
    Array.from({ length: 48 }, (_, i) => ({ at: now - (48 - i) * hour, rate: 4 + (i % 4) * 3 })),
  );
}

const jobsOf = ({ store }: BitcoinScene) =>
  store.swaps.page({ limit: 10, machine: bitcoinConsolidation.name }).map(({ id, at }) => ({ id, at }));
const amountsNow = async ({ wallet }: BitcoinScene) => (await wallet.balance([])).coins;

async function manyCoins(options: SceneOptions = {}) {
  const scene = await bitcoinScene(options);
  await scene.deposit(...Array.from({ length: 30 }, () => 20_000));
  seenRates(scene);
  const rules = { enabled: true, perDay: sats(20_000) };
  let rate: number | null = 4;
  const consolidation = createConsolidation({
    runtime: scene.runtime,
    rate: () => rate,
    rules: () => rules,
    everyMs: 1_000_000,
  });
  const asks = (now: number): void => {
    rate = now;
    scene.world.setFeeRate(now);
  };
  asks(4);
  return { scene, rules, consolidation, asks };
}

const sent = (scene: BitcoinScene): number => jobsOf(scene).filter(({ at }) => at === 'sending').length;

test('many small coins become one while fees are low, once, and what it cost is booked', async () => {
  const { scene, consolidation } = await manyCoins();
  await consolidation.check();
  await eventually(() => sent(scene) === 1, 'it is sent');
  await consolidation.check();
  scene.world.mine(6);
  await eventually(() => jobsOf(scene)[0]?.at === 'sent', 'it is buried');
  await consolidation.check();
  const [job] = jobsOf(scene);
  const coins = await amountsNow(scene);
  const [line] = scene.store.ledger.of(job?.id ?? '');
  expect([jobsOf(scene).length, coins.length, line?.kind]).toEqual([1, 12, 'consolidation-fee-paid']);
  expect(coins.reduce((all, one) => all + one, 0n)).toBe(600_000n + (line?.amount ?? 0n) / 1_000n);
});

test('nothing is consolidated while fees are high, unknown to be low, switched off or spent for today', async () => {
  const { scene, rules, consolidation, asks } = await manyCoins();
  asks(5);
  await consolidation.check();
  asks(4);
  rules.enabled = false;
  await consolidation.check();
  rules.enabled = true;
  scene.store.ledger.write('yesterday', scene.world.clock.now() - day + 60, 'consolidation-fee-paid', {
    network: 'bitcoin',
    asset: 'btc',
    amount: -20_000_000n,
  });
  await consolidation.check();
  expect(jobsOf(scene)).toEqual([]);
  rules.perDay = sats(30_000);
  scene.store.settings.remove('bitcoin-fee-rates');
  await consolidation.check();
  expect(jobsOf(scene)).toEqual([]);
  seenRates(scene);
  await consolidation.check();
  await eventually(() => sent(scene) === 1, 'it is sent');
});

test('it makes way where fees rose meanwhile, and where a funding waits for coins', async () => {
  const { scene, consolidation, asks } = await manyCoins();
  asks(4);
  scene.world.setFeeRate(9);
  await consolidation.check();
  await eventually(() => jobsOf(scene)[0]?.at === 'failed', 'it is left for another day');
  asks(4);
  scene.store.settings.remove('bitcoin-consolidation-begun');
  const terms = termsOf(clientPublic, ours, scene.world.tip().mtp + 6 * hour);
  scene.store.effects.insert(
    swapRow({ id: 'b0000000-0000-4000-8000-000000000001' }).id,
    {
      do: 'htlc.fund',
      script: scriptOf(terms),
      amount: sats(60_000),
      mostFee: sats(5_000),
      lockBefore: unix(terms.refundLocktime - 2 * 3_600),
      scriptSince: 0,
    },
    0,
  );
  await consolidation.check();
  await eventually(() => jobsOf(scene).every(({ at }) => at === 'failed'), 'it makes way');
  expect([jobsOf(scene).length, scene.store.transactions.reservedCoins()]).toEqual([2, []]);
});

test('dead at any call of the chain, it sends what was prepared or begins anew, and spends no coin twice', async () => {
  const images: string[] = [];
  let scene: BitcoinScene | null = null;
  const watched = (port: BitcoinPort): Partial<BitcoinPort> =>
    Object.fromEntries(
      (['tip', 'spend', 'transaction', 'broadcast', 'feeRate', 'coins'] as const).map((call) => [
        call,
        async (...args: unknown[]) => {
          if (scene !== null && jobsOf(scene).length > 0 && images.length < 40) images.push(scene.image());
          return (port[call] as (...all: unknown[]) => unknown)(...args);
        },
      ]),
    );
  const opened = await manyCoins({ lying: watched });
  const { world } = opened.scene;
  scene = opened.scene;
  await opened.consolidation.check();
  await eventually(() => world.mempool().length === 1, 'it is sent');
  await opened.scene.stop();
  const every = Math.max(1, Math.floor(images.length / 4));
  const lives: unknown[] = [];
  const states = new Set<string>();
  for (const folder of images.filter((_, i) => i % every === 0 || i === images.length - 1)) {
    for (const { tx } of world.mempool()) world.evict(tx.txid);
    const next = await bitcoinScene({ world, folder });
    const [job] = jobsOf(next);
    const prepared = next.store.transactions.of(job?.id ?? '').map(({ txid }) => txid);
    states.add(job?.at ?? 'none');
    await eventually(() => world.mempool().length === 1, 'it is sent by the next life');
    const txid = world.mempool()[0]?.tx.txid ?? '';
    const promised = next.store.transactions.reservedCoins().length;
    world.mine(6);
    await eventually(() => jobsOf(next)[0]?.at === 'sent', 'it is buried');
    const fees = next.store.ledger.of(job?.id ?? '').map(({ amount }) => amount / 1_000n);
    const coins = await amountsNow(next);
    lives.push({
      isTheSame: prepared.length === 0 || prepared.join() === txid,
      promised,
      lines: fees.length,
      coins: coins.length,
      balances: coins.reduce((all, one) => all + one, 0n) === 600_000n + (fees[0] ?? 0n),
      reserved: next.store.transactions.reservedCoins(),
    });
    await next.stop();
    world.reorg(6, [txid]);
  }
  const once = { isTheSame: true, promised: 19, lines: 1, coins: 12, balances: true, reserved: [] };
  expect(lives).toEqual(lives.map(() => once));
  expect([...states].sort()).toEqual(['choosing', 'sending']);
});

test('rates are kept once an hour for two weeks, also after a clock that was ahead', () => {
  const { store } = openStore();
  const start = 1_700_000_000;
  const history = createFeeHistory(store);
  for (let i = 0; i < 20 * 24 * 4; i++) history.note(1 + (i % 8), unix(start + i * 900));
  const rates = store.settings.get<readonly unknown[]>('bitcoin-fee-rates') ?? [];
  expect([rates.length <= 14 * 24, createFeeHistory(store).low()]).toEqual([true, history.low()]);
  history.note(3, unix(start + 100 * day));
  history.note(7, unix(start + 20 * day));
  expect(store.settings.get('bitcoin-fee-rates')).toContainEqual({ at: start + 20 * day, rate: 7 });
});
