import { afterEach, expect, test } from 'vitest';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { isRefusal, type Refusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { NodeOptions } from '../support/node.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
afterEach(() => scene.end());

/** A million. */
const coins = { count: 10, sats: 100_000n };
const full: Refusal = {
  refusal: 'flood',
  sentence:
    'Your swaps that wait for their funding hold as much as one client may hold unpaid: fund some of them, ask for ' +
    'less, or wait until they expire.',
  retryAfter: 60,
};

/** Of a swap from Lightning to Arkade that pays so much out; null asks as the owner. */
async function create(from: string | null, target: bigint): Promise<LightningArkadeRecord | Refusal> {
  const { client, node } = scene;
  return node.service.create(
    'lightning-arkade',
    {
      userId: 'x',
      extraFeesBps: 0,
      referralCode: null,
      claimKey: { key: node.ports.arkade!.delegateKey(), text: client.publicKey },
      hash: sha256Of(client.secret()),
      targetAddress: client.address,
      amount: { pinned: 'target', amount: sats(target) },
      description: null,
    },
    null,
    from,
  );
}

async function open(from: string | null, target: bigint): Promise<LightningArkadeRecord> {
  const created = await create(from, target);
  if (isRefusal(created)) throw new Error(created.sentence);
  return created;
}

/** How many of this size it gets at once. */
async function most(from: string, target: bigint): Promise<number> {
  const made = await Promise.all(Array.from({ length: 40 }, () => create(from, target)));
  expect(made.filter(isRefusal).every((one) => one.sentence === full.sentence)).toBe(true);
  return made.filter((one) => !isRefusal(one)).length;
}

const begin = async (options: NodeOptions = {}): Promise<Scene> => (scene = await openScene({ coins, ...options }));

test('fault 215: swaps that a client does not pay for hold half of what is left, also after a restart', async () => {
  await begin();
  expect(await most('203.0.113.1', 20_000n)).toBe(25);
  expect([await most('203.0.113.2', 20_000n), await most('203.0.113.3', 20_000n)]).toEqual([12, 6]);
  expect(isRefusal(await create(null, 100_000n))).toBe(false);

  await scene.restart();
  expect(await create('203.0.113.1', 20_000n)).toEqual(full);
  expect(isRefusal(await create('203.0.113.4', 20_000n))).toBe(false);
});

test('fault 215: the first swap of a client is as large as any, and what was paid for counts no more', async () => {
  await begin();
  const first = await open('203.0.113.1', 90_000n * 10n);
  expect(await create('203.0.113.1', 1_000n)).toEqual(full);
  scene.world.pay(first.bolt11_invoice);
  await expect.poll(() => scene.node.at(first.id), { timeout: 60_000 }).toBe('locked');
  expect(isRefusal(await create('203.0.113.1', 50_000n))).toBe(false);
});

test("fault 215: swaps that one client does not pay for leave half of the owner's ceilings", async () => {
  await begin({ config: { caps: { perNetworkSats: { arkade: 200_000 } } } });
  expect([await most('203.0.113.1', 20_000n), await most('203.0.113.2', 20_000n)]).toEqual([5, 2]);
});
