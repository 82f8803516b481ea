import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { createArkadeLightning } from '../../engine/service/create/arkade-lightning.ts';
import { policyOf } from '../../engine/service/policy.ts';
import { createHighWater } from '../../engine/store/high-water.ts';
import { openClient, type Client } from '../support/client.ts';
import { seedOf, startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

let folder: string;
let world: World;
let client: Client;
let node: TestNode;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-caps-'));
  world = startWorld();
  client = await openClient(world);
  node = await startNodeOn(world, folder, { config: { caps: { perNetworkSats: { arkade: 150_000 }, perHourSats: 150_000 } } });
});

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

const open = () => client.createArkadeLightning(node, world.invoice(100_000n).bolt11, 100_000n);

test('a swap that waits for its client fills the ceilings', async () => {
  await open();
  await expect(open()).rejects.toThrow(/ceiling is reached/);
});

test('a coin that is too small and never taken back leaves the ceilings to others', async () => {
  const record = await open();
  world.faucet(record.arkade_vhtlc_address, 99_000n);
  await node.until(record.id, 'stopped');
  await expect(open()).resolves.toMatchObject({ status: 'pending' });
});

test('invoices that are slow to come do not slip many swaps past a ceiling', async () => {
  const waiting: (() => void)[] = [];
  const context = {
    runtime: node.runtime,
    networks: node.networks,
    renewal: { waiting: () => null },
    config: node.config,
    policy: policyOf(node.config),
    signer: createKeys(seedOf(1), 'regtest').signer,
    resolver: {
      resolve: () => new Promise<string>((resolve) => waiting.push(() => resolve(world.invoice(100_000n).bolt11))),
      check: async () => null,
    },
    decodeInvoice,
    highWater: createHighWater(folder),
  };
  const asked = Array.from({ length: 5 }, () =>
    createArkadeLightning(
      context,
      {
        userId: toHex(createKeys(seedOf(200), 'regtest').userId(0)),
        extraFeesBps: 0,
        referralCode: null,
        refundKey: { key: asPublicKey(fromHex(client.publicKey)), text: client.publicKey },
        payee: { is: 'address', text: 'slow@example.com', amount: { pinned: 'target', amount: sats(100_000) } },
      },
      null,
    ),
  );
  await expect.poll(() => waiting.length).toBe(5);
  for (const answer of waiting) answer();
  const answers = await Promise.all(asked);
  expect(answers.map((answer) => (isRefusal(answer) ? answer.refusal : answer.status)).sort()).toEqual(['pending', 'unavailable', 'unavailable', 'unavailable', 'unavailable']);
});
