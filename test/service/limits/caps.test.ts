import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { decodeInvoice } from '../../../engine/adapters/lnd/decode.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { asPublicKey } from '../../../engine/domain/hash.ts';
import { sats, tokenAmount } from '../../../engine/domain/money.ts';
import { directions } from '../../../engine/service/directions/directions.ts';
import { exposed, leftByCaps, withinCaps } from '../../../engine/service/limits/caps.ts';
import { createMarkets } from '../../../engine/service/market/markets.ts';
import { createSpreads } from '../../../engine/service/price/spreads.ts';
import { createUnpaid } from '../../../engine/service/evm/unpaid.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { arkadeLightningDirection } from '../../../engine/service/directions/arkade-lightning.ts';
import { lightningArkadeDirection } from '../../../engine/service/directions/lightning-arkade.ts';
import { policyOf } from '../../../engine/config/policy.ts';
import { createHighWater } from '../../../engine/store/high-water.ts';
import { seedOf } from '../../support/node.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;

beforeEach(async () => {
  scene = await openScene({
    config: { caps: { perNetworkSats: { arkade: 150_000 }, perHourSats: 150_000 } },
  });
});

afterEach(() => scene.end());

const open = () => scene.client.createArkadeLightning(scene.node, scene.world.invoice(100_000n).bolt11, 100_000n);

test('a swap that waits for its client fills the ceilings', async () => {
  await open();
  await expect(open()).rejects.toThrow(/ceiling is reached/);
});

test('a coin that is too small and never taken back leaves the ceilings to others', async () => {
  const record = await open();
  scene.world.faucet(record.arkade_vhtlc_address, 99_000n);
  await scene.node.until(record.id, 'stopped');
  await expect(open()).resolves.toMatchObject({ status: 'pending' });
});

test('invoices that are slow to come do not slip many swaps past a ceiling', async () => {
  const waiting: (() => void)[] = [];
  const context = {
    runtime: scene.node.runtime,
    networks: scene.node.networks,
    renewal: { waiting: () => null },
    unilateralExits: scene.node.unilateralExits,
    spreads: createSpreads(scene.node.runtime),
    unpaid: createUnpaid({ runtime: scene.node.runtime, directions, config: scene.node.config }),
    directions,
    config: scene.node.config,
    policy: policyOf(scene.node.config),
    signer: createKeys(seedOf(1), 'regtest').signer,
    resolver: {
      resolve: () =>
        new Promise<string>((resolve) => waiting.push(() => resolve(scene.world.invoice(100_000n).bolt11))),
      check: async () => null,
    },
    decodeInvoice,
    highWater: createHighWater(scene.folder),
    live: () => true,
    forOwner: false,
    markets: createMarkets({ runtime: scene.node.runtime, settings: () => new Map(), everyMs: 1_000 }),
  };
  const creates = Array.from({ length: 5 }, () =>
    arkadeLightningDirection.create(
      context,
      {
        userId: toHex(createKeys(seedOf(200), 'regtest').userId(0)),
        extraFeesBps: 0,
        referralCode: null,
        refundKey: { key: asPublicKey(fromHex(scene.client.publicKey)), text: scene.client.publicKey },
        payee: { is: 'address', text: 'slow@example.com', amount: { pinned: 'target', amount: sats(100_000) } },
      },
      null,
    ),
  );
  await expect.poll(() => waiting.length).toBe(5);
  for (const answer of waiting) answer();
  const answers = await Promise.all(creates);
  expect(answers.map((answer) => (isRefusal(answer) ? answer.refusal : answer.status)).sort()).toEqual([
    'pending',
    'unavailable',
    'unavailable',
    'unavailable',
    'unavailable',
  ]);
});

/** The node's own context, at an operator that may hold so much. */
function at(maxExposureSats: number): ServiceContext {
  const { runtime, networks, config } = scene.node;
  return {
    runtime,
    directions,
    networks,
    renewal: scene.node.renewal,
    unilateralExits: scene.node.unilateralExits,
    spreads: createSpreads(scene.node.runtime),
    unpaid: createUnpaid({ runtime: scene.node.runtime, directions, config: scene.node.config }),
    config: {
      ...config,
      caps: { ...config.caps, perNetworkSats: {}, perHourSats: 0 },
      arkade: { url: 'http://127.0.0.1:1', maxExposureSats, maxUnsavedSats: 0, renewPreconfirmedAfterMinutes: 180 },
    },
    policy: policyOf(config),
    signer: createKeys(seedOf(1), 'regtest').signer,
    resolver: {
      resolve: () => Promise.reject(new Error('nobody is asked')),
      check: () => Promise.reject(new Error('nobody is asked')),
    },
    decodeInvoice,
    highWater: createHighWater(scene.folder),
    live: () => true,
    forOwner: false,
    markets: createMarkets({ runtime: scene.node.runtime, settings: () => new Map(), everyMs: 1_000 }),
  };
}

test("the wallet's coins and clients' coins that are to be ours count for what may lie at the operator", async () => {
  const wallet = 16 * 2_500_000;
  await open();
  expect([
    withinCaps(at(wallet + 150_000), arkadeLightningDirection, sats(50_000)),
    withinCaps(at(wallet + 150_000), arkadeLightningDirection, sats(50_001)),
    withinCaps(at(wallet + 150_000), lightningArkadeDirection, sats(100_000)),
    withinCaps(at(wallet), lightningArkadeDirection, sats(1_000)),
  ]).toEqual([
    null,
    {
      refusal: 'unavailable',
      sentence: expect.stringMatching(/40100000 of 40150000 sats lie with the Arkade operator/),
    },
    null,
    { refusal: 'unavailable', sentence: expect.stringMatching(/lie with the Arkade operator/) },
  ]);
});

test("the owner's own withdrawals leave the hour and the day to clients", async () => {
  const to = await scene.client.port.address();
  const sent = await scene.node.service.owner.withdraw('arkade', {
    address: to.address,
    amount: tokenAmount(140_000),
    asset: null,
  });
  if (isRefusal(sent)) throw new Error(sent.sentence);
  await scene.node.until(sent.id, 'sent');
  await expect(open()).resolves.toMatchObject({ status: 'pending' });
});

test('what is out is the sum over all that is open, whatever became of each', async () => {
  const { workingSet } = scene.node.runtime;
  const first = await scene.client.createArkadeLightning(scene.node, scene.world.invoice(30_000n).bolt11, 30_000n);
  const second = await scene.client.createArkadeLightning(scene.node, scene.world.invoice(20_000n).bolt11, 20_000n);
  const context = {
    runtime: scene.node.runtime,
    networks: scene.node.networks,
    directions,
  } as unknown as ServiceContext;
  const ceilings = { perNetworkSats: { arkade: 150_000 }, perHourSats: 0, perDaySats: 0, approveAboveSats: 0 };
  const left = () =>
    leftByCaps(
      { ...context, config: { ...scene.node.config, caps: ceilings } } as ServiceContext,
      arkadeLightningDirection,
    );
  const out = () =>
    [...workingSet.all()].reduce((sum, { row }) => sum + (exposed.has(row.status) ? row.valueSats : 0n), 0n);
  expect([out() > 0n, left()]).toEqual([true, 150_000n - out()]);
  scene.world.faucet(first.arkade_vhtlc_address, BigInt(first.source_amount));
  await scene.node.until(first.id, 'claimed');
  expect(out()).toBe(workingSet.find(second.id)?.row.valueSats);
  expect(left()).toBe(150_000n - out());
});
