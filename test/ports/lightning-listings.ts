import { expect, test } from 'vitest';
import { sameBytes, type Sha256 } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import type { LightningHoldings, LightningPort } from '../../engine/legs/lightning/port.ts';
import { patience, type Scene } from './lightning-scene.ts';

/** What all there is can be told from, whoever asked for it; positions are those of a node that others use too. */
export function listingTests(scene: () => Scene): void {
  test('a payment is listed behind those of before, under way and then with all that it took', async () => {
    const { port, controls, inFlight } = scene();
    const before = await newestPayment(port);
    const at = await still(port);
    const { hash } = await inFlight(30_000);
    const [listed, ...others] = await port.payments({ after: before, most: 10 });
    expect([listed?.hash, listed?.is, listed?.sent, others]).toEqual([hash, 'in-flight', 0n, []]);
    const during = await still(port);
    // What is offered is ours until it is taken.
    expect([during.ours, during.version === at.version]).toEqual([at.ours, false]);
    expect(during.htlcs.filter((htlc) => sameBytes(htlc.hash, hash))).toEqual([
      { hash, amount: expect.toSatisfy((sats: bigint) => sats >= 30_000n), incoming: false, forwarded: false },
    ]);
    await controls.settleOutside(hash);
    const { feeMsat } = await scene().settled(hash);
    await leaves(port, hash);
    const sent = 30_000_000n + feeMsat;
    expect(await port.payments({ after: before, most: 1 })).toEqual([
      { index: listed!.index, hash, is: 'settled', sent },
    ]);
    expect(await port.payments({ after: listed!.index, most: 1 })).toEqual([]);
    expect((await still(port)).ours).toBe(at.ours - sent);
  });

  test('a payment that failed is listed as that, and leaves what is ours as it was', async () => {
    const { port, controls, inFlight } = scene();
    const at = await still(port);
    const before = await newestPayment(port);
    const { hash } = await inFlight(30_000);
    await controls.cancelOutside(hash);
    await scene().failed(hash);
    await leaves(port, hash);
    expect(await port.payments({ after: before, most: 10 })).toMatchObject([{ hash, is: 'failed', sent: 0n }]);
    expect((await still(port)).ours).toBe(at.ours);
  });

  test('a hold invoice is listed as open while it is held, and with what came once it is settled', async () => {
    const { port, hash, preimage, heldBy } = scene();
    const at = await still(port);
    const before = await newestInvoice(port);
    await heldBy(40_000);
    const [listed, ...others] = await port.invoices({ after: before, most: 10 });
    expect([listed?.hash, listed?.is, listed?.came, listed?.description, others]).toEqual([
      hash,
      'open',
      [],
      'port suite',
      [],
    ]);
    const during = await still(port);
    expect(during.ours).toBe(at.ours);
    expect(during.htlcs.filter((htlc) => sameBytes(htlc.hash, hash))).toMatchObject([
      { amount: 40_000n, incoming: true },
    ]);
    await port.settle(preimage);
    await leaves(port, hash);
    const [settled] = await port.invoices({ after: before, most: 1 });
    expect([settled?.is, settled?.came.map(({ msat }) => msat)]).toEqual(['settled', [40_000_000n]]);
    expect(during.channels).toEqual(expect.arrayContaining(settled!.came.map(({ channel }) => channel)));
    expect((await still(port)).ours).toBe(at.ours + 40_000_000n);
    expect(await port.invoices({ after: settled!.index, most: 1 })).toEqual([]);
  });

  test('an invoice that went back is cancelled, and pages follow one another', async () => {
    const { port, hash, heldBy } = scene();
    const before = await newestInvoice(port);
    await heldBy(40_000);
    await port.cancel(hash);
    const { bolt11 } = await port.createInvoice({ amount: sats(5), description: 'after it' });
    expect(bolt11).not.toBe('');
    const [first] = await port.invoices({ after: before, most: 1 });
    const [second] = await port.invoices({ after: first!.index, most: 1 });
    expect([first?.is, first?.came, second?.is, second?.description]).toEqual(['cancelled', [], 'open', 'after it']);
    expect(await port.invoices({ newest: 1 })).toEqual([second]);
    await leaves(port, hash);
  });
}

async function newestPayment(port: LightningPort): Promise<number> {
  return (await port.payments({ newest: 1 }))[0]?.index ?? 0;
}

async function newestInvoice(port: LightningPort): Promise<number> {
  return (await port.invoices({ newest: 1 }))[0]?.index ?? 0;
}

/** A moment at which nothing moves. */
async function still(port: LightningPort): Promise<LightningHoldings> {
  let before = await port.holdings();
  await expect
    .poll(async () => {
      const now = await port.holdings();
      const same = now.version === before.version;
      before = now;
      return same;
    }, patience)
    .toBe(true);
  return before;
}

/** A payment is over before its HTLC has left the channel. */
async function leaves(port: LightningPort, hash: Sha256): Promise<void> {
  const left = async () => (await port.holdings()).htlcs.some((htlc) => sameBytes(htlc.hash, hash));
  await expect.poll(left, patience).toBe(false);
}
