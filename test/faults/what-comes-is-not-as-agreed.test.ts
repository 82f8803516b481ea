import { afterEach, beforeEach, expect, test } from 'vitest';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import { hash160OfSha256, sha256Of } from '../../engine/legs/secret.ts';
import { encodeArkadeAddress } from '../../engine/legs/arkade/address.ts';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import { asPreimage, asSha256, asXOnly } from '../../engine/domain/hash.ts';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import { lockLightningArkade, vhtlcTerms } from '../support/openings.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

async function funded(fate: 'fails' | 'hangs' | null = null): Promise<{ record: ArkadeLightningRecord; hash: string }> {
  const invoice = scene.world.invoice(100_000n);
  const record = await scene.client.createArkadeLightning(scene.node, invoice.bolt11, 100_000n);
  if (fate !== null) scene.world.lightning.setFaults({ nextPayment: fate });
  scene.world.faucet(record.arkade_vhtlc_address, price);
  return { record, hash: toHex(invoice.hash) };
}

test('fault 10: the right amount at a script that differs in one term is no funding', async () => {
  const { client, node, world } = scene;
  const invoice = world.invoice(100_000n);
  const record = await client.createArkadeLightning(node, invoice.bolt11, 100_000n);
  const operator = asXOnly(fromHex(record.arkade_server_pk));
  const terms = {
    sender: asXOnly(fromHex(record.sender_pk).subarray(1)),
    receiver: asXOnly(fromHex(record.receiver_pk).subarray(1)),
    operator,
    hash: hash160OfSha256(asSha256(fromHex(record.hash_lock.slice(2)))),
    refundLocktime: unix(record.vhtlc_refund_locktime),
    claimDelay: seconds(record.unilateral_claim_delay),
    refundDelay: seconds(record.unilateral_refund_delay),
    refundWithoutReceiverDelay: seconds(record.unilateral_refund_without_receiver_delay),
  };
  const addressOf = (changed: object): string =>
    encodeArkadeAddress({ prefix: 'tark', operator, outputKey: vhtlcScript({ ...terms, ...changed }).outputKey });
  expect(addressOf({})).toBe(record.arkade_vhtlc_address);
  const others = [
    { sender: terms.receiver },
    { receiver: terms.sender },
    { refundLocktime: unix(terms.refundLocktime - 1) },
    { hash: hash160OfSha256(sha256Of(client.secret())) },
    { claimDelay: seconds(terms.claimDelay + 512) },
  ];
  for (const changed of others) world.faucet(addressOf(changed), price);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect([node.status(record.id), world.lightning.payments('node')]).toEqual(['pending', []]);
});

test('fault 18: a secret of 31, 33 or 64 bytes opens neither leg, although its hash fits', async () => {
  const { client, node, world } = scene;
  for (const length of [31, 33, 64]) {
    const secret = new Uint8Array(length).fill(length);
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', secret));
    const created = await node.service.create(
      'lightning-arkade',
      {
        userId: 'x',
        extraFeesBps: 0,
        referralCode: null,
        claimKey: { key: fromHex(client.publicKey) as never, text: client.publicKey },
        hash: asSha256(hash),
        targetAddress: client.address,
        amount: { pinned: 'source', amount: 50_000n as never },
        description: null,
      },
      null,
    );
    const record = created as Extract<typeof created, { bolt11_invoice: string }>;
    world.pay(record.bolt11_invoice);
    await node.until(record.id, 'locked');
    const terms = vhtlcTerms(node, record.id);
    const coins = await client.coins(record);
    await expect(
      client.port.prepareClaim({ terms, key: { branch: 'taker', index: 0 }, coins, preimage: secret as never }),
    ).rejects.toThrow('the preimage does not open this VHTLC');
    expect(() => asPreimage(secret)).toThrow();
    expect(node.status(record.id)).toBe('serverfunded');
  }
});

test('fault 17: a claim at the last moment is settled, and the refund that loses takes nothing', async () => {
  const { client, node, world } = scene;
  const { record, secret } = await lockLightningArkade(scene);
  await world.advance(record.vhtlc_refund_locktime - world.now() - 1);
  const claim = client.claim(record, secret);
  await world.advance(30);
  await claim;
  await node.until(record.id, 'claimed');
  expect([world.paid(sha256Of(secret)), await scene.clientTotal(), scene.lightning()]).toEqual([
    'settled',
    99_750n,
    100_000_000n,
  ]);
});

test('fault 21: a payment that hangs is over before the client can refund alone', async () => {
  const { client, node, world } = scene;
  const { record, hash } = await funded('hangs');
  await node.until(record.id, 'paying');
  await expect(client.collabRefund(node, record)).rejects.toThrow(/serverfunded/);
  await world.advance(record.vhtlc_refund_locktime - world.now() - 7_200);
  await eventually(() => node.at(record.id) === 'stopped', 'the payment failed by its timeout');
  expect([world.lightning.payment('node', hash)?.outcome, scene.lightning()]).toEqual(['failed', 0n]);
  await client.collabRefund(node, record);
  expect(await scene.clientTotal()).toBe(price);
});

test('fault 21: a payment that settles late is claimed for, however late', async () => {
  const { node, world } = scene;
  const { record, hash } = await funded('hangs');
  await node.until(record.id, 'paying');
  await eventually(() => world.lightning.payment('node', hash)?.at === 'held', 'the payment is with its payee');
  const payment = world.lightning.payment('node', hash);
  const blocks = (payment?.firstExpiry ?? 0) - world.bitcoin.clock.height() - 1;
  await world.mine(blocks);
  world.operator.faults.away();
  world.lightning.release(hash, 'settles');
  await node.until(record.id, 'claiming');
  await world.advance(3_600);
  world.operator.faults.back();
  await eventually(() => node.at(record.id) === 'claimed', 'the coin is claimed');
});

test('fault 29: a route that costs more than the swap pays for fails, and the client is refunded', async () => {
  await scene.end();
  scene = await openScene({ config: { terms: { feeBps: 0 } } });
  const { client, node, world } = scene;
  const invoice = world.invoice(10_000_000n);
  const record = await client.createArkadeLightning(node, invoice.bolt11, 10_000_000n);
  expect(record.source_amount).toBe('10000010');
  world.faucet(record.arkade_vhtlc_address, 10_000_010n);
  // lnd sends the parts that the budget has room for; the payee gives them back when the rest does not come.
  await node.until(record.id, 'paying');
  await world.advance(121);
  await node.until(record.id, 'stopped');
  expect([node.status(record.id), scene.lightning()]).toEqual(['serverwontfund', 0n]);
  await client.collabRefund(node, record);
  expect(await scene.clientTotal()).toBe(10_000_010n);
});

test('fault 29: the route takes no more of the fee than the share that the owner set', async () => {
  await scene.end();
  scene = await openScene({ config: { terms: { routingShareBps: 0 } } });
  const { client, node, world } = scene;
  const record = await client.createArkadeLightning(node, world.invoice(9_900_000n).bolt11, 9_900_000n);
  expect([record.fee_sats, record.network_fee_sats]).toEqual([24_750, 10]);
  world.faucet(record.arkade_vhtlc_address, 9_924_760n);
  await node.until(record.id, 'paying');
  await eventually(
    () => world.lightning.payments('node').some(({ parts }) => parts.every(({ arrived }) => arrived)),
    'what the budget pays for is with the payee',
  );
  await world.advance(121);
  await node.until(record.id, 'stopped', 'claimed');
  expect([node.status(record.id), scene.lightning()]).toEqual(['serverwontfund', 0n]);
});

test('fault 40: of a refund asked for and a funding seen at the same moment exactly one happens', async () => {
  const ends: string[] = [];
  for (let turn = 0; turn < 12; turn++) {
    const { client, node, world } = scene;
    const before = await scene.clientTotal();
    const { record, hash } = await funded();
    for (let i = 0; i < turn; i++) await new Promise((resolve) => setImmediate(resolve));
    const refunded = await client.collabRefund(node, record).then(
      () => true,
      () => false,
    );
    await eventually(() => ['claimed', 'refunded'].includes(node.at(record.id)), 'one of the ends');
    const paid = world.lightning.payment('node', hash)?.outcome === 'settled';
    ends.push(`${refunded ? 'refunded' : 'paid'} ${paid} ${(await scene.clientTotal()) - before}`);
  }
  expect(new Set(ends).size, ends.join()).toBeGreaterThan(0);
  expect(ends.filter((end) => end !== `refunded false ${price}` && end !== 'paid true 0')).toEqual([]);
});

test('fault 42: an open swap keeps the terms that it was opened with', async () => {
  const { client, node, world } = scene;
  const invoice = world.invoice(100_000n);
  const record = await client.createArkadeLightning(node, invoice.bolt11, 100_000n);
  await scene.restart({ config: { terms: { feeBps: 500, overpaymentToleranceBps: 0, maxSats: 50_000 } } });
  const view = scene.node.service.swap(record.id)?.record;
  world.faucet(record.arkade_vhtlc_address, price + 1_000n);
  await scene.node.until(record.id, 'claimed');
  const dearer = await client.createArkadeLightning(scene.node, world.invoice(40_000n).bolt11, 40_000n);
  expect([view, dearer.fee_sats]).toEqual([record, 2_000]);
});

test('fault 44: coins that are gone at the moment of the lock leave nothing half done, and limits follow', async () => {
  await scene.end();
  scene = await openScene({ coins: { count: 2, sats: 100_000n } });
  scene.booksDiffer('coins of the wallet go by a transaction that this node never noted');
  const { client, node, world } = scene;
  const secret = client.secret();
  const record = await client.createLightningArkade(node, 100_000n, secret);
  const elsewhere = await client.port.address();
  const withdrawal = await node.ports.arkade!.prepareFund({
    script: elsewhere.script,
    amount: 190_000n as never,
    minExpiry: 0 as never,
    reserved: [],
  });
  const accepted = await node.ports.arkade!.submit(withdrawal.bytes);
  if (accepted.is === 'accepted') await node.ports.arkade!.finalize(accepted.bytes);
  world.pay(record.bolt11_invoice);
  await eventually(
    () => node.logged.filter((line) => line.includes('99750 are needed')).length > 1,
    'the lock waits for coins',
  );
  expect([node.at(record.id), await client.coins(record), world.paid(sha256Of(secret))]).toEqual([
    'funded',
    [],
    'in-flight',
  ]);
  await world.advance(record.vhtlc_refund_locktime - world.now() - 7_100);
  await node.until(record.id, 'stopped');
  expect({
    status: node.status(record.id),
    payment: world.paid(sha256Of(secret)),
    coins: await client.coins(record),
    promised: node.store.reservations.totals(),
    reserved: node.store.transactions.reservedCoins(),
  }).toEqual({
    status: 'serverwontfund',
    payment: 'failed',
    coins: [],
    promised: new Map(),
    reserved: [],
  });
  await node.networks.refresh();
  await expect(client.createLightningArkade(node, 100_000n, client.secret())).rejects.toThrow(
    /Max amount is \d+|liquidity/,
  );
});
