import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { Preimage } from '../../engine/domain/hash.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { register } from '../support/registrant.ts';
import { lockLightningArkade, vhtlcTerms } from '../support/openings.ts';
import { openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({}, 'usual');
});
afterEach(() => scene.end());

interface Lock {
  readonly record: LightningArkadeRecord;
  readonly secret: Preimage;
  readonly terms: VhtlcTerms;
  readonly coin: Vtxo;
}

async function locked(): Promise<Lock> {
  const { node } = scene;
  const { record, secret, coin } = await lockLightningArkade(scene);
  return {
    record,
    secret,
    coin,
    terms: vhtlcTerms(node, record.id),
  };
}

async function settles({ record, secret }: Lock): Promise<void> {
  await scene.node.until(record.id, 'claimed');
  expect({ payment: scene.world.paid(sha256Of(secret)), status: scene.node.status(record.id) }).toEqual({
    payment: 'settled',
    status: 'serverredeemed',
  });
}

const key = { branch: 'taker', index: 0 } as const;

test('a live coin that is claimed through a batch shows it in its forfeit', async () => {
  const lock = await locked();
  const { client } = scene;
  await client.port.settle({
    terms: lock.terms,
    key,
    coins: [lock.coin],
    leaf: 'claim',
    preimage: lock.secret,
    signal: new AbortController().signal,
  });
  await settles(lock);
  const [coin] = await client.coins(lock.record);
  expect([coin?.settledBy === null, coin?.spentIn, coin?.spentBy === null]).toEqual([false, null, false]);
});

test('fault 41: an expired coin claimed through a batch shows it in the queue alone, where it is read', async () => {
  const lock = await locked();
  const { client, world } = scene;
  // A real operator's stage of registration takes a second at least.
  world.operator.configure({ stages: { registration: 1_000, confirmation: 2_000, finalization: 2_000 } });
  world.expire(lock.coin.outpoint);
  await client.port.settle({
    terms: lock.terms,
    key,
    coins: await client.coins(lock.record),
    leaf: 'claim',
    preimage: lock.secret,
    signal: new AbortController().signal,
  });
  await settles(lock);
  const [coin] = await client.coins(lock.record);
  expect([coin?.settledBy === null, coin?.spentIn, coin?.spentBy]).toEqual([false, null, null]);
});

describe('a claim that only waits in the queue when we refund is not pushed aside but settles the payment', () => {
  async function waits(lock: Lock): Promise<void> {
    const { world } = scene;
    // Else a round begins before a slow machine gets to its refund, and forgets a claim that nobody confirms.
    world.operator.configure({ stages: { registration: 60_000, confirmation: 2_000, finalization: 2_000 } });
    await world.advance(lock.record.vhtlc_refund_locktime - world.now() - 600);
    register(world, lock.terms, lock.coin, 'claim', lock.secret);
    await world.advance(1_200);
  }

  test('whoever meets it first', async () => {
    const lock = await locked();
    await waits(lock);
    await settles(lock);
    expect((await scene.client.coins(lock.record)).map(({ spent }) => spent)).toEqual([false]);
  });

  test('fault 131: our refund, where no look at the queue met it', async () => {
    const lock = await locked();
    vi.spyOn(scene.node.ports.arkade as ArkadePort, 'waiting').mockResolvedValue([]);
    await waits(lock);
    await settles(lock);
  });
});
