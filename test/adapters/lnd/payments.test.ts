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
