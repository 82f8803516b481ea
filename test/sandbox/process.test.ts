import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lnd from 'ln-service';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { type SandboxControls, createControls } from '../../engine/sandbox/controls.ts';
import { type SandboxEndpoints, endpointsFile } from '../../engine/sandbox/endpoints.ts';
import { runSandbox } from '../../engine/sandbox/process.ts';
import { readEndpoints } from '../support/sandbox-endpoints.ts';

const program = join(import.meta.dirname, 'program.ts');
const long = 60_000;

let dataDir: string;
let running: ChildProcess[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
  running = [];
});

afterEach(async () => {
  for (const child of running) await kill(child, 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(
  ...flags: string[]
): Promise<{ child: ChildProcess; endpoints: SandboxEndpoints; controls: SandboxControls }> {
  const child = spawn(process.execPath, [program, dataDir, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(child);
  if (child.stdout === null) throw new Error('the sandbox has no output');
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the sandbox ended'))),
  ]);
  const endpoints = readEndpoints(dataDir);
  if (endpoints === null) throw new Error('the sandbox wrote no endpoints');
  return { child, endpoints, controls: createControls(endpoints) };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  return (await exited)[0];
}

function nodeOf({ lnd: { socket, cert, adminMacaroon } }: SandboxEndpoints): lnd.AuthenticatedLnd {
  return lnd.authenticatedLndGrpc({ socket, cert, macaroon: adminMacaroon }).lnd;
}

function close(node: lnd.AuthenticatedLnd): void {
  for (const service of Object.values(node) as unknown as { close(): void }[]) service.close();
}

/** Everything that a client can see of the networks. */
async function viewOf(
  endpoints: SandboxEndpoints,
  controls: SandboxControls,
  hashes: { invoice: string; payment: string },
): Promise<unknown> {
  const node = nodeOf(endpoints);
  const { clock, ...state } = await controls.state();
  const all = {
    state,
    tip: await fetch(`${endpoints.bitcoin.esploraUrl}/blocks/tip/hash`).then((response) => response.text()),
    operator: await fetch(`${endpoints.arkade.url}/v1/info`).then((response) => response.json()),
    balance: await lnd.getChannelBalance({ lnd: node }),
    invoice: await lnd.getInvoice({ lnd: node, id: hashes.invoice }),
    payment: await lnd.getPayment({ lnd: node, id: hashes.payment }),
    outside: await controls.lightningPayment(hashes.invoice),
    faults: await controls.forward('POST', '/sandbox/lightning/release', {
      payment_hash: hashes.invoice,
      outcome: 'fails',
    }),
  };
  close(node);
  return { all, clock };
}

test('killed and started again, the networks are as they were, at the same places', { timeout: long }, async () => {
  const first = await start();
  const node = nodeOf(first.endpoints);
  const id = 'ab'.repeat(32);
  await first.controls.advance(86_400);
  await first.controls.skew(7);
  const { request } = await lnd.createHodlInvoice({ lnd: node, id, tokens: 70_000, cltv_delta: 200 });
  await first.controls.lightningPay(request);
  const outside = await first.controls.lightningInvoice({ amount_sats: 30_000 });
  await first.controls.lightningFault({ next_payment: 'hangs' });
  const paying = lnd
    .payViaPaymentRequest({ lnd: node, request: outside.bolt11, max_fee: 10 })
    .catch((error: unknown) => error);
  await expect
    .poll(
      () =>
        lnd.getPayment({ lnd: node, id: outside.payment_hash }).then(
          (payment) => payment.is_pending,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
  await expect.poll(() => lnd.getInvoice({ lnd: node, id }).then((invoice) => invoice.is_held)).toBe(true);
  const hashes = { invoice: id, payment: outside.payment_hash };
  const before = (await viewOf(first.endpoints, first.controls, hashes)) as { all: object; clock: number };
  await kill(first.child, 'SIGKILL');
  const error = (await paying) as [number, string, { err: { code: number } }];
  expect(error[2].err.code).toBe(14);
  close(node);

  const second = await start();
  expect({ ...second.endpoints, pid: 0 }).toEqual({ ...first.endpoints, pid: 0 });
  const after = (await viewOf(second.endpoints, second.controls, hashes)) as { all: object; clock: number };
  expect(after.all).toEqual(before.all);
  expect(after.clock).toBeGreaterThanOrEqual(before.clock);
  expect(after.clock).toBeLessThan(before.clock + 60);

  await second.controls.lightningRelease(outside.payment_hash, 'settles');
  expect(await second.controls.lightningPayment(outside.payment_hash)).toMatchObject({ state: 'settled' });
});

test('ends with its pipe, by a signal, and leaves no endpoints behind', { timeout: long }, async () => {
  const piped = await start('--parent-pipe');
  expect(statSync(endpointsFile(dataDir)).mode & 0o777).toBe(0o600);
  const exited = once(piped.child, 'exit');
  piped.child.stdin?.end();
  expect(await exited).toEqual([0, null]);
  expect(readEndpoints(dataDir)).toBeNull();
  const signalled = await start();
  expect(await kill(signalled.child, 'SIGTERM')).toBe(0);
  expect(readEndpoints(dataDir)).toBeNull();
});

test('a second one in the same folder finds the first and says so', { timeout: long }, async () => {
  const { endpoints } = await start();
  const second = await runSandbox({ dataDir, port: 0 });
  expect(second).toEqual({
    refusal: 'unavailable',
    sentence:
      `The sandbox of ${dataDir} runs already (process ${endpoints.pid}, ${endpoints.control.url}): use that one, ` +
      'stop it first, or choose another folder with --data-dir.',
  });
});

test(
  'a port that is taken is refused where it was asked for and replaced where it was not',
  { timeout: long },
  async () => {
    const first = await runSandbox({ dataDir, port: 0 });
    if (isRefusal(first)) throw new Error(first.sentence);
    const other = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
    const port = Number(new URL(first.url).port);
    expect(await runSandbox({ dataDir: other, port })).toMatchObject({
      refusal: 'unavailable',
      sentence: expect.stringContaining(`Port ${port} is in use`),
    });
    await first.stop();
    const blocker = await runSandbox({ dataDir: other, port });
    if (isRefusal(blocker)) throw new Error(blocker.sentence);
    const again = await runSandbox({ dataDir, port: 0 });
    if (isRefusal(again)) throw new Error(again.sentence);
    expect(again.url).not.toBe(first.url);
    expect(again.endpoints.lnd).toEqual(first.endpoints.lnd);
    await again.stop();
    await blocker.stop();
    rmSync(other, { recursive: true, force: true });
  },
);

test('the command runs the networks, and answers what it cannot do with a sentence', { timeout: long }, async () => {
  const command = join(import.meta.dirname, '../../main/cli/sandbox.ts');
  const run = (...flags: string[]) =>
    spawnSync(process.execPath, [command, '--data-dir', join(dataDir, 'new'), ...flags], {
      encoding: 'utf8',
      input: '',
    });
  const refused = ['--port=70000', '--colour=red', '--bitcoin-rpc=http://127.0.0.1:1'].map((flag) => run(flag));
  expect(refused.map(({ status, stdout, stderr }) => [status, stdout, stderr])).toEqual([
    [1, '', '--port takes a number from 0 to 65535, not "70000".\n'],
    [
      1,
      '',
      "Unknown option '--colour': known are --data-dir, --port, --bitcoin-rpc, --bitcoin-rpc-ca and --parent-pipe.\n",
    ],
    [1, '', 'The Bitcoin node 127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1.\n'],
  ]);
  const ran = run('--parent-pipe');
  expect([ran.status, ran.stderr]).toEqual([0, '']);
  expect(JSON.parse(ran.stdout)).toEqual({
    event: 'ready',
    url: expect.stringMatching(/^http:/),
    dataDir: join(dataDir, 'new'),
  });
});
