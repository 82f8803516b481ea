import { payViaPaymentDetails } from 'ln-service';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf } from '../stories/client/record.ts';
import type { Received, Sent } from '../stories/client/client.ts';
import { onEachStage } from './arkd/stage.ts';
import { openOracle, type Books, type Oracle, type Played } from './kit/oracle.ts';
import { openStage, type Stage } from './kit/stage.ts';

const windowSeconds = 20;

onEachStage('a plain client swaps on real lnd', (over) => {
  let stage: Stage;
  let oracle: Oracle;
  let before: Books;
  let begun: number;
  const played: Played[] = [];
  const late: { received: Received; sent: Sent }[] = [];

  beforeAll(async () => {
    stage = await openStage({ over, timing: { fundingWindowSeconds: windowSeconds } });
    oracle = await openOracle(stage);
    before = await oracle.books();
    // The last tests come back to these.
    late.push({ received: (await receive()).swap, sent: (await send()).swap });
    begun = performance.now();
  });
  afterAll(async () => {
    await oracle?.stop();
    await stage?.stop();
  });

  async function receive(sats = 50_000): Promise<{ swap: Received; hash: string }> {
    const swap = await stage.client.lightningToArkade({ source: sats });
    const hash = createHash('sha256').update(swap.secret).digest('hex');
    played.push({ direction: 'lightning-arkade', swap, hash });
    return { swap, hash };
  }

  async function send(
    sats = 40_000,
    kind: 'plain' | 'held' = 'plain',
  ): Promise<{ swap: Sent; hash: string; secret: string }> {
    const { bolt11, hash, secret } = await stage.wallet.invoice(sats, kind);
    const swap = await stage.client.arkadeToLightning(bolt11);
    played.push({ direction: 'arkade-lightning', swap, hash });
    return { swap, hash, secret };
  }

  test('from Lightning to Arkade: the payment is held, the coin locked, claimed, and the payment settled', async () => {
    const had = await stage.client.arkade.balance();
    const { swap } = await receive();
    const hash = stage.wallet.pay(swap.bolt11);
    await stage.reached(swap, 'serverfunded');
    expect(await stage.wallet.payment(hash)).toBe('in-flight');
    await stage.client.claim(swap);
    await stage.reached(swap, 'serverredeemed');
    // The payer hears of it a moment after our lnd does.
    await expect.poll(() => stage.wallet.payment(hash), { timeout: 60_000 }).toBe('settled');
    expect({
      faults: faultsOf('lightning_to_arkade', await stage.client.record(swap)),
      got: (await stage.client.arkade.balance()) - had,
    }).toEqual({ faults: [], got: 49_875 });
  });

  test('from Arkade to Lightning: the coin is seen, the invoice paid, and the coin claimed', async () => {
    const { swap, hash } = await send();
    await stage.operator.faucet(swap.vhtlc.address, swap.price);
    await stage.reached(swap, 'serverredeemed');
    expect({
      faults: faultsOf('arkade_to_lightning', await stage.client.record(swap)),
      invoice: await stage.wallet.invoiceState(hash),
      left: await stage.client.arkade.unspent(swap.vhtlc),
    }).toEqual({ faults: [], invoice: 'settled', left: [] });
  });

  test('while the payee keeps the payment nothing is refunded, and when it fails the coin goes back', async () => {
    const had = await stage.client.arkade.balance();
    const { swap, hash } = await send(40_000, 'held');
    await stage.operator.faucet(swap.vhtlc.address, swap.price);
    await expect.poll(() => stage.wallet.invoiceState(hash), { timeout: 60_000 }).toBe('held');
    await expect(stage.client.cosigned(swap)).rejects.toThrow(
      /403 Refund not allowed in current swap state \(serverfunded\)/,
    );
    await stage.wallet.cancel(hash);
    await stage.reached(swap, 'serverwontfund');
    await stage.client.collabRefund(swap);
    await stage.reached(swap, 'clientrefunded');
    expect((await stage.client.arkade.balance()) - had).toBe(swap.price);
  });

  test('a coin that comes late is not paid for and goes back', async () => {
    const { sent } = late[0] ?? expect.fail('no swap was left waiting');
    await stage.reached(sent, 'expired');
    await stage.operator.faucet(sent.vhtlc.address, sent.price);
    await stage.reached(sent, 'clientfundedtoolate');
    await stage.client.collabRefund(sent);
    await stage.reached(sent, 'clientrefunded');
  });

  test('a payment that comes late is refused by lnd, and nothing is locked', async () => {
    const { received } = late[0] ?? expect.fail('no swap was left waiting');
    await pause(Math.max(0, windowSeconds * 1_000 + 1_000 - (performance.now() - begun)));
    const hash = stage.wallet.pay(received.bolt11);
    await stage.reached(received, 'expired');
    // lnd keeps no record of a payment that it never began.
    expect([await stage.wallet.payment(hash), await stage.client.arkade.coins(received.vhtlc)]).toEqual([
      'unknown',
      [],
    ]);
  });

  test('not one satoshi is unaccounted for', async () => {
    expect(await oracle.faults(before, played)).toEqual([]);
  });

  test('and one that leaves by another door would be seen', async () => {
    const preimage = randomBytes(32);
    await payViaPaymentDetails({
      lnd: stage.ours.lnd,
      destination: stage.theirs.publicKey,
      id: createHash('sha256').update(preimage).digest('hex'),
      tokens: 1,
      messages: [{ type: '5482373484', value: preimage.toString('hex') }],
    });
    await stage.operator.faucet(stage.client.arkade.address, 1_000);
    expect(await oracle.faults(before, played)).toEqual([
      expect.stringMatching(/^the node paid the hash [0-9a-f]{64}, which belongs to no swap$/),
      expect.stringMatching(/^lightningMsat is \d+, and must be \d+: -1000 too much$/),
      expect.stringMatching(/^client is \d+, and must be \d+: 1000 too much$/),
    ]);
  });
});
