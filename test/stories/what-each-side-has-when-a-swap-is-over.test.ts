import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { openScene, price, type Scene } from '../support/scene.ts';
import type { Client } from '../support/client.ts';
import type { World } from '../support/world.ts';

let scene: Scene;
let world: World;
let client: Client;
/** The wire statuses of every swap, in the order in which they were told. */
let told: Map<string, string[]>;
/** What the wallet held before the story. */
let wallet: bigint;

beforeEach(async () => {
  // Every try of a lock that fails is followed by a longer pause.
  scene = await openScene({ untilMs: 300_000 });
  ({ world, client } = scene);
  told = new Map();
  scene.node.service.onStatus((id, status) => void told.set(id, [...(told.get(id) ?? []), status]));
  wallet = await scene.walletTotal();
});

afterEach(async () => {
  const gained = ((await scene.walletTotal()) - wallet) * 1_000n + scene.lightning();
  const rows = scene.node.store.ledger.page({ from: 0, to: Number.MAX_SAFE_INTEGER, afterId: 0, limit: 1_000 });
  await scene.end();
  expect(gained, 'by the books of the networks the node gained what its ledger says, in millisatoshi').toBe(
    rows.reduce((sum, { amount }) => sum + amount, 0n),
  );
});

function ledger(id: string): Record<string, bigint> {
  return Object.fromEntries(scene.node.store.ledger.of(id).map((row) => [row.kind, row.amount]));
}

/** What is left to do, promised or reserved when nothing is. */
const nothing = { effects: 0, coins: [], promises: new Map() };

function left() {
  return {
    effects: scene.node.store.effects.waiting().length,
    coins: scene.node.store.transactions.reservedCoins(),
    promises: scene.node.store.reservations.totals(),
  };
}

describe('lightning to arkade', () => {
  async function paid(sats = 100_000n) {
    const secret = client.secret();
    const record = await client.createLightningArkade(scene.node, sats, secret);
    world.pay(record.bolt11_invoice);
    return { record, secret };
  }

  test('a paid invoice becomes coins of the client and the held payment becomes ours', async () => {
    const { record, secret } = await paid();
    await scene.node.until(record.id, 'locked');
    await client.claim(record, secret);
    await scene.node.until(record.id, 'settled');
    expect({
      told: told.get(record.id),
      payment: world.paid(sha256Of(secret)),
      client: await scene.clientTotal(),
      spent: wallet - (await scene.walletTotal()),
      node: scene.lightning(),
      ledger: ledger(record.id),
      left: left(),
    }).toEqual({
      told: ['pending', 'clientfunded', 'serverfunded', 'clientredeemed', 'serverredeemed'],
      payment: 'settled',
      client: 99_750n,
      spent: 99_750n,
      node: 100_000_000n,
      ledger: { 'protocol-fee': 250_000n, 'network-fee-charged': 0n },
      left: nothing,
    });
  });

  test('a client who claims after the locktime, before our refund, is paid for', async () => {
    const { record, secret } = await paid();
    await scene.node.until(record.id, 'locked');
    world.operator.faults.away();
    await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
    await scene.node.until(record.id, 'refunding');
    world.operator.faults.back();
    await client.claim(record, secret).catch(() => undefined);
    const end = await scene.node.until(record.id, 'settled', 'returned');
    const claimed = (await scene.clientTotal()) > 0n;
    // Whoever the operator heard first, nobody has both legs.
    expect({ end, payment: world.paid(sha256Of(secret)) }).toEqual(
      claimed ? { end: 'settled', payment: 'settled' } : { end: 'returned', payment: 'failed' },
    );
  });

  test('an invoice that nobody pays expires, promises nothing and cannot be paid any more', async () => {
    const record = await client.createLightningArkade(scene.node, 100_000n, client.secret());
    expect(left().promises).toEqual(
      new Map([
        ['arkade', 99_750n],
        ['lightning-in', 100_000n],
      ]),
    );
    await world.advance(1_801);
    await scene.node.until(record.id, 'expired');
    expect(() => world.pay(record.bolt11_invoice)).toThrow('invoice expired');
    expect({ told: told.get(record.id), coins: await client.coins(record), left: left() }).toEqual({
      told: ['pending', 'expired'],
      coins: [],
      left: nothing,
    });
  });

  test('a wallet that has become too poor gives the held payment back', async () => {
    const secret = client.secret();
    const record = await client.createLightningArkade(scene.node, 100_000n, secret);
    const elsewhere = await client.port.address();
    const moved = await scene.node.ports.arkade!.prepareFund({
      script: elsewhere.script,
      amount: (wallet - 50_000n) as never,
      minExpiry: 0 as never,
      reserved: [],
    });
    const accepted = await scene.node.ports.arkade!.submit(moved.bytes);
    if (accepted.is === 'accepted') await scene.node.ports.arkade!.finalize(accepted.bytes);
    wallet = await scene.walletTotal();
    world.pay(record.bolt11_invoice);
    await scene.node.until(record.id, 'declined');
    expect({ told: told.get(record.id)?.at(-1), payment: world.paid(sha256Of(secret)) }).toEqual({
      told: 'serverwontfund',
      payment: 'failed',
    });
  });

  test('twenty swaps at once lock twenty different coins and all settle', async () => {
    const swaps: { record: LightningArkadeRecord; secret: ReturnType<Client['secret']> }[] = [];
    for (let i = 0; i < 20; i++) swaps.push(await paid(20_000n));
    await Promise.all(swaps.map(({ record }) => scene.node.until(record.id, 'locked')));
    for (const { record, secret } of swaps) await client.claim(record, secret);
    await Promise.all(swaps.map(({ record }) => scene.node.until(record.id, 'settled')));
    expect({ client: await scene.clientTotal(), left: left() }).toEqual({ client: 20n * 19_950n, left: nothing });
  });
});

describe('arkade to lightning', () => {
  async function opened() {
    const invoice = world.invoice(100_000n);
    return { invoice, record: await client.createArkadeLightning(scene.node, invoice.bolt11, 100_000n) };
  }

  test('a funded VHTLC pays the invoice and is ours afterwards', async () => {
    const { record, invoice } = await opened();
    expect(record.source_amount).toBe(String(price));
    world.faucet(record.arkade_vhtlc_address, price);
    await scene.node.until(record.id, 'claimed');
    expect({
      told: told.get(record.id),
      payee: world.lightning.invoice('outside', toHex(invoice.hash))?.state,
      gained: (await scene.walletTotal()) - wallet,
      paid: -scene.lightning(),
      ledger: ledger(record.id),
      left: left(),
    }).toEqual({
      told: ['pending', 'clientfunded', 'serverfunded', 'clientredeemed', 'serverredeemed'],
      payee: 'settled',
      gained: price,
      paid: 100_001_100n,
      ledger: { 'lightning-fee-paid': -1_100n, 'protocol-fee': 250_000n, 'network-fee-charged': 10_000n },
      left: nothing,
    });
  });

  test('a payment that fails leads to serverwontfund and the client is refunded with our signature', async () => {
    const { record } = await opened();
    world.lightning.setFaults({ nextPayment: 'fails' });
    world.faucet(record.arkade_vhtlc_address, price);
    await scene.node.until(record.id, 'stopped');
    const refund = await client.collabRefund(scene.node, record);
    await scene.node.until(record.id, 'refunded');
    expect({
      told: told.get(record.id),
      client: await scene.clientTotal(),
      claim: scene.node.service.swap(record.id)?.record['arkade_claim_txid' as never],
      payments: world.lightning.payments('node').map(({ outcome }) => outcome),
      paid: -scene.lightning(),
      left: left(),
    }).toEqual({
      told: ['pending', 'clientfunded', 'serverfunded', 'serverwontfund', 'clientrefunded'],
      client: price,
      claim: refund,
      payments: ['failed'],
      paid: 0n,
      left: nothing,
    });
  });

  test('fault 9: one percent too much is accepted and shows as a surplus', async () => {
    const { record } = await opened();
    const surplus = price / 100n;
    world.faucet(record.arkade_vhtlc_address, price + surplus);
    await scene.node.until(record.id, 'claimed');
    const view = scene.node.service.swap(record.id)?.record as { surplus_amount?: string };
    expect({ surplus: view.surplus_amount, ledger: ledger(record.id)['surplus'] }).toEqual({
      surplus: String(surplus),
      ledger: surplus * 1_000n,
    });
  });

  test('fault 7: dust that a stranger sends first is no funding, and goes back in the end', async () => {
    const { record, invoice } = await opened();
    world.faucet(record.arkade_vhtlc_address, 330n);
    world.faucet(record.arkade_vhtlc_address, 50_000n);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(scene.node.status(record.id)).toBe('pending');
    world.faucet(record.arkade_vhtlc_address, price);
    await scene.node.until(record.id, 'claimed');
    await client.collabRefund(scene.node, record);
    expect({
      told: told.get(record.id)?.at(-1),
      client: await scene.clientTotal(),
      payee: world.lightning.invoice('outside', toHex(invoice.hash))?.state,
    }).toEqual({
      told: 'serverredeemed',
      client: 50_330n,
      payee: 'settled',
    });
  });

  test('dust alone is told as late once the window is over, and goes back', async () => {
    const { record } = await opened();
    world.faucet(record.arkade_vhtlc_address, 330n);
    await world.advance(1_801);
    await scene.node.runtime.settled(record.id, () => scene.node.status(record.id) === 'clientfundedtoolate', 3_000);
    await client.collabRefund(scene.node, record);
    await scene.node.until(record.id, 'refunded');
    expect({ told: told.get(record.id), client: await scene.clientTotal() }).toEqual({
      told: ['pending', 'clientfundedtoolate', 'clientrefunded'],
      client: 330n,
    });
  });
});

describe('a node that dies', () => {
  test('finds a locked VHTLC again and settles what the client claimed meanwhile', async () => {
    const { record, secret } = await lockLightningArkade(scene);
    await scene.node.kill();
    await client.claim(record, secret);
    await scene.restart();
    await scene.node.until(record.id, 'settled');
    expect({ payment: world.paid(sha256Of(secret)), left: left() }).toEqual({ payment: 'settled', left: nothing });
  });

  test('fault 2: pays once although it died right after the payment was sent', async () => {
    let dies = true;
    await scene.restart({
      onBoundary(what, moment) {
        if (!dies || what !== 'lightning.pay' || moment !== 'after') return;
        dies = false;
        void scene.node.kill();
      },
    });
    const invoice = world.invoice(100_000n);
    const record = await client.createArkadeLightning(scene.node, invoice.bolt11, 100_000n);
    world.faucet(record.arkade_vhtlc_address, price);
    await expect.poll(() => dies).toBe(false);
    await scene.restart();
    await scene.node.until(record.id, 'claimed');
    expect({
      payments: world.lightning.payments('node').length,
      paid: -scene.lightning(),
      left: left(),
    }).toEqual({ payments: 1, paid: 100_001_100n, left: nothing });
  });
});
