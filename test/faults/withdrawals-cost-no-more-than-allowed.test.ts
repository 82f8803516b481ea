import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRefusal, type Refusal } from '../../engine/domain/errors.ts';
import { tokenAmount } from '../../engine/domain/money.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { Withdrawal } from '../../engine/contract/owner/wallets.ts';
import type { NodeOptions } from '../support/node.ts';
import { deposit, inMempool, payee } from '../support/bitcoin-wallet.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const patience = { timeout: 60_000, interval: 20 };

let scene: Scene;
let atBoundary: NonNullable<NodeOptions['onBoundary']> = () => undefined;

beforeEach(async () => {
  atBoundary = () => undefined;
  scene = await openScene({
    bitcoinWallet: true,
    pollMs: 25,
    coins: { count: 1, sats: 100_000n },
    onBoundary: (what, moment) => atBoundary(what, moment),
  });
});
afterEach(() => scene.end());

async function withdraw(amount: number, maxFee: number | null = null): Promise<Withdrawal | Refusal> {
  return scene.node.service.owner.withdraw('bitcoin', {
    address: payee,
    amount: tokenAmount(amount),
    asset: null,
    maxFee: maxFee === null ? null : tokenAmount(maxFee),
  });
}

function booked(id: string): [string, bigint][] {
  return scene.node.store.ledger.of(id).map(({ kind, amount }) => [kind, amount / 1_000n]);
}

/** Of a payment from one coin with change. */
const size = 142n;

test('fault 48: a withdrawal of 20,000 sats does not carry 66,000 sats of fee, unless its owner says so', async () => {
  await deposit(scene, 10_000_000);
  scene.world.bitcoin.setFeeRate(460);
  const refused = await withdraw(20_000);
  expect([refused, inMempool(scene)]).toEqual([
    {
      refusal: 'forbidden',
      sentence: expect.stringMatching(
        /^Nothing was sent: Its fee would be 6\d{4} sats at 460 sats per vbyte, and the ceiling is 2000: .*max_fee/,
      ),
    },
    [],
  ]);
  const sent = await withdraw(20_000, 80_000);
  if (isRefusal(sent)) throw new Error(sent.sentence);
  await vi.waitFor(() => expect(inMempool(scene)).toEqual([sent.transaction]), patience);
  await scene.world.mine(6);
  await scene.node.until(sent.id, 'sent');
  expect(booked(sent.id)).toEqual([['network-fee-paid', -460n * size]]);
});

test('fault 59: an honest fee that rose fifty-fold is paid where it is small, and asked for elsewhere', async () => {
  await deposit(scene, 10_000_000);
  scene.world.bitcoin.setFeeRate(50);
  expect(await withdraw(100_000)).toMatchObject({ sentence: expect.stringMatching(/the ceiling is 5000: .*max_fee/) });
  expect(await withdraw(1_000_000)).toMatchObject({ transaction: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test.each([
  ['far beyond belief', 10_000, 10_000_000, /the ceiling is 50000/],
  ['within the ceiling', 200, 10_000_000, /another source says 1 sats per vbyte/],
])('fault 59: a source that lies of the fee, %s, does not decide alone', async (_, first, amount, sentence) => {
  await deposit(scene, 20_000_000);
  Object.assign(scene.world.estimates, { first, second: 1 });
  expect([await withdraw(amount), inMempool(scene)]).toEqual([
    { refusal: 'forbidden', sentence: expect.stringMatching(sentence) },
    [],
  ]);
  // The owner's word is above both.
  expect(await withdraw(amount, 100_000)).toMatchObject({ transaction: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('fault 48: raises stop where first fee and raises together reach the ceiling', async () => {
  await deposit(scene, 1_000_000);
  const alerts: string[] = [];
  scene.node.runtime.onAlert(({ sentence }) => void alerts.push(sentence));
  const sent = await withdraw(30_000);
  if (isRefusal(sent)) throw new Error(sent.sentence);
  await vi.waitFor(() => expect(inMempool(scene)).toEqual([sent.transaction]), patience);
  scene.world.bitcoin.setFeeRate(40);
  await eventually(
    () => alerts.some((sentence) => /raised to 2000 sats, the most that it may cost by itself/.test(sentence)),
    'the owner is told',
  );
  await new Promise((resolve) => setTimeout(resolve, 500));
  const row = scene.node.runtime.workingSet.find(sent.id)?.row.progress as unknown as { payment: { fee: bigint } };
  expect(row.payment.fee).toBe(2_000n);
  const before = inMempool(scene);
  expect(scene.node.service.owner.bump(sent.id)).toEqual({ at: 'raising' });
  await eventually(
    () => inMempool(scene).length === 1 && inMempool(scene)[0] !== before[0],
    'a dearer one replaces it',
  );
  scene.world.bitcoin.setFeeRate(1);
  await scene.world.mine(6);
  await scene.node.until(sent.id, 'sent');
  const [[kind, first], [raiseKind, raise]] = booked(sent.id) as [[string, bigint], [string, bigint]];
  expect([kind, first, raiseKind, first + raise >= -4_000n && first + raise < -2_000n]).toEqual([
    'network-fee-paid',
    -size,
    'fee-raise-paid',
    true,
  ]);
});

test.each([
  ['the ceiling of every withdrawal', 20_000_000, null, 50_000_000n],
  ['half a percent and ten sats', 100_000, null, 510_000n],
  ['what its owner says, and no more', 100_000, 7, 7_000n],
])('fault 48: routing a withdrawal over Lightning costs at most %s', async (_, amount, maxFee, most) => {
  const { bolt11 } = scene.world.invoice(BigInt(amount), { hold: true });
  const sent = await scene.node.service.owner.withdraw('lightning', {
    address: bolt11,
    amount: tokenAmount(amount),
    asset: null,
    maxFee: maxFee === null ? null : tokenAmount(maxFee),
  });
  if (isRefusal(sent)) throw new Error(sent.sentence);
  expect(scene.node.runtime.workingSet.find(sent.id)?.row.terms).toMatchObject({ maxFeeMsat: most });
});

test('fault 47: the hash of a withdrawal is taken in the commit that opens it', async () => {
  const { bolt11, hash } = scene.world.invoice(10_000n);
  const deaths: Promise<void>[] = [];
  atBoundary = (what, moment) => {
    if (what === 'commit' && moment === 'after' && deaths.length === 0) deaths.push(scene.node.kill());
  };
  const answer = Promise.resolve(
    scene.node.service.owner.withdraw('lightning', { address: bolt11, amount: tokenAmount(10_000), asset: null }),
  ).catch(() => null);
  await eventually(() => deaths.length > 0, 'the job was saved');
  await Promise.all(deaths);
  await scene.restart({ bitcoinWallet: true });
  const [open] = [...scene.node.runtime.workingSet.all()].filter(
    ({ machine }) => machine.name === 'withdraw-lightning',
  );
  expect(scene.node.store.hashes.usedBy(hash160OfSha256(hash))).toBe(
    open?.row.id ?? scene.node.store.swaps.page({ limit: 1 })[0]?.id,
  );
  expect(
    await scene.node.service.owner.withdraw('lightning', { address: bolt11, amount: tokenAmount(10_000), asset: null }),
  ).toMatchObject({ refusal: 'hash-used' });
  void answer;
});
