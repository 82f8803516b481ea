import { afterEach, beforeEach, expect, test } from 'vitest';
import { Intent } from '@arkade-os/sdk';
import { registerMessage, signedProof } from '../../engine/adapters/arkade/proofs.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { after, seconds } from '../../engine/domain/time.ts';
import { hash160OfSha256, sha256Of } from '../../engine/legs/secret.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import type { LightningArkadeTerms } from '../../engine/swap/directions/lightning-arkade.ts';
import { clientSecret } from '../support/registrant.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { unlist } from '../support/unlisted.ts';
import { anyFailure } from '../support/failure.ts';
import { arkadeFailure } from '../../engine/legs/arkade/failures.ts';

let scene: Scene;
let batches: 'go through' | 'fail';
let tries: number;
/** Whether the operator shows what waits for a batch. */
let queue: 'shown' | 'hidden';
/** Whether our node hears how a batch ended that took the coin. */
let ends: 'heard' | 'missed';

beforeEach(async () => {
  batches = 'fail';
  tries = 0;
  queue = 'shown';
  ends = 'heard';
  scene = await openScene({
    // Whose batch it was is asked three times, some seconds apart.
    untilMs: 30_000,
    onBoundary(what, moment) {
      if (what === 'arkade.waiting' && queue === 'hidden') throw anyFailure('away', 'safe', 'the queue is not shown');
      if (what !== 'arkade.settle') return;
      if (moment === 'after' && ends === 'missed')
        throw arkadeFailure('batch-late', 'ask-first', 'how the batch ended was not heard');
      if (moment === 'before') tries++;
      if (moment === 'before' && batches === 'fail')
        throw arkadeFailure('batch-late', 'ask-first', 'no batch took the coin');
    },
  });
});

afterEach(() => scene.end());

/** A lock that expired before our refund, which only a batch can take now. */
async function expiredLock() {
  const { record, secret } = await lockLightningArkade(scene);
  const { vhtlc } = scene.node.runtime.workingSet.find(record.id)?.row.terms as LightningArkadeTerms;
  const [coin] = await scene.client.coins(record);
  if (coin === undefined) throw new Error('there is no lock');
  scene.world.expire(coin.outpoint);
  await scene.world.advance(record.vhtlc_refund_locktime - scene.world.now() + 60);
  await scene.node.until(record.id, 'refunding');
  await expect.poll(() => tries).toBeGreaterThan(0);
  return { record, secret, vhtlc };
}

async function claimByBatch({ record, secret, vhtlc }: Awaited<ReturnType<typeof expiredLock>>): Promise<void> {
  const coins = await scene.client.coins(record);
  await scene.client.port.settle({
    terms: vhtlc,
    key: { branch: 'taker', index: 0 },
    coins,
    leaf: 'claim',
    preimage: secret,
    signal: new AbortController().signal,
  });
}

/** The client asks for its own batch over the lock, with its secret. */
async function delegate({ record, secret, vhtlc }: Awaited<ReturnType<typeof expiredLock>>, named?: Vtxo) {
  const coin = named ?? (await scene.client.coins(record))[0];
  if (coin === undefined) throw new Error('there is no lock');
  const own = clientSecret();
  const script = vhtlcScript(vhtlc);
  const input = {
    outpoint: coin.outpoint,
    amount: coin.amount,
    script: coin.script,
    tapLeaf: script.leaf.claim.tapLeaf,
    tapTree: script.tapTree,
    locked: false,
    condition: [secret],
  };
  const { script: home } = await scene.client.port.address();
  const cosigner = scene.node.ports.arkade!.delegateKey();
  const { proof, message } = signedProof(
    registerMessage({ from: scene.world.now(), until: after(scene.world.now(), seconds(120)) }, cosigner),
    [input],
    [{ script: home, amount: coin.amount }],
    own,
  );
  return scene.node.service.delegateSettle(
    {
      intentProof: Buffer.from(proof, 'base64'),
      message: Intent.encodeMessage(message),
      forfeits: [],
      cosigner: { key: cosigner, text: toHex(cosigner) },
      swapId: record.id,
      preimage: secret,
    },
    new AbortController().signal,
  );
}

test('fault 40: a client that passes our own refund off as its claim gets its payment back', async () => {
  const total = async () => {
    const { available, recoverable, pending } = await scene.node.ports.arkade!.balance([]);
    return available + recoverable + pending;
  };
  const swap = await expiredLock();
  const before = await total();
  [ends, batches] = ['missed', 'go through'];
  await expect
    .poll(async () => (await scene.client.coins(swap.record))[0]?.settledBy ?? null, { timeout: 60_000 })
    .not.toBeNull();
  const answers = [await delegate(swap), await delegate(swap)];
  ends = 'heard';
  await scene.restart({ untilMs: 30_000 });
  await scene.node.until(swap.record.id, 'refunded');
  expect({
    answers,
    payment: scene.world.paid(sha256Of(swap.secret)),
    back: (await total()) - before,
    flag: scene.node.runtime.workingSet.find(swap.record.id)?.row.flag,
  }).toEqual({
    answers: [{ commitmentTxid: expect.any(String) as string }, answers[0]],
    payment: 'failed',
    back: 99_750n,
    flag: null,
  });
});

test('fault 95, arkade: a batch of a client is run where the operator gives no list of its coins', async () => {
  queue = 'hidden';
  const swap = await expiredLock();
  const [coin] = await scene.client.coins(swap.record);
  unlist(scene.world, coin!.script);
  const batch = await delegate(swap, coin);
  expect([batch, await delegate(swap, coin)]).toEqual([{ commitmentTxid: expect.any(String) as string }, batch]);
});

test("fault 40: a batch of the client's that took our lock settles nothing until it shows no coin of ours", async () => {
  queue = 'hidden';
  const swap = await expiredLock();
  await claimByBatch(swap);
  const answer = await delegate(swap);
  expect([scene.node.at(swap.record.id), answer]).toEqual([
    'refunding',
    { commitmentTxid: expect.any(String) as string },
  ]);
  batches = 'go through';
  await scene.node.until(swap.record.id, 'claimed');
  expect(scene.world.paid(sha256Of(swap.secret))).toBe('settled');
});

test('fault 40: a batch that we run for the client is a claim at once', async () => {
  queue = 'hidden';
  const swap = await expiredLock();
  await delegate(swap);
  expect(['claiming', 'claimed']).toContain(scene.node.at(swap.record.id));
  await scene.node.until(swap.record.id, 'claimed');
});

/** Its owner is told, and the payment goes neither way. */
async function staysHeld({ record, secret }: Awaited<ReturnType<typeof expiredLock>>): Promise<void> {
  await expect
    .poll(() => scene.node.runtime.workingSet.find(record.id)?.row.flag, { timeout: 60_000 })
    .toContain('somebody else may have taken it');
  expect({ at: scene.node.at(record.id), payment: scene.world.paid(sha256Of(secret)) }).toEqual({
    at: 'refunding',
    payment: 'in-flight',
  });
}

test('fault 41: a batch in which the client took our expired lock is not taken for our refund', async () => {
  queue = 'hidden';
  const swap = await expiredLock();
  await claimByBatch(swap);
  batches = 'go through';
  const before = tries;
  await expect.poll(() => tries, { timeout: 60_000 }).toBeGreaterThan(before);
  // Given back now, the held payment would be the client's beside the coin.
  await staysHeld(swap);
});

test('fault 229, arkade: the secret of an own swap is none that the client gave for its batch', async () => {
  queue = 'hidden';
  const swap = await expiredLock();
  const { secret } = swap;
  // As an own order has it on the disk before it is shown.
  scene.node.runtime.store.preimages.keep(hash160OfSha256(sha256Of(secret)), secret, scene.world.now());
  await claimByBatch(swap);
  batches = 'go through';
  await staysHeld(swap);
});

test('fault 229, arkade: what the client gave for its batch is settled, also after a start', async () => {
  queue = 'hidden';
  const swap = await expiredLock();
  await claimByBatch(swap);
  const batch = arkadeFailure('batch-late', 'ask-first', 'how the batch ended was not heard');
  scene.node.ports.arkade!.delegateSettle = () => Promise.reject(batch);
  await delegate(swap);
  await scene.restart({ untilMs: 30_000 });
  batches = 'go through';
  await scene.node.until(swap.record.id, 'claimed');
  expect(scene.world.paid(sha256Of(swap.secret))).toBe('settled');
});

test('fault 349, arkade: a batch of ours that a restored copy forgot is our refund all the same', async () => {
  const { record, secret } = await expiredLock();
  scene.backUp();
  [ends, batches] = ['missed', 'go through'];
  await expect
    .poll(async () => (await scene.client.coins(record))[0]?.settledBy ?? null, { timeout: 60_000 })
    .not.toBeNull();
  await scene.restore({ restored: true, untilMs: 30_000 });
  await scene.node.until(record.id, 'refunded');
  expect(scene.world.paid(sha256Of(secret))).toBe('failed');
});

test("fault 349, arkade: a batch of the client's is not taken for one that a restored copy forgot", async () => {
  const swap = await expiredLock();
  scene.backUp();
  await claimByBatch(swap);
  await scene.restore({ restored: true, untilMs: 30_000 });
  await staysHeld(swap);
});

test('an expired lock comes back through a batch, and then the held payment goes back', async () => {
  const { record, secret } = await expiredLock();
  batches = 'go through';
  await scene.node.until(record.id, 'refunded');
  expect(scene.world.paid(sha256Of(secret))).toBe('failed');
});
