import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { pay, payment, settledBy } from '../../../engine/adapters/lnd/payments.ts';
import type { Lnd } from '../../../engine/adapters/lnd/rpc.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';
import { bytesField, descriptionField, secretField, writeInvoice } from './bolt11-writer.ts';

/* What lnd's Payment message comes to: its preimage is that of any part that settled, whatever its status. */

const secret = new Uint8Array(32).fill(7);
const hash = sha256Of(secret as never);
const route = { total_time_lock: 400, total_fees_msat: '3', hops: [{ chan_id: '7' }] };
const settledPart = { status: 'SUCCEEDED', route };
const flyingPart = { status: 'IN_FLIGHT', route };
const none = '00'.repeat(32);
const row = { status: 'IN_FLIGHT', payment_preimage: none, fee_msat: '5', failure_reason: 'FAILURE_REASON_NONE' };

/** At height 1000 an attempt of 400 that its channel does not hold dangles. */
function lndTelling(payment: object): Lnd {
  const info = { block_height: 1_000, best_header_timestamp: '1', chains: [{ network: 'regtest' }] };
  const channels = [{ chan_id: '7', alias_scids: [], zero_conf_confirmed_scid: '0', pending_htlcs: [] }];
  type Answer = (error: null, row: object) => void;
  return {
    lnd: {
      default: {
        getInfo: (_: object, __: object, answer: Answer) => answer(null, info),
        listChannels: (_: object, __: object, answer: Answer) => answer(null, { channels }),
      },
      router: {
        trackPaymentV2() {
          const stream = Object.assign(new EventEmitter(), { cancel: () => undefined });
          setImmediate(() => stream.emit('data', payment));
          return stream;
        },
      },
    } as never,
    network: 'regtest',
    limit: 1_000,
    now: () => unix(0),
    noteAnswer: () => undefined,
    silent: () => undefined,
    onRenewed: () => () => undefined,
  };
}

test.each([
  ['in flight', [settledPart, { ...flyingPart, route: { ...route, total_time_lock: 2_000 } }]],
  ['never sent, and dangles', [settledPart, flyingPart]],
])('fault 223, lightning: a part that settled has shown the secret, while another is %s', async (_, htlcs) => {
  const message = { ...row, payment_preimage: toHex(secret), htlcs };
  // Both will be paid for, unless the second one comes back.
  expect(await payment(lndTelling(message), hash)).toEqual({ is: 'settled', preimage: secret, feeMsat: 6n });
  const over = { ...message, status: 'SUCCEEDED' };
  expect(settledBy(over, hash)).toEqual({ is: 'settled', preimage: secret, feeMsat: 5n });
});

test('lightning: what shows no secret, or that of another hash, has settled nothing', async () => {
  const other = toHex(new Uint8Array(32).fill(8));
  for (const payment_preimage of [none, other, ''])
    expect(settledBy({ ...row, payment_preimage, htlcs: [flyingPart] }, hash)).toBeNull();
  await expect(payment(lndTelling({ ...row, status: 'SUCCEEDED', htlcs: [settledPart] }), hash)).rejects.toThrow(
    /shows no preimage/,
  );
  expect((await payment(lndTelling({ ...row, htlcs: [flyingPart] }), hash)).is).toBe('absent');
  const soon = { ...flyingPart, route: { ...route, total_time_lock: 2_000 } };
  expect((await payment(lndTelling({ ...row, htlcs: [soon] }), hash)).is).toBe('in-flight');
});

type Ending = { readonly code: number; readonly details: string };
const absent: Ending = { code: 5, details: "payment isn't initiated" };
const amp = 'the AMP flag (--amp or SendPaymentRequest.Amp) must be set to pay an AMP invoice';

/** lnd ends a send with these words; the looks before and after it are answered with others, or show a payment. */
function lndRefusing(sent: Ending, looks: readonly (Ending | object)[]): Lnd {
  const node = lndTelling(row);
  const left = [...looks];
  const streaming = (ending: Ending | object) => {
    const stream = Object.assign(new EventEmitter(), { cancel: () => undefined });
    setImmediate(() => ('details' in ending ? stream.emit('error', ending) : stream.emit('data', ending)));
    return stream;
  };
  Object.assign(node.lnd.router, {
    trackPaymentV2: () => streaming(left.shift() ?? absent),
    sendPaymentV2: () => streaming(sent),
  });
  return node;
}

const request = {
  ...{ hash, amount: sats(2_000), maxFeeMsat: 1n, maxTimeoutHeight: 1_400 },
  bolt11: writeInvoice('lnbcrt20u', 1, [bytesField(1, hash), secretField, descriptionField]),
};

test.each([[amp], ['invalid public key: unsupported format: 9'], ['invalid incomplete group'], ['invoice expired']])(
  'fault 370, lightning: a send that lnd ended and stored nothing of is refused for good: %s',
  async (details) => {
    for (const code of [2, 3, 9]) {
      const refused = pay(lndRefusing({ code, details }, []), request);
      await expect(refused).rejects.toMatchObject({ code: 'payment-refused', retry: 'never' });
    }
  },
);

test.each([
  ['a server that leaves', 2, 'routerrpc server shutting down'],
  ['a call that was let go', 2, 'rpc error: code = Canceled desc = context canceled'],
  ['a database that does not answer', 2, 'database not open'],
  ['a server that begins', 2, 'waiting to start, RPC services not available'],
  ['a chain that is behind', 2, 'chain backend is still syncing, server not active yet'],
  ['a proxy', 2, 'Received HTTP status code 500'],
  ['the transport', 14, amp],
  ['the own clock', 4, amp],
  ['no words', 2, ''],
])('lightning: a send that may still be on its way is no refusal: %s', async (_, code, details) => {
  const unsure = pay(lndRefusing({ code, details }, []), request);
  await expect(unsure).rejects.toMatchObject({ retry: 'ask-first' });
});

test('fault 370, lightning: a refusal is none while lnd shows a payment, or does not answer a look', async () => {
  const soon = { ...flyingPart, route: { ...route, total_time_lock: 2_000 } };
  await pay(lndRefusing({ code: 2, details: amp }, [absent, { ...row, htlcs: [soon] }]), request);
  // Nothing of it may be taken for untried: a look that is safe to repeat says nothing of the send.
  for (const look of [
    { code: 14, details: 'gone' },
    { code: 2, details: 'wallet locked, unlock it' },
  ]) {
    const unsure = pay(lndRefusing({ code: 2, details: amp }, [absent, look]), request);
    await expect(unsure).rejects.toMatchObject({ code: 'lightning-unclear', retry: 'ask-first' });
  }
});

test('fault 250, lightning: a payment over blinded paths is refused for good before lnd is asked', async () => {
  const usual = [bytesField(1, hash), secretField, descriptionField];
  const limits = { hash, amount: sats(2_000), maxFeeMsat: 1n, maxTimeoutHeight: 1_400 };
  const soon = { ...flyingPart, route: { ...route, total_time_lock: 2_000 } };
  const lnd = lndTelling({ ...row, htlcs: [soon] });
  const paying = (fields: typeof usual) => pay(lnd, { ...limits, bolt11: writeInvoice('lnbcrt20u', 1, fields) });
  await expect(paying([...usual, bytesField(20, new Uint8Array(60))])).rejects.toMatchObject({
    ...{ code: 'invoice-malformed', retry: 'never' },
  });
  // Without them the payment is looked for.
  await paying(usual);
});
