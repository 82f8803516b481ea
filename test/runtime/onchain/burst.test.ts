import { expect, test, vi } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { unix, type Unix } from '../../../engine/domain/time.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import { feeReserve } from '../../../engine/quote/ceilings.ts';
import { swapRow } from '../../store/support.ts';
import { commitsIn } from '../../support/commits.ts';
import { bitcoinScene, newWorld, ours, swapKey, type BitcoinScene } from './scene.ts';
import { clientPublic, scriptOf, termsOf } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

const mostFee = sats(5_000);

/** The funding of an HTLC of its own: each has another refund locktime. */
function fundOf({ world }: BitcoinScene, i: number, lockBefore: Unix, of = 60_000): Effect {
  const script = scriptOf(termsOf(clientPublic, ours, world.tip().mtp + 6 * 3_600 + i));
  return { do: 'htlc.fund', script, amount: sats(of), mostFee, lockBefore, scriptSince: 0 };
}

const later = ({ world }: BitcoinScene, seconds = 4 * 3_600): Unix => unix(world.tip().mtp + seconds);
const isSent = (scene: BitcoinScene, id: string): boolean => scene.rows(id).some(({ state }) => state === 'accepted');

test('twenty fundings at once from one large coin take two blocks, and none is refused', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(20_000_000);
  const ids = Array.from({ length: 20 }, (_, i) => scene.open({}, [fundOf(scene, i, later(scene))]));
  const sent = () => ids.filter((id) => isSent(scene, id));
  await eventually(() => sent().length > 0, 'the first is sent');
  const waits = (id: string) => scene.store.journal.of(id).some(({ event }) => event.includes('waits for a block'));
  await eventually(() => ids.every((id) => isSent(scene, id) || waits(id)), 'the others say for what they wait');
  const alone = sent().length;
  scene.world.mine(1);
  await eventually(() => sent().length === ids.length, 'all are sent');
  const spent = ids.flatMap((id) => scene.payment(id).coins.map(({ outpoint }) => `${outpoint.txid}:${outpoint.vout}`));
  expect([alone, new Set(spent).size]).toEqual([1, spent.length]);
  // Each of them keeps what may push it.
  expect(ids.every((id) => (scene.payment(id).change?.amount ?? 0n) >= feeReserve)).toBe(true);
  scene.world.mine(6);
  await eventually(() => ids.every((id) => scene.at(id) === 'over: onchain.final'), 'all are buried');
});

test('a funding without coins that could come is refused at once', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(60_000);
  const id = scene.open({}, [fundOf(scene, 0, later(scene))]);
  await eventually(() => scene.at(id) === 'over: htlc.refused', 'it is refused');
});

test('coins that come too late fund nothing', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const first = scene.open({}, [fundOf(scene, 0, later(scene))]);
  await eventually(() => isSent(scene, first), 'it is sent');
  const second = scene.open({}, [fundOf(scene, 1, later(scene, 0))]);
  await eventually(
    () => scene.store.journal.of(second).some(({ event }) => event.includes('waits for a block')),
    'it waits for the change',
  );
  scene.world.mine(1);
  await eventually(() => scene.at(second) === 'over: htlc.refused', 'it is too late');
  expect(scene.heard(second, 'htlc.refused')[0]?.reason).toMatch(/too little time/);
  expect(scene.rows(second)).toEqual([]);
});

test('a funding leaves what is kept for the fees of what is open, and says so where nothing else is left', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(30_000, 100_000);
  const open = { machine: 'evm-bitcoin', status: 'serverfunded' } as const;
  scene.store.swaps.insert(swapRow({ id: 'b0000000-0000-4000-8000-000000000001', ...open }));
  const poor = scene.open({}, [fundOf(scene, 0, later(scene), 80_000)]);
  await eventually(() => scene.at(poor) === 'over: htlc.refused', 'it is refused');
  expect(scene.heard(poor, 'htlc.refused')[0]?.reason).toMatch(/beside 25000 that are kept for fees/);
  const id = scene.open({}, [fundOf(scene, 1, later(scene))]);
  await eventually(() => isSent(scene, id), 'it is sent');
  expect(scene.payment(id).coins.map((coin) => coin.amount)).toEqual([100_000n]);
});

test('fundings that were promised their part of the reserve all find it, from one coin of just that', async () => {
  const scene = await bitcoinScene();
  const each = 60_000 + 5_000 + 2 * Number(feeReserve);
  await scene.deposit(6 * each);
  for (let i = 0; i < 6; i++)
    scene.store.swaps.insert(
      swapRow({ id: `b0000000-0000-4000-8000-00000000000${i}`, machine: 'evm-bitcoin', status: 'clientfunded' }),
    );
  const ids = Array.from({ length: 6 }, (_, i) => scene.open({}, [fundOf(scene, i, later(scene))]));
  await eventually(() => ids.some((id) => isSent(scene, id)), 'the first is sent');
  scene.world.mine(1);
  await eventually(() => ids.every((id) => isSent(scene, id)), 'all are sent');
});

test('claims of one moment are prepared and noted as sent in commits that they share', async () => {
  const world = newWorld();
  const claims = Array.from({ length: 12 }, (_, i): Effect => {
    const terms = termsOf(ours, clientPublic, world.tip().mtp + 24 * 3_600 + i);
    const script = scriptOf(terms);
    const coin = world.faucet(script, sats(60_000));
    if (coin === null) throw new Error('the faucet has no coin');
    const deadline = terms.refundLocktime;
    return { do: 'htlc.spend', purpose: 'claim', terms, script, key: swapKey, coin, leastRate: 0, deadline };
  });
  world.mine(1);
  const scene = await bitcoinScene({ world });
  const ids = claims.map((spend) => scene.open({ spend: spend as never }, [spend], 'the secret'));
  const begun = commitsIn(scene.folder);
  await eventually(() => ids.every((id) => isSent(scene, id)), 'all are sent');
  expect(commitsIn(scene.folder) - begun).toBeLessThanOrEqual(claims.length);
});
