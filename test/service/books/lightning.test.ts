import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { btcOn, sats, tokenAmount } from '../../../engine/domain/money.ts';
import type { LightningHoldings } from '../../../engine/legs/lightning/port.ts';
import { inBooks, lookAtBooks, onNetworks, sumsOf } from '../../support/books.ts';
import { lockLightningArkade, payArkadeLightning } from '../../support/openings.ts';
import { eventually, openScene, type Scene } from '../../support/scene.ts';

const lightning = btcOn('lightning');
const arkade = btcOn('arkade');
const sideMsat = 1_000_000_000_000n;
let scene: Scene;
const alerts: string[] = [];

beforeEach(async () => {
  scene = await openScene();
  alerts.length = 0;
  scene.node.runtime.onAlert(({ sentence }) => alerts.push(sentence));
  await agree();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await scene.end();
});

function state() {
  return scene.node.books.states().find(({ of, account }) => of.network === 'lightning' && account === 'wallet')!;
}

/** The books of Lightning say what the node says, and nobody was alarmed. */
async function agree(looks = 1): Promise<void> {
  await lookAtBooks(scene.node, looks);
  expect([state().unknown, state().verdict?.difference, state().alarm]).toEqual([null, 0n, false]);
  expect(inBooks(scene.node, lightning)).toBe((await onNetworks(scene.node)).get('lightning btc'));
  expect(alerts).toEqual([]);
}

/** Lines of the books of Lightning, the newest last. */
function lines() {
  return scene.node.store.ledger
    .lines({ from: 0, to: 2 ** 40, afterId: 0, limit: 1_000 })
    .filter(({ network }) => network === 'lightning');
}

/** Somebody else pays with the same lnd. */
async function payElsewhere(amountMsat: bigint): Promise<string> {
  const { bolt11, hash } = scene.world.lightning.addInvoice('outside', { hold: false, amountMsat });
  scene.world.lightning.send('node', { bolt11, feeLimitMsat: 100_000n });
  await over();
  return hash;
}

/** Every payment came to its payee, or back. */
async function over(): Promise<void> {
  await eventually(() => scene.world.lightning.inFlight().every(({ at }) => at === 'held'), 'the payments are over');
}

/** What the node says of its channels, altered. */
function altered(change: (held: LightningHoldings) => Partial<LightningHoldings>): void {
  const port = scene.node.runtime.ports.lightning!;
  const read = port.holdings.bind(port);
  vi.spyOn(port, 'holdings').mockImplementation(async () => {
    const held = await read();
    return { ...held, ...change(held) };
  });
}

describe('the channels are what the books say', () => {
  test('they begin with what is there, and a payment of a swap leaves with its routing', async () => {
    expect([inBooks(scene.node, lightning, 'opening'), sumsOf(scene.node).every((sum) => sum === 0n)]).toEqual([
      -sideMsat,
      true,
    ]);
    const { record, release } = await payArkadeLightning(scene);
    await agree();
    release('settles');
    await scene.node.until(record.id, 'claimed');
    await agree();
    const clearing = inBooks(scene.node, arkade, 'clearing') + inBooks(scene.node, lightning, 'clearing');
    expect([clearing, inBooks(scene.node, lightning, 'routing') > 0n]).toEqual([0n, true]);
    expect(inBooks(scene.node, lightning, 'elsewhere')).toBe(0n);
    expect(lines().find(({ kind }) => kind === 'moved')).toMatchObject({ subject: record.id });
  });

  test('a hold invoice of a swap is ours once it is settled, and over both networks nothing is left', async () => {
    const { record, secret } = await lockLightningArkade(scene);
    await agree();
    await scene.client.claim(record, secret);
    await scene.node.until(record.id, 'claimed');
    await agree();
    expect(inBooks(scene.node, arkade, 'clearing') + inBooks(scene.node, lightning, 'clearing')).toBe(0n);
    expect(lines().find(({ kind }) => kind === 'moved')).toMatchObject({ subject: record.id });
  });

  test('what others pay and receive with the same lnd is named, also what a restart missed', async () => {
    const paid = await payElsewhere(7_001n);
    const { bolt11, hash } = scene.world.lightning.addInvoice('node', { hold: false, amountMsat: 9_000n });
    const waits = scene.world.lightning.addInvoice('node', { hold: true, amountMsat: 4_000n });
    await agree();
    scene.world.lightning.send('outside', { bolt11, feeLimitMsat: 100_000n });
    scene.world.lightning.send('outside', { bolt11: waits.bolt11, feeLimitMsat: 100_000n });
    await over();
    await agree(4);
    await scene.restart();
    const later = await payElsewhere(2_000n);
    await agree(4);
    expect(inBooks(scene.node, lightning, 'elsewhere')).toBe(7_001n + 1_000n - 9_000n + 2_000n + 1_000n);
    expect(lines().flatMap(({ kind, note }) => (kind === 'elsewhere' ? [note] : []))).toEqual([
      `payment ${paid}`,
      `invoice ${hash}`,
      `payment ${later}`,
    ]);
  });

  test('a payment of others that fails first and is sent again is booked once', async () => {
    scene.world.lightning.setFaults({ nextPayment: 'fails' });
    const { bolt11 } = scene.world.lightning.addInvoice('outside', { hold: false, amountMsat: 5_000n });
    scene.world.lightning.send('node', { bolt11, feeLimitMsat: 100_000n });
    await over();
    await agree();
    scene.world.lightning.send('node', { bolt11, feeLimitMsat: 100_000n });
    await over();
    await agree(4);
    expect(inBooks(scene.node, lightning, 'elsewhere')).toBe(6_000n);
  });

  test('what the owner puts in and sends is the owner’s', async () => {
    const address = await scene.node.service.owner.walletAddress('lightning', {
      amount: tokenAmount(3_000),
      asset: null,
    });
    if (isRefusal(address)) throw new Error(address.sentence);
    scene.world.lightning.send('outside', { bolt11: address.address, feeLimitMsat: 100_000n });
    await over();
    await agree(4);
    expect(inBooks(scene.node, lightning, 'owner')).toBe(-3_000_000n);
  });

  test('payments that were under way when the books began are booked when they end', async () => {
    await scene.end();
    scene = await openScene();
    const { bolt11, hash } = scene.world.lightning.addInvoice('outside', { hold: true, amountMsat: 8_000n });
    scene.world.lightning.send('node', { bolt11, feeLimitMsat: 100_000n });
    await over();
    await agree();
    scene.world.lightning.release(hash, 'settles');
    await agree(4);
    expect(inBooks(scene.node, lightning, 'elsewhere')).toBe(9_000n);
  });

  test('the lists are read from where they were left, however long they are', async () => {
    for (let i = 0; i < 30; i++) await payElsewhere(1_000n);
    await agree();
    const port = scene.node.runtime.ports.lightning!;
    const [payments, invoices] = [vi.spyOn(port, 'payments'), vi.spyOn(port, 'invoices')];
    await lookAtBooks(scene.node, 1);
    const rows = await Promise.all([...payments.mock.results, ...invoices.mock.results].map(({ value }) => value));
    expect(rows.flat()).toEqual([]);
    expect(payments.mock.calls.length + invoices.mock.calls.length).toBe(2);
  });

  test('channels that came or went, and what was forwarded, are no difference', async () => {
    altered(({ ours, version }) => ({ ours: ours + 17n, version: `${version}+` }));
    await lookAtBooks(scene.node, 4);
    expect(inBooks(scene.node, lightning, 'elsewhere')).toBe(-17n);
    vi.restoreAllMocks();
    altered(({ ours, channels }) => ({ ours: ours - 500_000_000n, channels: channels.slice(1) }));
    await lookAtBooks(scene.node, 4);
    expect([alerts, inBooks(scene.node, lightning, 'elsewhere')]).toEqual([[], 500_000_000n]);
    expect(lines().at(-1)).toMatchObject({ kind: 'elsewhere', note: 'channels came or went' });
  });

  test('what came on the chain, its channel being closed, is in no channel and missed by nobody', async () => {
    const { record, secret } = await lockLightningArkade(scene);
    await agree();
    altered(({ ours }) => ({ ours: ours - sideMsat / 2n, channels: [] }));
    await lookAtBooks(scene.node, 3);
    vi.restoreAllMocks();
    await scene.client.claim(record, secret);
    const amount = BigInt(record.source_amount) * 1_000n;
    await eventually(() => scene.world.lightning.balances().node === sideMsat + amount, 'the invoice is settled');
    altered(({ ours }) => ({ ours: ours - sideMsat / 2n - amount, channels: [] }));
    await lookAtBooks(scene.node, 4);
    // Nothing moved in a channel: it is read all the same after a while.
    await lookAtBooks(scene.node, 30);
    expect([alerts, state().verdict?.difference]).toEqual([[], 0n]);
    expect(lines().findLast(({ kind }) => kind === 'elsewhere')).toMatchObject({ amount: -amount });
    expect(lines().findLast(({ kind }) => kind === 'moved')).toMatchObject({ amount, subject: record.id });
  });
});

describe('a difference of one unit', () => {
  async function alarms(plant: () => void): Promise<void> {
    plant();
    await lookAtBooks(scene.node, 2);
    expect(alerts).toEqual([]);
    await lookAtBooks(scene.node, 1);
    expect(alerts).toHaveLength(1);
    expect(scene.node.runtime.guard.closed('lightning')).toBe(alerts[0]);
  }

  test('a millisatoshi that left the channels by no payment is found at the third look', async () => {
    await alarms(() => altered(({ ours }) => ({ ours: ours - 1n })));
    expect(alerts[0]).toContain('which is 0.001 sats less. New swaps over lightning wait');
    expect(scene.node.runtime.guard.closed('arkade')).toBeNull();
    vi.restoreAllMocks();
    await agreeAgain();
  });

  test('a satoshi in the books is found in either direction, and ends when it is written off', async () => {
    await alarms(() => scene.node.store.ledger.write('nobody', 1, 'elsewhere', { ...lightning, amount: -1_000n }));
    expect(alerts[0]).toContain('1 sat more');
    const written = await scene.node.books.writeOff(lightning, 'counted wrong');
    expect(isRefusal(written) ? written : written.verdict?.difference).toBe(0n);
    await agreeAgain();
    expect(inBooks(scene.node, lightning, 'write-offs')).toBe(-1_000n);
  });

  test('what is booked between the look and its write-off stays booked', async () => {
    await alarms(() => altered(({ ours }) => ({ ours: ours - 1_000n })));
    vi.restoreAllMocks();
    let reads = 0;
    altered(({ ours }) => ({ ours: ours - 1_000n, version: String(reads++) }));
    await payElsewhere(5_000n);
    await lookAtBooks(scene.node, 1);
    expect([state().unknown, inBooks(scene.node, lightning, 'elsewhere')]).toEqual([
      'its channels move all the time',
      6_000n,
    ]);
    expect(isRefusal(await scene.node.books.writeOff(lightning, 'a test'))).toBe(false);
    vi.restoreAllMocks();
    altered(({ ours }) => ({ ours: ours - 1_000n }));
    await lookAtBooks(scene.node, 4);
    expect([state().verdict?.difference, state().alarm]).toEqual([0n, false]);
  });

  test('a payment of others that lnd lists with one millisatoshi less is found', async () => {
    scene.booksDiffer('lnd lists a payment with too little to the end');
    const port = scene.node.runtime.ports.lightning!;
    const read = port.payments.bind(port);
    vi.spyOn(port, 'payments').mockImplementation(async (page) =>
      (await read(page)).map((one) => (one.sent === 0n ? one : { ...one, sent: one.sent - 1n })),
    );
    await payElsewhere(7_000n);
    await alarms(() => undefined);
  });

  test('what is smaller than an HTLC that its peer keeps back waits for it, what is larger does not', async () => {
    const hash = asSha256(new Uint8Array(32).fill(7));
    const htlc = { hash, amount: sats(5), incoming: true, forwarded: true };
    altered(({ ours }) => ({ ours: ours - 5_000n, htlcs: [htlc] }));
    await lookAtBooks(scene.node, 4);
    expect([alerts, state().unknown]).toEqual([[], 'a payment has not left its channels yet']);
    vi.restoreAllMocks();
    await alarms(() => altered(({ ours }) => ({ ours: ours - 6_001n, htlcs: [htlc] })));
  });

  test('fault 227, lightning: a part that its payee took before the others waits for them', async () => {
    const { record, release } = await payArkadeLightning(scene);
    const port = scene.node.runtime.ports.lightning!;
    const list = port.payments.bind(port);
    vi.spyOn(port, 'payments').mockImplementation(async (page) =>
      (await list(page)).map((one) => (one.is === 'in-flight' ? { ...one, sent: 5_000n } : one)),
    );
    altered(({ ours }) => ({ ours: ours - 5_000n }));
    await lookAtBooks(scene.node, 4);
    expect([alerts, state().unknown]).toEqual([[], 'a payment has not left its channels yet']);
    vi.restoreAllMocks();
    await alarms(() => altered(({ ours }) => ({ ours: ours - 5_001n })));
    vi.restoreAllMocks();
    release('settles');
    await scene.node.until(record.id, 'claimed');
    await agreeAgain();
  });

  async function agreeAgain(): Promise<void> {
    alerts.length = 0;
    await agree();
    expect(scene.node.runtime.guard.closed('lightning')).toBeNull();
  }
});
