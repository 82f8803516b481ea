import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SandboxControls, createControls } from '../../../engine/sandbox/controls.ts';
import type { EvmEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { readEndpoints } from '../../support/sandbox-endpoints.ts';
import { alice, bob, signed, token, transferring } from './kit.ts';

const program = join(import.meta.dirname, '..', 'program.ts');

let dataDir: string;
let running: ChildProcess[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
  running = [];
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly controls: SandboxControls;
  readonly chain: EvmEndpoints;
}

async function start(): Promise<Started> {
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(child);
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the sandbox ended'))),
  ]);
  const endpoints = readEndpoints(dataDir);
  const chain = endpoints?.evm?.['137'];
  if (endpoints === null || chain === undefined) throw new Error('the sandbox has no chain 137');
  return { child, chain, controls: createControls(endpoints) };
}

async function ask({ rpcUrl }: EvmEndpoints, method: string, ...params: unknown[]): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const { result, error } = (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as {
    result?: unknown;
    error?: { message: string };
  };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

/** Every process below this one, and below those. */
function descendants(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' });
  const children = stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number);
  return [...children, ...children.flatMap(descendants)];
}

function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

test('killed, the sandbox leaves no anvil behind, and finds its chains as a wallet saw them', async () => {
  const first = await start();
  await first.controls.evmNode('137', alice.address);
  const raw = await signed(alice, { nonce: 0, to: token('WBTC'), data: transferring(bob.address, 7n) });
  const hash = await ask(first.chain, 'eth_sendRawTransaction', raw);
  await expect.poll(() => ask(first.chain, 'eth_getTransactionReceipt', hash), { timeout: 60_000 }).not.toBeNull();
  const waiting = await ask(first.chain, 'eth_sendRawTransaction', await signed(alice, { nonce: 2, to: bob.address }));
  const receipt = (await ask(first.chain, 'eth_getTransactionReceipt', hash)) as { blockNumber: string };
  const { clock } = await first.controls.advance(86_400);
  const latest = await ask(first.chain, 'eth_getBlockByNumber', 'latest', false);
  const left = descendants(first.child.pid!);
  expect(left.length).toBeGreaterThanOrEqual(4);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await expect.poll(() => left.filter(isAlive), { timeout: 60_000 }).toEqual([]);

  const second = await start();
  expect(second.chain).toEqual(first.chain);
  expect(await ask(second.chain, 'eth_getTransactionReceipt', hash)).toEqual(receipt);
  const { number, timestamp } = latest as { number: string; timestamp: string };
  expect(Number(timestamp)).toBeGreaterThanOrEqual(clock);
  expect(await ask(second.chain, 'eth_getBlockByNumber', number, false)).toEqual(latest);
  expect(await ask(second.chain, 'eth_getTransactionByHash', waiting)).toMatchObject({ blockNumber: null });
  const later = await second.controls.advance(1);
  expect(
    Number(
      ((await ask(second.chain, 'eth_getBlockByNumber', 'latest', false)) as typeof latest & { timestamp: string })
        .timestamp,
    ),
  ).toBeGreaterThanOrEqual(later.clock);
});

test('a reset begins both chains anew at the same places', async () => {
  const { controls, chain } = await start();
  await controls.evmFaucet('137', { address: bob.address, token: token('WBTC'), amount: '5' });
  await controls.evmFault('137', { rpc: 'away' });
  await controls.reset();
  const data = { to: token('WBTC'), data: `0x70a08231${bob.address.slice(2).padStart(64, '0')}` };
  expect(BigInt((await ask(chain, 'eth_call', data, 'latest')) as string)).toBe(0n);
});
