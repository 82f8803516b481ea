import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { Sha256 } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { unix } from '../../engine/domain/time.ts';
import { hash160OfSha256 as hash160, sha256Of } from '../../engine/legs/secret.ts';
import { holdLeg } from '../../engine/legs/lightning/timelocks.ts';
import { policyOf } from '../../engine/config/policy.ts';
import type { NodeOptions } from '../support/node.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';
import { anyFailure } from '../support/failure.ts';
import { lightningFailure } from '../../engine/legs/lightning/failures.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

const feeLimitMsat = 1_000_000n;
const quick = { timing: { createWaitSeconds: 1 } };

/** Calls of the Lightning node that end as told while they are listed; `lost` happened and its answer did not come. */
function losing(): { options: NodeOptions; before: Set<string>; after: Set<string> } {
  const before = new Set<string>();
  const after = new Set<string>();
  return {
    before,
    after,
    options: {
      config: quick,
      onBoundary(what, moment) {
        if ((moment === 'before' ? before : after).has(what))
          throw anyFailure('injected', 'ask-first', `${what}: no answer`);
      },
    },
  };
}

async function reopen(options: NodeOptions): Promise<void> {
  await scene.end();
  scene = await openScene(options);
}

/** An invoice that somebody else makes on our Lightning node. */
function strangersHold(hash: Sha256, terms: { amount?: bigint; memo?: string; cltvDelta?: number } = {}): string {
  const { amount = 100_000n, memo = 'a stranger', cltvDelta = 200 } = terms;
  return scene.world.lightning.addInvoice('node', {
    hash: toHex(hash),
    hold: true,
    amountMsat: amount * 1_000n,
    memo,
    cltvDelta,
    expirySeconds: 1_800,
  }).bolt11;
}

/** Makes the invoice that our own node would make for this hash. */
function strangersTwin(hash: Sha256): string {
  const { clock } = scene.world.bitcoin;
  const leg = holdLeg({
    clocks: { wall: scene.world.now(), bitcoin: { mtp: unix(clock.mtp()), height: clock.height() } },
    policy: policyOf(scene.node.config),
  });
  if (isRefusal(leg)) throw new Error(leg.sentence);
  return strangersHold(hash, { memo: 'Swap 99750 sats to Arkade', cltvDelta: leg.cltvDelta });
}

async function fundedFor(bolt11: string): Promise<ArkadeLightningRecord> {
  const record = await scene.client.createArkadeLightning(scene.node, bolt11, 100_000n);
  scene.world.faucet(record.arkade_vhtlc_address, price);
  return record;
}

test('fault 46: after a restore the invoice of a forgotten swap is not taken for a new one', async () => {
  const { client, world } = scene;
  await client.createLightningArkade(scene.node, 10_000n, client.secret());
  scene.backUp();
  const { secret } = await lockLightningArkade(scene);
  await world.advance(60);
  await scene.restore({});
  scene.booksDiffer('the database forgot a lock, and nobody noticed that it is older');
  const before = await scene.walletTotal();
  await expect(client.createLightningArkade(scene.node, 100_000n, secret)).rejects.toThrow(
    /^a swap with this preimage hash exists already/,
  );
  expect([world.paid(sha256Of(secret)), (await scene.walletTotal()) - before]).toEqual(['in-flight', 0n]);
});

test("fault 46: a stranger's hold invoice of the same hash is neither adopted nor cancelled", async () => {
  const { client, world } = scene;
  for (const make of [strangersHold, strangersTwin]) {
    for (const paid of [false, true]) {
      const secret = client.secret();
      const hash = sha256Of(secret);
      const bolt11 = make(hash);
      if (paid) world.pay(bolt11);
      await expect(client.createLightningArkade(scene.node, 100_000n, secret)).rejects.toThrow(
        /^a swap with this preimage hash exists already/,
      );
      if (!paid) world.pay(bolt11);
      await eventually(
        () => world.lightning.invoice('node', toHex(hash))?.state === 'accepted',
        "the stranger's payment is held",
      );
      await world.advance(1_801);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect([world.paid(hash), world.lightning.invoice('node', toHex(hash))?.state]).toEqual([
        'in-flight',
        'accepted',
      ]);
    }
  }
});

test("fault 46: a stranger's invoice that comes between our look and our call is not taken for ours", async () => {
  const { options, before } = losing();
  before.add('lightning.createHold');
  await reopen(options);
  const { client, world } = scene;
  const secret = client.secret();
  const hash = sha256Of(secret);
  const created = client.createLightningArkade(scene.node, 100_000n, secret);
  const refused = expect(created).rejects.toThrow(
    /^The Lightning node did not answer within 1 seconds|^a swap with this preimage hash/,
  );
  await eventually(() => scene.node.store.hashes.usedBy(hash160(hash)) !== null, 'the intent is committed');
  world.pay(strangersHold(hash));
  await refused;
  before.clear();
  await world.advance(1_801);
  await eventually(() => scene.node.runtime.workingSet.size === 0, 'the swap is over');
  expect([world.paid(hash), world.lightning.invoice('node', toHex(hash))?.state]).toEqual(['in-flight', 'accepted']);
});

test('fault 46: killed before its invoice was saved, the same swap finds its own invoice again', async () => {
  await scene.end();
  let died = false;
  scene = await openScene({
    onBoundary(what, moment) {
      if (what !== 'lightning.createHold' || moment !== 'after' || died) return;
      died = true;
      void scene.node.kill();
    },
  });
  const secret = scene.client.secret();
  void scene.client.createLightningArkade(scene.node, 100_000n, secret).catch(() => undefined);
  await eventually(() => died, 'the node died');
  const made = scene.world.lightning.invoice('node', toHex(sha256Of(secret)));
  await scene.restart({});
  const [open] = [...scene.node.runtime.workingSet.all()];
  await scene.node.until(open!.row.id, 'pending');
  expect((scene.node.runtime.workingSet.find(open!.row.id)?.row.progress as { bolt11?: string }).bolt11).toBe(
    made?.bolt11,
  );
  scene.world.pay(made!.bolt11);
  expect(await scene.node.until(open!.row.id, 'locked')).toBe('locked');
});

test('fault 47: an invoice that our Lightning node has paid, is paying, or failed to pay is refused', async () => {
  const { client, node, world } = scene;
  const paid = world.invoice(100_000n);
  world.lightning.send('node', { bolt11: paid.bolt11, feeLimitMsat });
  const paying = world.invoice(100_000n, { hold: true });
  world.lightning.send('node', { bolt11: paying.bolt11, feeLimitMsat });
  const failed = world.invoice(100_000n);
  world.lightning.setFaults({ nextPayment: 'fails' });
  world.lightning.send('node', { bolt11: failed.bolt11, feeLimitMsat });
  const outcome = (hash: Sha256) => world.lightning.payment('node', toHex(hash))?.outcome;
  await eventually(
    () => outcome(paid.hash) === 'settled' && outcome(failed.hash) === 'failed',
    'the payments went their ways',
  );
  for (const { bolt11 } of [paid, paying, failed]) {
    await expect(client.createArkadeLightning(node, bolt11, 100_000n)).rejects.toThrow(
      /^a swap with this invoice exists already/,
    );
  }
});

test('fault 47: an invoice that our node pays for somebody else takes nothing from the client', async () => {
  const { client, node, world } = scene;
  for (const hold of [false, true]) {
    const invoice = world.invoice(100_000n, { hold });
    const record = await client.createArkadeLightning(node, invoice.bolt11, 100_000n);
    world.lightning.send('node', { bolt11: invoice.bolt11, feeLimitMsat });
    await eventually(
      () =>
        world.lightning.payment('node', toHex(invoice.hash))?.at === 'held' ||
        world.lightning.payment('node', toHex(invoice.hash))?.outcome === 'settled',
      'it is paid',
    );
    world.faucet(record.arkade_vhtlc_address, price);
    await node.until(record.id, 'stopped', 'claimed', 'paying');
    expect(node.status(record.id)).toBe('serverwontfund');
    await client.collabRefund(node, record);
    await node.until(record.id, 'refunded');
  }
  expect(await scene.clientTotal()).toBe(2n * price);
});

test('fault 54: funded while the Lightning node is away, a swap whose time is over is declined', async () => {
  const { client, node, world } = scene;
  const invoice = world.invoice(100_000n, { expirySeconds: 86_400 });
  const record = await client.createArkadeLightning(node, invoice.bolt11, 100_000n);
  world.lightning.setFaults({ node: 'away' });
  world.faucet(record.arkade_vhtlc_address, price);
  await node.until(record.id, 'funded');
  await world.advance(3 * 3_600);
  await eventually(() => node.status(record.id) === 'serverwontfund', 'it is declined');
  await client.collabRefund(node, record);
  world.lightning.setFaults({ node: 'back' });
  await node.until(record.id, 'refunded');
  expect([await scene.clientTotal(), world.lightning.payments('node')]).toEqual([price, []]);
});

test('fault 54: a payment that never left, its node being away, counts as never begun', async () => {
  let away = true;
  await reopen({
    onBoundary(what, moment) {
      if (away && what === 'lightning.pay' && moment === 'before')
        throw lightningFailure('lightning-away', 'safe', 'the Lightning node does not answer');
    },
  });
  const { client, world } = scene;
  const record = await fundedFor(world.invoice(100_000n, { expirySeconds: 86_400 }).bolt11);
  await scene.node.until(record.id, 'funded');
  await new Promise((resolve) => setTimeout(resolve, 300));
  await world.advance(3 * 3_600);
  await eventually(() => scene.node.status(record.id) === 'serverwontfund', 'it is declined');
  away = false;
  await client.collabRefund(scene.node, record);
  expect([await scene.clientTotal(), world.lightning.payments('node')]).toEqual([price, []]);
});

for (const [what, lost] of [
  ['made and its answer was lost', 'after'],
  ['not made', 'before'],
] as const) {
  test(`fault 55: a create answered 503, its invoice ${what}, gets a payable one when repeated`, async () => {
    const { options, before, after } = losing();
    await reopen(options);
    (lost === 'after' ? after : before).add('lightning.createHold');
    const { client, world } = scene;
    const secret = client.secret();
    await expect(client.createLightningArkade(scene.node, 100_000n, secret)).rejects.toThrow(
      /^The Lightning node did not answer within 1 seconds/,
    );
    expect([scene.node.store.hashes.usedBy(hash160(sha256Of(secret))), scene.node.store.reservations.totals()]).toEqual(
      [null, new Map()],
    );
    before.clear();
    after.clear();
    // The call of the first create is tried again with growing pauses, if it is tried again at all.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await world.advance(60);
    const record = await client.createLightningArkade(scene.node, 100_000n, secret);
    expect(record.invoice_expires_at).toBeGreaterThan(world.now());
    world.pay(record.bolt11_invoice);
    await scene.node.until(record.id, 'locked');
    await client.claim(record, secret);
    await scene.node.until(record.id, 'claimed');
    expect([world.paid(sha256Of(secret)), scene.lightning()]).toEqual(['settled', 100_000_000n]);
  });
}

test('fault 55: an invoice of an abandoned create that cannot be paid or differs is never answered', async () => {
  const { options, after } = losing();
  await reopen(options);
  const { client, world } = scene;
  const [late, other] = [client.secret(), client.secret()];
  after.add('lightning.createHold');
  for (const secret of [late, other])
    await expect(client.createLightningArkade(scene.node, 100_000n, secret)).rejects.toThrow(
      /^The Lightning node did not answer within 1 seconds/,
    );
  after.clear();
  await expect(client.createLightningArkade(scene.node, 50_000n, other)).rejects.toThrow(
    /^a swap with this preimage hash exists already/,
  );
  await world.advance(1_801);
  await expect(client.createLightningArkade(scene.node, 100_000n, late)).rejects.toThrow(
    /^a swap with this preimage hash exists already/,
  );
});

/** A payment whose first call got lost on its way, and whose second one failed. */
async function failedTwice(): Promise<{ record: ArkadeLightningRecord; bolt11: string; hash: Sha256 }> {
  let calls = 0;
  await reopen({
    onBoundary(what, moment) {
      if (what === 'lightning.pay' && moment === 'before' && ++calls === 1)
        throw anyFailure('injected', 'ask-first', 'no answer');
    },
  });
  const { world } = scene;
  const { bolt11, hash } = world.invoice(100_000n, { hold: true, expirySeconds: 86_400 });
  world.lightning.setFaults({ nextPayment: 'fails' });
  const record = await fundedFor(bolt11);
  await scene.node.until(record.id, 'stopped');
  expect(calls).toBe(2);
  return { record, bolt11, hash };
}

/** The first call arrives: lnd tries a payment that failed anew. */
async function arrivesLate({ bolt11, hash }: { bolt11: string; hash: Sha256 }): Promise<void> {
  scene.world.lightning.send('node', { bolt11, feeLimitMsat });
  await eventually(
    () => scene.world.lightning.payment('node', toHex(hash))?.at === 'held',
    'the late payment is with its payee',
  );
}

test('fault 55: a call that arrives after the swap was called off closes the refund again', async () => {
  const late = await failedTwice();
  const { record } = late;
  await arrivesLate(late);
  await expect(scene.client.collabRefund(scene.node, record)).rejects.toThrow(
    /^Refund not allowed in current swap state \(serverwontfund\)/,
  );
  scene.world.lightning.release(toHex(late.hash), 'settles');
  await scene.node.until(record.id, 'claimed');
  expect(await scene.clientTotal()).toBe(0n);
});

test('fault 55: a call that arrives after the refund was taken is told to the owner when it settles', async () => {
  const late = await failedTwice();
  const { record } = late;
  await scene.client.collabRefund(scene.node, record);
  await scene.node.until(record.id, 'refunded');
  await scene.restart({});
  await arrivesLate(late);
  scene.world.lightning.release(toHex(late.hash), 'settles');
  await eventually(() => scene.node.store.swaps.byId(record.id)?.flag !== null, 'the owner is told');
  expect(scene.node.store.swaps.byId(record.id)?.flag).toMatch(/settled after all/);
});

test('fault 55: what can no longer happen is not watched any more', async () => {
  const { record } = await failedTwice();
  await scene.client.collabRefund(scene.node, record);
  await scene.node.until(record.id, 'refunded');
  expect(scene.node.runtime.workingSet.size).toBe(1);
  await scene.world.advance(4 * 86_400);
  await eventually(() => scene.node.runtime.workingSet.size === 0, 'the swap is closed');
});
