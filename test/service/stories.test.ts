import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { openClient, type Client } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';

let folder: string;
let world: World;
let client: Client;
let node: TestNode;
/** The wire statuses of every swap, in the order in which they were told. */
let told: Map<string, string[]>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-stories-'));
  world = startWorld();
  client = await openClient(world);
  node = await startNodeOn(world, folder);
  told = new Map();
  node.service.onStatus((id, status) => void told.set(id, [...(told.get(id) ?? []), status]));
});

afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

function ledger(id: string): Record<string, bigint> {
  return Object.fromEntries(node.store.ledger.of(id).map((row) => [row.kind, row.amountMsat]));
}

async function walletTotal(): Promise<bigint> {
  const { available, pending, recoverable } = await node.ports.arkade!.balance([]);
  return available + pending + recoverable;
}

async function clientTotal(): Promise<bigint> {
  return (await client.port.balance([])).available;
}

/** Lets the pauses between tries pass at once. */
async function hurry(done: () => boolean): Promise<void> {
  const until = performance.now() + 15_000;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
  try {
    while (!done() && performance.now() < until) {
      await vi.advanceTimersByTimeAsync(100);
      await nextTurn();
    }
  } finally {
    vi.useRealTimers();
  }
  expect(done()).toBe(true);
}

/** What is left to do, promised or reserved when nothing is. */
const nothing = { effects: 0, coins: [], promises: new Map() };

function left() {
  return {
    effects: node.store.effects.waiting().length,
    coins: node.store.transactions.reservedCoins(),
    promises: node.store.reservations.totals(),
  };
}

describe('lightning to arkade', () => {
  async function paid(sats = 100_000n) {
    const secret = client.secret();
    const record = await client.createLightningArkade(node, sats, secret);
    world.pay(record.bolt11_invoice);
    return { record, secret };
  }

  test('a paid invoice becomes coins of the client and the held payment becomes ours', async () => {
    const before = await walletTotal();
    const { record, secret } = await paid();
    await node.until(record.id, 'locked');
    await client.claim(record, secret);
    await node.until(record.id, 'settled');
    expect({
      told: told.get(record.id),
      payment: world.paid(sha256Of(secret)),
      client: await clientTotal(),
      spent: before - (await walletTotal()),
      node: world.balances().node - 1_000_000_000_000n,
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

  test('a client who never claims gets its payment back, after our coin came back and not before', async () => {
    const before = await walletTotal();
    const { record, secret } = await paid();
    await node.until(record.id, 'locked');
    await world.advance(record.vhtlc_refund_locktime - world.now() - 60);
    expect({ at: node.at(record.id), payment: world.paid(sha256Of(secret)) }).toEqual({
      at: 'locked',
      payment: 'in-flight',
    });
    await world.advance(120);
    await node.until(record.id, 'returned');
    expect({
      told: told.get(record.id),
      payment: world.paid(sha256Of(secret)),
      lost: before - (await walletTotal()),
      left: left(),
    }).toEqual({
      told: ['pending', 'clientfunded', 'serverfunded', 'clientfundedserverrefunded', 'clientrefundedserverrefunded'],
      payment: 'failed',
      lost: 0n,
      left: nothing,
    });
  });

  test('a client who claims after the locktime, before our refund, is paid for', async () => {
    const { record, secret } = await paid();
    await node.until(record.id, 'locked');
    world.operator.faults.away();
    await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
    await node.until(record.id, 'refunding');
    world.operator.faults.back();
    await client.claim(record, secret).catch(() => undefined);
    const end = await node.until(record.id, 'settled', 'returned');
    const claimed = (await clientTotal()) > 0n;
    // Whoever the operator heard first, nobody has both legs.
    expect({ end, payment: world.paid(sha256Of(secret)) }).toEqual(
      claimed ? { end: 'settled', payment: 'settled' } : { end: 'returned', payment: 'failed' },
    );
  });

  test('an invoice that nobody pays expires and promises nothing any more', async () => {
    const record = await client.createLightningArkade(node, 100_000n, client.secret());
    expect(left().promises).toEqual(
      new Map([
        ['arkade', 99_750n],
        ['lightning-in', 100_000n],
      ]),
    );
    await world.advance(1_801);
    await node.until(record.id, 'expired');
    expect({ told: told.get(record.id), left: left() }).toEqual({ told: ['pending', 'expired'], left: nothing });
  });

  test('a payment that comes with an operator that is away goes back when too little time is left', async () => {
    const secret = client.secret();
    const record = await client.createLightningArkade(node, 100_000n, secret);
    world.operator.faults.away();
    world.pay(record.bolt11_invoice);
    await node.until(record.id, 'held');
    await world.advance(record.vhtlc_refund_locktime - world.now() - 3_600);
    await node.until(record.id, 'declined');
    expect({ told: told.get(record.id), payment: world.paid(sha256Of(secret)), left: left() }).toEqual({
      told: ['pending', 'clientfunded', 'serverwontfund'],
      payment: 'failed',
      left: nothing,
    });
  });

  test('a wallet that has become too poor gives the held payment back', async () => {
    const secret = client.secret();
    const record = await client.createLightningArkade(node, 100_000n, secret);
    const elsewhere = await client.port.address();
    const rest = await walletTotal();
    const moved = await node.ports.arkade!.prepareFund({
      script: elsewhere.script,
      amount: (rest - 50_000n) as never,
      minExpiry: 0 as never,
      reserved: [],
    });
    const accepted = await node.ports.arkade!.submit(moved.bytes);
    if (accepted.is === 'accepted') await node.ports.arkade!.finalize(accepted.bytes);
    world.pay(record.bolt11_invoice);
    await node.until(record.id, 'held');
    await hurry(() => node.at(record.id) === 'declined');
    expect({ told: told.get(record.id)?.at(-1), payment: world.paid(sha256Of(secret)) }).toEqual({
      told: 'serverwontfund',
      payment: 'failed',
    });
  });

  test('twenty swaps at once lock twenty different coins and all settle', async () => {
    const swaps: { record: LightningArkadeRecord; secret: ReturnType<Client['secret']> }[] = [];
    for (let i = 0; i < 20; i++) swaps.push(await paid(20_000n));
    await Promise.all(swaps.map(({ record }) => node.until(record.id, 'locked')));
    for (const { record, secret } of swaps) await client.claim(record, secret);
    await Promise.all(swaps.map(({ record }) => node.until(record.id, 'settled')));
    expect({ client: await clientTotal(), left: left() }).toEqual({ client: 20n * 19_950n, left: nothing });
  });
});

describe('arkade to lightning', () => {
  async function opened(sats = 100_000n, options?: Parameters<World['invoice']>[1]) {
    const invoice = world.invoice(sats, options);
    return { invoice, record: await client.createArkadeLightning(node, invoice.bolt11, sats) };
  }
  const price = 100_000n + 250n + 10n;

  test('a funded VHTLC pays the invoice and is ours afterwards', async () => {
    const before = await walletTotal();
    const { record, invoice } = await opened();
    expect(record.source_amount).toBe(String(price));
    world.faucet(record.arkade_vhtlc_address, price);
    await node.until(record.id, 'claimed');
    expect({
      told: told.get(record.id),
      payee: world.lightning.invoice('outside', toHex(invoice.hash))?.state,
      gained: (await walletTotal()) - before,
      paid: 1_000_000_000_000n - world.balances().node,
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
    await node.until(record.id, 'stopped');
    await client.collabRefund(node, record);
    await node.until(record.id, 'refunded');
    expect({
      told: told.get(record.id),
      client: await clientTotal(),
      paid: 1_000_000_000_000n - world.balances().node,
      left: left(),
    }).toEqual({
      told: ['pending', 'clientfunded', 'serverfunded', 'serverwontfund', 'clientrefunded'],
      client: price,
      paid: 0n,
      left: nothing,
    });
  });

  test('while a payment hangs nothing is cosigned, and when it settles the VHTLC is claimed', async () => {
    const { record, invoice } = await opened();
    world.lightning.setFaults({ nextPayment: 'hangs' });
    world.faucet(record.arkade_vhtlc_address, price);
    await node.until(record.id, 'paying');
    await expect(client.collabRefund(node, record)).rejects.toThrow(
      /Refund not allowed in current swap state \(serverfunded\)/,
    );
    world.lightning.release(toHex(invoice.hash), 'settles');
    await node.until(record.id, 'claimed');
    expect(await clientTotal()).toBe(0n);
  });

  test('while a payment hangs nothing is cosigned, and when it fails the client is refunded', async () => {
    const { record, invoice } = await opened();
    world.lightning.setFaults({ nextPayment: 'hangs' });
    world.faucet(record.arkade_vhtlc_address, price);
    await node.until(record.id, 'paying');
    world.lightning.release(toHex(invoice.hash), 'fails');
    await node.until(record.id, 'stopped');
    await client.collabRefund(node, record);
    await node.until(record.id, 'refunded');
    expect(await clientTotal()).toBe(price);
  });

  test('fault 8: one sat too little is clientinvalidfunded, never paid for, and refundable', async () => {
    const { record, invoice } = await opened();
    world.faucet(record.arkade_vhtlc_address, price - 1n);
    await node.until(record.id, 'stopped');
    await client.collabRefund(node, record);
    await node.until(record.id, 'refunded');
    expect({
      told: told.get(record.id),
      client: await clientTotal(),
      payee: world.lightning.invoice('outside', toHex(invoice.hash))?.state,
    }).toEqual({
      told: ['pending', 'clientinvalidfunded', 'clientrefunded'],
      client: price - 1n,
      payee: 'open',
    });
  });

  test('fault 9: one percent too much is accepted and shows as a surplus', async () => {
    const { record } = await opened();
    const surplus = price / 100n;
    world.faucet(record.arkade_vhtlc_address, price + surplus);
    await node.until(record.id, 'claimed');
    const view = node.service.swap(record.id)?.record as { surplus_amount?: string };
    expect({ surplus: view.surplus_amount, ledger: ledger(record.id)['surplus'] }).toEqual({
      surplus: String(surplus),
      ledger: surplus * 1_000n,
    });
  });

  test('fault 9: more than one percent too much is clientinvalidfunded', async () => {
    const { record } = await opened();
    world.faucet(record.arkade_vhtlc_address, price + price / 100n + 1n);
    await node.until(record.id, 'stopped');
    expect(told.get(record.id)).toEqual(['pending', 'clientinvalidfunded']);
  });

  test('fault 7: dust that a stranger sends first is no funding, and goes back in the end', async () => {
    const { record, invoice } = await opened();
    world.faucet(record.arkade_vhtlc_address, 330n);
    world.faucet(record.arkade_vhtlc_address, 50_000n);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(node.status(record.id)).toBe('pending');
    world.faucet(record.arkade_vhtlc_address, price);
    await node.until(record.id, 'claimed');
    await client.collabRefund(node, record);
    expect({
      told: told.get(record.id)?.at(-1),
      client: await clientTotal(),
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
    await node.runtime.settled(record.id, () => node.status(record.id) === 'clientfundedtoolate', 3_000);
    await client.collabRefund(node, record);
    await node.until(record.id, 'refunded');
    expect({ told: told.get(record.id), client: await clientTotal() }).toEqual({
      told: ['pending', 'clientfundedtoolate', 'clientrefunded'],
      client: 330n,
    });
  });

  test('fault 6: of two right coins one is claimed, and the other refunded once the swap is over', async () => {
    const { record, invoice } = await opened();
    world.lightning.setFaults({ nextPayment: 'hangs' });
    world.faucet(record.arkade_vhtlc_address, price);
    await node.until(record.id, 'paying');
    world.faucet(record.arkade_vhtlc_address, price);
    world.lightning.release(toHex(invoice.hash), 'settles');
    await node.until(record.id, 'claimed');
    await client.collabRefund(node, record);
    expect({ client: await clientTotal(), status: node.status(record.id) }).toEqual({
      client: price,
      status: 'serverredeemed',
    });
  });

  test('a coin after the funding window is clientfundedtoolate and refundable', async () => {
    const { record } = await opened();
    await world.advance(1_801);
    await node.until(record.id, 'stopped');
    world.faucet(record.arkade_vhtlc_address, price);
    await node.runtime.settled(record.id, () => node.status(record.id) === 'clientfundedtoolate', 3_000);
    await client.collabRefund(node, record);
    await node.until(record.id, 'refunded');
    expect({ told: told.get(record.id), client: await clientTotal() }).toEqual({
      told: ['pending', 'expired', 'clientfundedtoolate', 'clientrefunded'],
      client: price,
    });
  });

  test('nobody needs the node: after the locktime the client refunds alone', async () => {
    const { record } = await opened();
    world.lightning.setFaults({ nextPayment: 'fails' });
    world.faucet(record.arkade_vhtlc_address, price);
    await node.until(record.id, 'stopped');
    await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
    await client.refundAlone(record);
    await node.until(record.id, 'refunded');
    expect(await clientTotal()).toBe(price);
  });
});

describe('a node that dies', () => {
  test('finds a locked VHTLC again and settles what the client claimed meanwhile', async () => {
    const secret = client.secret();
    const record = await client.createLightningArkade(node, 100_000n, secret);
    world.pay(record.bolt11_invoice);
    await node.until(record.id, 'locked');
    await node.kill();
    await client.claim(record, secret);
    node = await startNodeOn(world, folder);
    await node.until(record.id, 'settled');
    expect({ payment: world.paid(sha256Of(secret)), left: left() }).toEqual({ payment: 'settled', left: nothing });
  });

  test('fault 2: pays once although it died right after the payment was sent', async () => {
    await node.stop();
    let dies = true;
    node = await startNodeOn(world, folder, {
      onBoundary(what, moment) {
        if (!dies || what !== 'lightning.pay' || moment !== 'after') return;
        dies = false;
        void node.kill();
      },
    });
    const invoice = world.invoice(100_000n);
    const record = await client.createArkadeLightning(node, invoice.bolt11, 100_000n);
    world.faucet(record.arkade_vhtlc_address, 100_260n);
    await expect.poll(() => dies).toBe(false);
    node = await startNodeOn(world, folder);
    await node.until(record.id, 'claimed');
    expect({
      payments: world.lightning.payments('node').length,
      paid: 1_000_000_000_000n - world.balances().node,
      left: left(),
    }).toEqual({ payments: 1, paid: 100_001_100n, left: nothing });
  });
});
