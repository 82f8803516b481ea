import { once } from 'node:events';
import * as lnd from 'ln-service';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { sats } from '../../engine/domain/money.ts';
import { scriptOf } from '../../engine/sandbox/world/bitcoin/address.ts';
import { type LndServer, serveLnd } from '../../engine/sandbox/wire/lnd.ts';
import { makeCertificate } from '../../engine/sandbox/wire/lnd/certificate.ts';
import { bakeMacaroon } from '../../engine/sandbox/wire/lnd/macaroon.ts';
import { type Worlds, openWorlds } from './worlds.ts';

const certificate = makeCertificate();
const rootKey = new Uint8Array(32).fill(7);
const macaroon = bakeMacaroon(rootKey);
const secret = '5a'.repeat(32);
const id = createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex');

let worlds: Worlds;
let server: LndServer;
let node: lnd.AuthenticatedLnd;

beforeEach(async () => {
  worlds = openWorlds(undefined, () => Math.floor(Date.now() / 1000));
  server = await serveLnd({ world: worlds.lightning, bitcoin: worlds.bitcoin, port: 0, certificate, rootKey });
  node = connect(Buffer.from(macaroon).toString('hex'));
});

afterEach(async () => {
  for (const service of Object.values(node) as unknown as { close(): void }[]) service.close();
  await server.stop();
});

function connect(macaroonHex: string): lnd.AuthenticatedLnd {
  return lnd.authenticatedLndGrpc({
    cert: Buffer.from(certificate.cert).toString('base64'),
    macaroon: macaroonHex,
    socket: server.socket,
  }).lnd;
}

/** The value a promise rejects with. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
}

/** code, message and what the daemon said. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  const error = (await failure(call)) as [number, string, { err?: { code: number; details: string } }?];
  return [error[0], error[1], ...(error[2]?.err === undefined ? [] : [error[2].err.code, error[2].err.details])];
}

function outsideInvoice(
  terms: { hold?: boolean; amount?: bigint; cltvDelta?: number; expirySeconds?: number } = {},
): string {
  const { hold = false, amount = 100_000n, ...rest } = terms;
  return worlds.lightning.addInvoice('outside', { hold, amountMsat: amount * 1000n, memo: 'outside', ...rest }).bolt11;
}

function payFromOutside(bolt11: string): void {
  worlds.lightning.send('outside', { bolt11, feeLimitMsat: 1_000_000n });
}

test('the node tells who it is, where the chain is and what its channel holds', async () => {
  const [info, balance, { channels }, pending, height, version, identity] = await Promise.all([
    lnd.getWalletInfo({ lnd: node }),
    lnd.getChannelBalance({ lnd: node }),
    lnd.getChannels({ lnd: node }),
    lnd.getPendingChannels({ lnd: node }),
    lnd.getHeight({ lnd: node }),
    lnd.getWalletVersion({ lnd: node }),
    lnd.getIdentity({ lnd: node }),
  ]);
  const tip = worlds.bitcoin.tip();
  expect(info).toMatchObject({
    public_key: worlds.lightning.pubkey('node'),
    current_block_height: tip.height,
    current_block_hash: tip.hash,
    is_synced_to_chain: true,
    version: '0.20.2-beta commit=sandbox',
  });
  expect(balance).toEqual({
    channel_balance: 1_000_000_000,
    channel_balance_mtokens: '1000000000000',
    inbound: 1_000_000_000,
    inbound_mtokens: '1000000000000',
    pending_balance: 0,
    pending_inbound: 0,
    unsettled_balance: 0,
    unsettled_balance_mtokens: '0',
  });
  expect(channels).toMatchObject([
    {
      capacity: 2_000_000_000,
      is_active: true,
      local_balance: 1_000_000_000,
      remote_balance: 1_000_000_000,
      partner_public_key: worlds.lightning.pubkey('hub'),
    },
  ]);
  expect(pending).toEqual({ pending_channels: [] });
  expect(height).toEqual({ current_block_hash: tip.hash, current_block_height: tip.height });
  expect(version.is_invoicesrpc_enabled).toBe(true);
  expect(identity).toEqual({ public_key: worlds.lightning.pubkey('node') });
});

test('the on-chain wallet makes addresses of each kind and sees what comes to them', async () => {
  const address = (type: string) =>
    new Promise<string>((resolve, reject) => {
      node.default.newAddress({ type }, (error: unknown, row: { address: string }) =>
        error ? reject(error) : resolve(row.address),
      );
    });
  const [segwit, nested, taproot] = await Promise.all(
    ['WITNESS_PUBKEY_HASH', 'NESTED_PUBKEY_HASH', 'TAPROOT_PUBKEY'].map(address),
  );
  expect([segwit, nested, taproot]).toEqual([
    expect.stringMatching(/^bcrt1q/),
    expect.stringMatching(/^2/),
    expect.stringMatching(/^bcrt1p/),
  ]);
  const script = scriptOf(taproot ?? '');
  if (script === null) throw new Error('the address is none');
  worlds.bitcoin.mine(100);
  expect(await address('UNUSED_TAPROOT_PUBKEY')).toBe(taproot);
  worlds.bitcoin.faucet(script, sats(70_000));
  expect([await lnd.getChainBalance({ lnd: node }), await lnd.getPendingChainBalance({ lnd: node })]).toMatchObject([
    { chain_balance: 1_000_000 },
    { pending_chain_balance: 70_000 },
  ]);
  worlds.bitcoin.mine(1);
  expect(await lnd.getChainBalance({ lnd: node })).toEqual({ chain_balance: 1_070_000 });
  expect(await address('UNUSED_TAPROOT_PUBKEY')).not.toBe(taproot);
});

test('a wrong macaroon and a missing one are refused in the words of lnd', async () => {
  expect(await refusal(lnd.getWalletInfo({ lnd: connect('00ff') }))).toEqual([
    503,
    'GetWalletInfoErr',
    2,
    'cannot determine data format of binary-encoded macaroon',
  ]);
  const other = Buffer.from(bakeMacaroon(new Uint8Array(32).fill(8))).toString('hex');
  expect(await refusal(lnd.getWalletInfo({ lnd: connect(other) }))).toEqual([
    503,
    'GetWalletInfoErr',
    2,
    'verification failed: signature mismatch after caveat verification',
  ]);
});

test('a hold invoice is open, held, settled, and its subscription ends', async () => {
  const created = await lnd.createHodlInvoice({
    lnd: node,
    id,
    tokens: 50_000,
    description: 'swap',
    cltv_delta: 150,
    expires_at: new Date(Date.now() + 600_000).toISOString(),
  });
  const updates: { is_held?: boolean; is_confirmed: boolean }[] = [];
  const subscription = lnd.subscribeToInvoice({ lnd: node, id });
  subscription.on('invoice_updated', (update) => updates.push(update));
  const ended = once(subscription, 'end');
  expect(await lnd.getInvoice({ lnd: node, id })).toMatchObject({
    is_confirmed: false,
    tokens: 50_000,
    description: 'swap',
    cltv_delta: 150,
    request: created.request,
    payments: [],
  });
  expect(await refusal(lnd.settleHodlInvoice({ lnd: node, secret }))).toEqual([
    402,
    'CannotSettleHtlcBeforeHtlcReceived',
  ]);

  payFromOutside(created.request);
  const held = await lnd.getInvoice({ lnd: node, id });
  expect(held).toMatchObject({
    is_held: true,
    received: 0,
    payments: [{ is_held: true, mtokens: '50000000', timeout: worlds.bitcoin.tip().height + 153 }],
  });

  await lnd.settleHodlInvoice({ lnd: node, secret });
  await lnd.settleHodlInvoice({ lnd: node, secret });
  await ended;
  expect(updates.map(({ is_held, is_confirmed }) => [is_held ?? false, is_confirmed])).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
  expect(await lnd.getInvoice({ lnd: node, id })).toMatchObject({ is_confirmed: true, received: 50_000, secret });
  expect(worlds.lightning.payment('outside', id)).toMatchObject({ outcome: 'settled', preimage: secret });
  expect(await refusal(lnd.cancelHodlInvoice({ lnd: node, id }))).toEqual([
    503,
    'UnexpectedErrorCancelingHodlInvoice',
    2,
    'invoice already settled',
  ]);
});

test('a cancelled hold invoice gives the payment back and can never be settled', async () => {
  const { request } = await lnd.createHodlInvoice({ lnd: node, id, tokens: 50_000 });
  payFromOutside(request);
  const updates: unknown[] = [];
  const subscription = lnd.subscribeToInvoice({ lnd: node, id });
  subscription.on('invoice_updated', ({ is_held, is_canceled }) =>
    updates.push([is_held ?? false, is_canceled ?? false]),
  );
  await once(subscription, 'invoice_updated');
  const ended = once(subscription, 'end');
  await lnd.cancelHodlInvoice({ lnd: node, id });
  await lnd.cancelHodlInvoice({ lnd: node, id });
  await ended;
  expect(updates).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(worlds.lightning.payment('outside', id)).toMatchObject({ outcome: 'failed', failure: 'incorrect-details' });
  expect(await refusal(lnd.settleHodlInvoice({ lnd: node, secret }))).toEqual([
    503,
    'UnexpectedErrorWhenSettlingHodlInvoice',
    2,
    'invoice already canceled',
  ]);
});

test('an unknown hash, a used hash and a short CLTV delta are refused in the words of lnd', async () => {
  expect(await refusal(lnd.getInvoice({ lnd: node, id }))).toEqual([
    503,
    'UnexpectedLookupInvoiceErr',
    5,
    'unable to locate invoice',
  ]);
  expect(await refusal(lnd.settleHodlInvoice({ lnd: node, secret }))).toEqual([
    404,
    'SecretDoesNotMatchAnyExistingHodlInvoice',
  ]);
  expect(await refusal(lnd.cancelHodlInvoice({ lnd: node, id }))).toEqual([
    503,
    'UnexpectedErrorCancelingHodlInvoice',
    2,
    'unable to locate invoice',
  ]);
  expect(await refusal(lnd.createHodlInvoice({ lnd: node, id, tokens: 1_000, cltv_delta: 17 }))).toEqual([
    503,
    'UnexpectedAddHodlInvoiceError',
    2,
    'CLTV delta of 17 must be greater than minimum of 18',
  ]);
  await lnd.createHodlInvoice({ lnd: node, id, tokens: 1_000 });
  expect(await refusal(lnd.createHodlInvoice({ lnd: node, id, tokens: 1_000 }))).toEqual([
    503,
    'UnexpectedAddHodlInvoiceError',
    2,
    'invoice with payment hash already exists',
  ]);
  expect(await refusal(lnd.getPayment({ lnd: node, id }))).toEqual([404, 'SentPaymentNotFound']);
});

test('an ordinary invoice is paid at once and subscribers of all invoices hear of both steps', async () => {
  const updates: unknown[] = [];
  const all = lnd.subscribeToInvoices({ lnd: node });
  const twice = new Promise<void>((resolve) => {
    all.on('invoice_updated', ({ tokens, is_confirmed }) => {
      updates.push([tokens, is_confirmed]);
      if (updates.length === 2) resolve();
    });
  });
  await lnd.getWalletInfo({ lnd: node });
  const created = await lnd.createInvoice({ lnd: node, tokens: 1_234, description: 'deposit' });
  payFromOutside(created.request);
  await twice;
  all.removeAllListeners();
  expect(updates).toEqual([
    [1_234, false],
    [1_234, true],
  ]);
  expect(await lnd.getInvoice({ lnd: node, id: created.id })).toMatchObject({
    is_confirmed: true,
    received: 1_234,
    secret: created.secret,
    cltv_delta: 80,
  });
  expect(await lnd.getChannelBalance({ lnd: node })).toMatchObject({ channel_balance: 1_000_001_234 });
  const { invoices } = await lnd.getInvoices({ lnd: node });
  expect(invoices.map((invoice) => invoice.id)).toEqual([created.id]);
});

test('a payment settles with its preimage and fee, and is refused a second time', async () => {
  const request = outsideInvoice();
  const decoded = await lnd.decodePaymentRequest({ lnd: node, request });
  expect(decoded).toMatchObject({
    tokens: 100_000,
    mtokens: '100000000',
    destination: worlds.lightning.pubkey('outside'),
    description: 'outside',
    cltv_delta: 80,
  });
  const paid = await lnd.payViaPaymentRequest({
    lnd: node,
    request,
    max_fee: 2,
    max_timeout_height: worlds.bitcoin.tip().height + 200,
  });
  expect(paid).toMatchObject({
    id: decoded.id,
    fee_mtokens: '1100',
    mtokens: '100001100',
    secret: worlds.lightning.invoice('outside', decoded.id)?.preimage,
  });
  expect(await lnd.getPayment({ lnd: node, id: decoded.id })).toMatchObject({
    is_confirmed: true,
    is_failed: false,
    is_pending: false,
    payment: { secret: paid.secret, fee_mtokens: '1100' },
  });
  expect(await refusal(lnd.payViaPaymentRequest({ lnd: node, request, max_fee: 2 }))).toEqual([
    503,
    'UnexpectedPaymentError',
    6,
    'invoice is already paid',
  ]);
  expect((await lnd.getPayments({ lnd: node })).payments).toMatchObject([
    { id: decoded.id, is_confirmed: true, tokens: 100_000 },
  ]);
});

test('a payment to a hold invoice is in flight, refused a second time, and followed to its end', async () => {
  const request = outsideInvoice({ hold: true });
  const { id: hash } = await lnd.decodePaymentRequest({ lnd: node, request });
  const everything: string[] = [];
  const all = lnd.subscribeToPayments({ lnd: node });
  all.on('paying', () => everything.push('paying'));
  all.on('confirmed', () => everything.push('confirmed'));
  await lnd.getWalletInfo({ lnd: node });
  const paying = lnd.payViaPaymentRequest({ lnd: node, request, max_fee: 2 });
  const past = await trackedUntil(hash, 'paying');
  expect(await lnd.getPayment({ lnd: node, id: hash })).toMatchObject({
    is_confirmed: false,
    is_failed: false,
    is_pending: true,
  });
  expect(await refusal(lnd.payViaPaymentRequest({ lnd: node, request, max_fee: 2 }))).toEqual([
    503,
    'UnexpectedPaymentError',
    6,
    'payment is in transition',
  ]);
  expect((await lnd.getPendingPayments({ lnd: node })).payments).toMatchObject([{ id: hash }]);
  worlds.lightning.release(hash, 'settles');
  const [{ secret: revealed }] = await once(past, 'confirmed');
  expect(await paying).toMatchObject({ id: hash, secret: revealed });
  all.removeAllListeners();
  expect(everything.at(-1)).toBe('confirmed');
  expect(new Set(everything)).toEqual(new Set(['paying', 'confirmed']));
});

/** ln-service ends a subscription with its last listener. */
function keepOpen(emitter: { on(event: string, listener: () => void): unknown }, event: string): void {
  emitter.on(event, () => {});
}

/** Subscribed once the payment has begun: before, lnd answers that there is none. */
async function trackedUntil(hash: string, state: 'paying'): Promise<ReturnType<typeof lnd.subscribeToPastPayment>> {
  while (worlds.lightning.payment('node', hash) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  const past = lnd.subscribeToPastPayment({ lnd: node, id: hash });
  keepOpen(past, state);
  await once(past, state);
  return past;
}

test('each reason to fail is told apart as lnd tells it', async () => {
  const pay = (request: string, limits: { max_fee?: number; max_timeout_height?: number } = {}) =>
    refusal(lnd.payViaPaymentRequest({ lnd: node, request, max_fee: 10_000, ...limits }));
  const { height } = worlds.bitcoin.tip();
  const answers: Record<string, unknown> = {
    'fee too low': await pay(outsideInvoice(), { max_fee: 1 }),
    'own invoice': await pay((await lnd.createInvoice({ lnd: node, tokens: 1_000 })).request),
    'no room for the hop': await pay(outsideInvoice(), { max_timeout_height: height + 83 + 79 }),
    'no room for the end': await pay(outsideInvoice(), { max_timeout_height: height + 80 }),
    'too large': await pay(outsideInvoice({ amount: 1_000_000_001n })),
  };
  const cancelled = worlds.lightning.addInvoice('outside', { hold: true, amountMsat: 1_000_000n });
  worlds.lightning.cancel('outside', cancelled.hash);
  answers['cancelled'] = await pay(cancelled.bolt11);
  worlds.lightning.setFaults({ nextPayment: 'fails' });
  answers['bad luck'] = await pay(outsideInvoice());
  expect(answers).toEqual({
    'fee too low': [503, 'PaymentPathfindingFailedToFindPossibleRoute'],
    'own invoice': [503, 'PaymentPathfindingFailedToFindPossibleRoute'],
    'no room for the hop': [503, 'PaymentPathfindingFailedToFindPossibleRoute'],
    'no room for the end': [400, 'MaxTimeoutTooNearCurrentHeightToMakePayment'],
    'too large': [503, 'InsufficientBalanceToAttemptPayment'],
    cancelled: [503, 'PaymentRejectedByDestination'],
    'bad luck': [503, 'PaymentPathfindingFailedToFindPossibleRoute'],
  });
  expect(await lnd.getPayment({ lnd: node, id: cancelled.hash })).toMatchObject({
    is_failed: true,
    failed: { is_invalid_payment: true },
  });
  expect(await lnd.getChannelBalance({ lnd: node })).toMatchObject({
    channel_balance: 1_000_000_000,
    unsettled_balance: 0,
  });
});

test('an expired invoice is refused and leaves no payment', async () => {
  const request = outsideInvoice({ expirySeconds: 60 });
  const { id: hash } = await lnd.decodePaymentRequest({ lnd: node, request });
  worlds.bitcoin.advance(61);
  const [code, name, grpc, details] = (await refusal(
    lnd.payViaPaymentRequest({ lnd: node, request, max_fee: 2 }),
  )) as unknown[];
  expect([code, name, grpc]).toEqual([503, 'UnexpectedPaymentError', 2]);
  expect(details).toMatch(/^invoice expired\. Valid until /);
  expect(await refusal(lnd.getPayment({ lnd: node, id: hash }))).toEqual([404, 'SentPaymentNotFound']);
});

test('routes and their fees can be asked for', async () => {
  const request = outsideInvoice();
  const destination = worlds.lightning.pubkey('outside');
  const { height } = worlds.bitcoin.tip();
  const { route } = await lnd.getRouteToDestination({ lnd: node, destination, tokens: 100_000, cltv_delta: 80 });
  expect(route).toMatchObject({
    fee_mtokens: '1100',
    mtokens: '100001100',
    timeout: height + 80 + 80 + 6,
    hops: [{ public_key: worlds.lightning.pubkey('hub') }, { public_key: destination }],
  });
  expect(await lnd.getRoutingFeeEstimate({ lnd: node, request })).toMatchObject({ fee_mtokens: '1100' });
  const stranger = '02'.padEnd(66, '1');
  expect(await lnd.getRouteToDestination({ lnd: node, destination: stranger, tokens: 100_000 })).toEqual({});
});

test('every block is announced, however many come at once', async () => {
  const heights: number[] = [];
  const { height } = worlds.bitcoin.tip();
  const blocks = lnd.subscribeToBlocks({ lnd: node });
  const all = new Promise<void>((resolve) => {
    blocks.on('block', (block) => {
      heights.push(block.height);
      if (block.height === height + 13) resolve();
    });
  });
  await once(blocks, 'block');
  worlds.bitcoin.mine(2);
  worlds.bitcoin.advance(60);
  await all;
  blocks.removeAllListeners();
  expect(heights).toEqual(Array.from({ length: 14 }, (_, i) => height + i));
});

test('while the node is away calls fail without an answer and streams break, and back it is as before', async () => {
  const { request } = await lnd.createHodlInvoice({ lnd: node, id, tokens: 50_000 });
  const subscription = lnd.subscribeToInvoice({ lnd: node, id });
  keepOpen(subscription, 'invoice_updated');
  await once(subscription, 'invoice_updated');
  const broken = once(subscription, 'error');
  worlds.lightning.setFaults({ node: 'away' });
  const [error] = (await broken) as [{ code: number }];
  expect(error.code).toBe(14);
  const [, , fault] = (await failure(lnd.getInvoice({ lnd: node, id }))) as [number, string, { err: { code: number } }];
  expect(fault.err.code).toBe(14);
  payFromOutside(request);
  worlds.lightning.setFaults({ node: 'back' });
  await expect
    .poll(
      () =>
        lnd.getInvoice({ lnd: node, id }).then(
          (invoice) => invoice.is_held,
          () => null,
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
});
