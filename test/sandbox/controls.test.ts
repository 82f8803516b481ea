import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lnd from 'ln-service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { type SandboxControls, createControls } from '../../engine/sandbox/controls.ts';
import { type Sandbox, runSandbox } from '../../engine/sandbox/process.ts';

let dataDir: string;
let sandbox: Sandbox;
let controls: SandboxControls;
let node: lnd.AuthenticatedLnd;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
  const started = await runSandbox({ dataDir, port: 0 });
  if (isRefusal(started)) throw new Error(started.sentence);
  sandbox = started;
  controls = createControls(sandbox.endpoints);
  const { socket, cert, adminMacaroon } = sandbox.endpoints.lnd;
  node = lnd.authenticatedLndGrpc({ socket, cert, macaroon: adminMacaroon }).lnd;
});

afterAll(async () => {
  for (const service of Object.values(node) as unknown as { close(): void }[]) service.close();
  await sandbox.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The addresses come from the operator itself: any coin of its own key will do. */
async function arkadeAddress(): Promise<string> {
  const { ArkAddress } = await import('@arkade-os/sdk');
  const info = (await fetch(`${sandbox.endpoints.arkade.url}/v1/info`).then((response) => response.json())) as {
    signerPubkey: string;
  };
  const operator = Buffer.from(info.signerPubkey, 'hex').subarray(-32);
  return new ArkAddress(operator, operator, 'tark').encode();
}

test('the overview names every network that there is', async () => {
  const { clock, ...networks } = await controls.state();
  const { identity_pubkey, height } = await lnd
    .getWalletInfo({ lnd: node })
    .then((info) => ({ identity_pubkey: info.public_key, height: info.current_block_height }));
  expect(networks).toEqual({
    arkade: { url: sandbox.endpoints.arkade.url },
    bitcoin: {
      esploraUrl: sandbox.endpoints.bitcoin.esploraUrl,
      height,
      mtp: expect.any(Number),
      feeRate: expect.any(Number),
    },
    lightning: {
      nodePubkey: identity_pubkey,
      peerPubkey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      lnurl: expect.stringMatching(/^lnurl1/),
      lightningAddress: expect.stringMatching(/^outside@127\.0\.0\.1:\d+$/),
    },
    evm: sandbox.endpoints.evm,
    faults: {
      arkade: 'back',
      lightning: 'back',
      bitcoin: 'back',
      nextPayment: null,
      hanging: [],
      evm: Object.fromEntries(Object.keys(sandbox.endpoints.evm ?? {}).map((chain) => [chain, 'back'])),
    },
  });
  expect(Math.abs(clock - Date.now() / 1000)).toBeLessThan(30);
});

test('a skew is told to the node and moves no clock of the networks', async () => {
  const before = await controls.state();
  await controls.skew(-50_400);
  const { skew, clock } = await controls.state();
  await controls.skew(0);
  expect([before.skew, skew, (await controls.state()).skew]).toEqual([undefined, -50_400, undefined]);
  expect(Math.abs(clock - before.clock)).toBeLessThan(5);
});

test('advancing moves the clock, the height and the median time past together', async () => {
  const before = await controls.state();
  const { clock } = await controls.advance(43_200);
  const after = await controls.state();
  expect(clock - before.clock).toBeGreaterThanOrEqual(43_200);
  expect(after.bitcoin.height - before.bitcoin.height).toBe(72);
  expect(Math.abs(after.bitcoin.mtp - clock)).toBeLessThanOrEqual(10);
  await controls.advance(1);
  expect((await controls.state()).bitcoin.height - after.bitcoin.height).toBe(11);
});

test('the outside wallet pays a hold invoice without waiting and sees how it ends', async () => {
  const preimage = 'c4'.repeat(32);
  const { createHash } = await import('node:crypto');
  const id = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
  const { request } = await lnd.createHodlInvoice({ lnd: node, id, tokens: 20_000 });
  expect(await controls.lightningPay(request)).toEqual({ payment_hash: id });
  expect(await controls.lightningPayment(id)).toEqual({ state: 'in_flight' });
  await expect.poll(() => lnd.getInvoice({ lnd: node, id }).then((invoice) => invoice.is_held)).toBe(true);
  await lnd.settleHodlInvoice({ lnd: node, secret: preimage });
  expect(await controls.lightningPayment(id)).toEqual({ state: 'settled', preimage });
});

test('a payment of the node fails, hangs, and is released as it was told', async () => {
  const [fails, hangs, settles] = [
    await controls.lightningInvoice({ amount_sats: 5_000, description: 'one' }),
    await controls.lightningInvoice({ amount_sats: 5_000 }),
    await controls.lightningInvoice({ amount_sats: 5_000, hold: true }),
  ];
  await controls.lightningFault({ next_payment: 'fails' });
  await expect(lnd.payViaPaymentRequest({ lnd: node, request: fails.bolt11, max_fee: 5 })).rejects.toMatchObject([
    503,
    'PaymentPathfindingFailedToFindPossibleRoute',
  ]);
  await controls.lightningFault({ next_payment: 'hangs' });
  const hanging = lnd
    .payViaPaymentRequest({ lnd: node, request: hangs.bolt11, max_fee: 5 })
    .catch((error: unknown) => error);
  await expect
    .poll(() => controls.lightningPayment(hangs.payment_hash).catch(() => null))
    .toEqual({ state: 'in_flight' });
  await controls.lightningRelease(hangs.payment_hash, 'fails');
  expect(await hanging).toMatchObject([503, 'PaymentRejectedByDestination']);
  const held = lnd.payViaPaymentRequest({ lnd: node, request: settles.bolt11, max_fee: 5 });
  await expect
    .poll(() => controls.lightningPayment(settles.payment_hash).catch(() => null))
    .toEqual({ state: 'in_flight' });
  await controls.lightningRelease(settles.payment_hash, 'settles');
  const { secret } = await held;
  expect(await controls.lightningPayment(settles.payment_hash)).toEqual({ state: 'settled', preimage: secret });
});

test('blocks come on request and by themselves', async () => {
  const before = await controls.state();
  expect((await controls.mine(3)).height).toBe(before.bitcoin.height + 3);
  await controls.mineEvery(1);
  await expect
    .poll(() => controls.state().then((state) => state.bitcoin.height), { timeout: 60_000 })
    .toBeGreaterThan(before.bitcoin.height + 3);
  const { height } = await controls.mineEvery(null);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect((await controls.state()).bitcoin.height).toBe(height);
});

test('the Bitcoin faucet pays, miners take what pays their rate, and a reorg gives it back or drops it', async () => {
  const { esploraUrl, rpc } = sandbox.endpoints.bitcoin;
  const status = (txid: string) =>
    fetch(`${esploraUrl}/tx/${txid}/status`).then((response) => (response.ok ? response.json() : null)) as Promise<{
      confirmed: boolean;
    } | null>;
  const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  const [large, dropped] = [
    await controls.bitcoinFaucet({ address, amount: 70_000 }),
    await controls.bitcoinFaucet({ address, amount: 30_000 }),
  ];
  await controls.setFees(50);
  await controls.mine(1);
  expect(await status(large.txid)).toEqual({ confirmed: false });
  await controls.setFees(1);
  const { height } = await controls.mine(1);
  expect([await status(large.txid), await status(dropped.txid)]).toMatchObject([
    { confirmed: true },
    { confirmed: true },
  ]);
  expect(await controls.reorg(2, [dropped.txid])).toEqual({ height });
  expect([await status(large.txid), await status(dropped.txid)]).toEqual([{ confirmed: false }, null]);
  const answer = await fetch(rpc.url, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${rpc.user}:${rpc.password}`)}` },
    body: JSON.stringify({ method: 'gettxout', params: [large.txid, large.vout] }),
  });
  expect(await answer.json()).toMatchObject({ result: { value: 0.0007, confirmations: 0, scriptPubKey: { address } } });
});

test('what is evicted leaves the mempool and may come again, and what a block has cannot be', async () => {
  const { esploraUrl } = sandbox.endpoints.bitcoin;
  const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  const { txid } = await controls.bitcoinFaucet({ address, amount: 40_000 });
  const hex = await (await fetch(`${esploraUrl}/tx/${txid}/hex`)).text();
  const has = async () => (await fetch(`${esploraUrl}/tx/${txid}/status`)).ok;
  await controls.evict(txid);
  await controls.mine(1);
  expect(await has()).toBe(false);
  expect((await fetch(`${esploraUrl}/tx`, { method: 'POST', body: hex })).ok).toBe(true);
  expect(await has()).toBe(true);
  await controls.mine(1);
  expect(await controls.forward('POST', '/sandbox/bitcoin/evict', { txid })).toEqual({
    status: 400,
    body: { error: `The mempool has no transaction ${txid}: name one that no block has yet.` },
  });
});

test('the Arkade faucet pays an address, and faults are taken', async () => {
  const { txid, vout } = await controls.arkadeFaucet({ address: await arkadeAddress(), amount: 100_000 });
  expect([txid, vout]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.any(Number)]);
  await controls.arkadeFault({ expire: `${txid}:${vout}` });
  await controls.arkadeFault({ next_submit: 'unanswered' });
  await controls.arkadeFault({ next_event: 'dropped' });
  const feeProgram = async () =>
    (
      (await (await fetch(`${sandbox.endpoints.arkade.url}/v1/info`)).json()) as {
        fees: { intentFee: { offchainInput: string } };
      }
    ).fees.intentFee.offchainInput;
  await controls.arkadeFault({ intent_fee_sats: 250 });
  const dear = await feeProgram();
  await controls.arkadeFault({ intent_fee_sats: 0 });
  expect([dear, await feeProgram()]).toEqual(['250.0', '']);
  await controls.arkadeFault({ operator: 'away' });
  expect(
    await fetch(`${sandbox.endpoints.arkade.url}/v1/info`).then(
      (response) => response.ok,
      () => false,
    ),
  ).toBe(false);
  await controls.arkadeFault({ operator: 'back' });
  expect((await fetch(`${sandbox.endpoints.arkade.url}/v1/info`)).ok).toBe(true);
});

test.each([
  ['POST', '/sandbox/clock/advance', { seconds: -1 }, 400, '"seconds" is a whole number from 0 to 31536000, not -1.'],
  [
    'POST',
    '/sandbox/clock/advance',
    { seconds: 1, days: 2 },
    400,
    'There is no field "days" here; the fields are "seconds".',
  ],
  ['POST', '/sandbox/clock/advance', [], 400, 'The body is one JSON object.'],
  ['POST', '/sandbox/clock/skew', {}, 400, '"seconds" is a whole number from -31536000 to 31536000, it is missing.'],
  [
    'POST',
    '/sandbox/clock/skew',
    { seconds: 31_536_001 },
    400,
    '"seconds" is a whole number from -31536000 to 31536000, not 31536001.',
  ],
  ['POST', '/sandbox/clock/advance', {}, 400, '"seconds" is a whole number from 0 to 31536000, it is missing.'],
  [
    'POST',
    '/sandbox/lightning/fault',
    { next_payment: 'explodes' },
    400,
    '"next_payment" is "fails", "hangs", not "explodes".',
  ],
  [
    'POST',
    '/sandbox/lightning/fault',
    { next_payment: 'fails', node: 'away' },
    400,
    'The body has exactly one of "next_payment", "node", not 2.',
  ],
  ['POST', '/sandbox/lightning/pay', { bolt11: 'lnbc1' }, 400, expect.stringMatching(/^invalid payment request/)],
  [
    'POST',
    '/sandbox/lightning/invoice',
    { amount_sats: 0 },
    400,
    expect.stringContaining('"amount_sats" is a whole number from 1'),
  ],
  [
    'POST',
    '/sandbox/lightning/release',
    { payment_hash: '00'.repeat(32), outcome: 'settles' },
    404,
    expect.stringContaining('no payment'),
  ],
  ['GET', `/sandbox/lightning/payments/${'00'.repeat(32)}`, undefined, 404, expect.stringContaining('no payment')],
  [
    'POST',
    '/sandbox/bitcoin/mine',
    { blocks: 1, auto_seconds: null },
    400,
    'The body has exactly one of "blocks", "auto_seconds", "auto", not 2.',
  ],
  [
    'POST',
    '/sandbox/arkade/faucet',
    { address: 'tark1nonsense', amount: 1_000 },
    400,
    expect.stringContaining('not an Arkade address'),
  ],
  ['POST', '/sandbox/bitcoin/reorg', { depth: 101 }, 400, '"depth" is a whole number from 1 to 100, not 101.'],
  [
    'POST',
    '/sandbox/bitcoin/reorg',
    { depth: 1, drop: ['all'] },
    400,
    '"drop" is a list of at most 1000 texts of 64 hexadecimal digits, not ["all"].',
  ],
  ['POST', '/sandbox/bitcoin/fees', { sat_per_vb: 0 }, 400, '"sat_per_vb" is a whole number from 1 to 10000, not 0.'],
  ['POST', '/sandbox/bitcoin/evict', { txid: 'ab' }, 400, '"txid" is 64 hexadecimal digits, not "ab".'],
  [
    'POST',
    '/sandbox/bitcoin/faucet',
    { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', amount: 1_000 },
    400,
    expect.stringContaining('not a Bitcoin address of regtest'),
  ],
  [
    'POST',
    '/sandbox/bitcoin/faucet',
    { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: 100 },
    400,
    'dust, tx with dust output must be 0-fee',
  ],
  [
    'POST',
    '/sandbox/bitcoin/faucet',
    { address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: 100_000_000_000 },
    400,
    expect.stringContaining('has no coin of 100000000000 sats left'),
  ],
  ['GET', '/sandbox/clock/advance', undefined, 405, '/sandbox/clock/advance takes POST, not GET.'],
])('%s %s %j is refused with a sentence', async (method, path, body, status, error) => {
  expect(await controls.forward(method, path, body)).toEqual({ status, body: { error } });
});

test('nobody gets in without the control token', async () => {
  const stranger = createControls({ control: { url: sandbox.url, token: 'a guess' } });
  expect(await stranger.forward('GET', '/sandbox')).toMatchObject({ status: 401 });
  await expect(stranger.state()).rejects.toMatchObject({ code: 'sandbox-refused', retry: 'never' });
});

test('a reset makes fresh networks at the same places, and the clock goes on', async () => {
  const before = await controls.state();
  const invoice = await controls.lightningInvoice({ amount_sats: 1_000 });
  await controls.mineOnDemand();
  await controls.reset();
  const after = await controls.state();
  expect(after).toMatchObject({
    arkade: before.arkade,
    bitcoin: { esploraUrl: before.bitcoin.esploraUrl, height: 101 },
  });
  expect(after.lightning.nodePubkey).not.toBe(before.lightning.nodePubkey);
  expect(after.clock).toBeGreaterThanOrEqual(before.clock);
  await expect
    .poll(
      () =>
        lnd.getWalletInfo({ lnd: node }).then(
          (info) => info.public_key,
          () => null,
        ),
      { timeout: 60_000 },
    )
    .toBe(after.lightning.nodePubkey);
  await expect
    .poll(() => lnd.getChannelBalance({ lnd: node }).then((balance) => balance.channel_balance))
    .toBe(1_000_000_000);
  await expect(controls.lightningPay(invoice.bolt11)).resolves.toBeDefined();
  // Blocks come as before, on demand.
  await controls.bitcoinFaucet({ address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: 10_000 });
  await expect
    .poll(() => controls.state().then(({ bitcoin }) => bitcoin.height), { timeout: 60_000 })
    .toBeGreaterThan(after.bitcoin.height);
  expect(await controls.forward('POST', '/sandbox/reset', { really: true })).toEqual({
    status: 400,
    body: { error: 'There is no field "really" here; the body is empty.' },
  });
});
