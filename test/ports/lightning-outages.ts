import { expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { LightningSubscription } from '../../engine/legs/lightning/port.ts';
import { failureOf, hashOf, patience, refusals, type Scene } from './lightning-scene.ts';

export function outageTests(scene: () => Scene): void {
  function watching(): { calls: string[]; watch: LightningSubscription; called(call: string): Promise<void> } {
    const calls: string[] = [];
    const watch = scene().port.watch({
      onHold: (of) => calls.push(`hold ${toHex(of)}`),
      onPayment(of, settled) {
        calls.push(`payment ${toHex(of)}`);
        if (settled !== undefined) calls.push(`settled ${toHex(hashOf(settled.preimage))} for ${settled.feeMsat}`);
      },
      onGap: () => calls.push('gap'),
    });
    return { calls, watch, called: (call) => expect.poll(() => calls, patience).toContain(call) };
  }

  test('a watch calls for each change of what it watches, and for nothing once it is removed or stopped', async () => {
    const { port, controls, hash, preimage, hold, heldBy, inFlight, settled } = scene();
    const { calls, watch, called } = watching();
    await hold();
    watch.addHold(hash);
    calls.length = 0;
    await heldBy();
    await called(`hold ${toHex(hash)}`);
    const invoice = await inFlight(25_000);
    watch.addPayment(invoice.hash);
    calls.length = 0;
    await controls.settleOutside(invoice.hash);
    await called(`payment ${toHex(invoice.hash)}`);
    await called(`settled ${toHex(invoice.hash)} for ${(await settled(invoice.hash)).feeMsat}`);
    const follows = watch.followsHold(hash);
    watch.removeHold(hash);
    await watch.stop();
    calls.length = 0;
    await port.settle(preimage);
    expect([await port.hold(hash), calls]).toEqual([{ is: 'settled' }, []]);
    expect([follows, watch.followsHold(hash)]).toEqual([true, false]);
  });

  test('while the connection is cut nothing is known, and it comes back with a gap and what happened meanwhile', async () => {
    const { port, controls, hash, preimage, hold, inFlight, settled } = scene();
    const { calls, watch, called } = watching();
    const { bolt11 } = await hold();
    const sent = await inFlight(25_000);
    watch.addHold(hash);
    watch.addPayment(sent.hash);
    const expiresAt = unix((await controls.now()) + 600);
    await controls.cut();
    // A call that was on its way may wait for an answer until our own clock ends it.
    await expect.poll(() => failureOf(port.info()), patience).toEqual(['lightning-away', 'safe']);
    const request = { ...sent, amount: sats(25_000), maxFeeMsat: 0n, maxTimeoutHeight: 1 };
    expect(
      await refusals({
        info: port.info(),
        liquidity: port.liquidity(),
        hold: port.hold(hash),
        payment: port.payment(sent.hash),
        estimate: port.estimateFee(sent.bolt11),
        pay: port.pay(request),
        createHold: port.createHold({ hash, amount: sats(1), description: '', expiresAt, cltvDelta: 100 }),
        settle: port.settle(preimage),
        cancel: port.cancel(hash),
        createInvoice: port.createInvoice({ amount: sats(1), description: '' }),
      }),
    ).toEqual({
      info: ['lightning-away', 'safe'],
      liquidity: ['lightning-away', 'safe'],
      hold: ['lightning-away', 'safe'],
      payment: ['lightning-away', 'safe'],
      estimate: ['lightning-away', 'safe'],
      pay: ['lightning-away', 'safe'],
      createHold: ['lightning-away', 'ask-first'],
      settle: ['lightning-away', 'ask-first'],
      cancel: ['lightning-away', 'ask-first'],
      createInvoice: ['lightning-away', 'ask-first'],
    });
    await controls.payFromOutside(bolt11);
    await controls.settleOutside(sent.hash);
    calls.length = 0;
    await controls.mend();
    await called('gap');
    await expect
      .poll(
        () =>
          port.hold(hash).then(
            (state) => state.is,
            () => 'no answer',
          ),
        patience,
      )
      .toBe('held');
    await settled(sent.hash);
    await watch.stop();
    await port.cancel(hash);
  });

  test('a node that is killed holds on to what it held, finds what it sent, and its watch reports again by itself', async () => {
    const { port, controls, hash, preimage, heldBy, inFlight, invoice, pay, ended, settled } = scene();
    const { calls, watch, called } = watching();
    const held = await heldBy();
    const sent = await inFlight(25_000);
    const sentAndSettled = await inFlight(26_000);
    watch.addHold(hash);
    watch.addPayment(sent.hash);
    await called(`hold ${toHex(hash)}`);
    const racing = await invoice(27_000);
    const started = failureOf(pay(racing, 27_000));
    await controls.kill('node');
    // Taken over or not, nobody knows: anything but a definite no.
    expect((await started)?.[1]).not.toBe('never');
    await expect
      .poll(() => refusals({ hold: port.hold(hash), payment: port.payment(sent.hash) }), patience)
      .toEqual({ hold: ['lightning-away', 'safe'], payment: ['lightning-away', 'safe'] });
    await controls.settleOutside(sentAndSettled.hash);
    calls.length = 0;
    await controls.revive('node');
    await called('gap');
    await called(`hold ${toHex(hash)}`);
    await called(`payment ${toHex(sent.hash)}`);
    expect([await port.hold(hash), await port.payment(sent.hash)]).toEqual([held, { is: 'in-flight' }]);
    await settled(sentAndSettled.hash);
    await pay(racing, 27_000);
    await ended(racing.hash);
    await pay(sent, 25_000);
    expect(await port.payment(sent.hash)).toEqual({ is: 'in-flight' });
    await Promise.all([port.settle(preimage), controls.settleOutside(sent.hash)]);
    await settled(sent.hash);
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('settled');
    await watch.stop();
  });

  test('a payee that is killed while it holds leaves the payment in flight, and settles it when it is back', async () => {
    const { port, controls, inFlight, settled } = scene();
    const sent = await inFlight(25_000);
    await controls.kill('outside');
    expect(await port.payment(sent.hash)).toEqual({ is: 'in-flight' });
    await controls.revive('outside');
    expect(await port.payment(sent.hash)).toEqual({ is: 'in-flight' });
    await controls.settleOutside(sent.hash);
    await settled(sent.hash);
  });

  test('without its peer the node can neither pay nor receive, keeps what it holds, and can again when the peer is back', async () => {
    const { port, controls, hash, preimage, heldBy, invoice, pay, failed, settled } = scene();
    const before = await port.liquidity();
    const held = await heldBy();
    await controls.withdrawPeer();
    await expect
      .poll(async () => ({ ...(await port.liquidity()), pending: 0n }), patience)
      .toEqual({ outbound: 0n, inbound: 0n, pending: 0n, leastHeld: 0n });
    const [during, after] = [await invoice(25_000), await invoice(25_000)];
    expect([await port.hold(hash), await port.estimateFee(during.bolt11)]).toEqual([held, null]);
    await pay(during, 25_000);
    expect(await failed(during.hash)).toBe('insufficient balance');
    await port.settle(preimage);
    expect(await port.hold(hash)).toEqual({ is: 'settled' });
    await controls.returnPeer();
    await expect.poll(() => controls.outsidePayment(hash), patience).toBe('settled');
    await expect.poll(async () => (await port.liquidity()).outbound - before.outbound, patience).toBe(50_000n);
    await pay(after, 25_000);
    await settled(after.hash);
  });

  test('without its chain the node answers what it knows, and our own clock ends the rest before anything is sent', async () => {
    const { port, controls, hash, preimage, heldBy, invoice, pay, settled } = scene();
    const held = await heldBy();
    const one = await invoice(25_000);
    const { height } = await port.info();
    const request = { ...one, amount: sats(25_000), maxFeeMsat: 100_000n, maxTimeoutHeight: height + 400 };
    await controls.withdrawChain();
    expect(
      await refusals({ info: port.info(), pay: port.pay(request), estimate: port.estimateFee(one.bolt11) }),
    ).toEqual({
      info: ['lightning-timeout', 'safe'],
      pay: ['lightning-timeout', 'safe'],
      estimate: ['lightning-timeout', 'safe'],
    });
    expect([await port.hold(hash), await port.payment(one.hash)]).toEqual([held, { is: 'absent' }]);
    await port.settle(preimage);
    expect(await port.hold(hash)).toEqual({ is: 'settled' });
    await controls.returnChain();
    await expect
      .poll(
        () =>
          port.info().then(
            (info) => info.synced,
            () => false,
          ),
        patience,
      )
      .toBe(true);
    await pay(one, 25_000);
    await settled(one.hash);
  });
}
