import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Btcd } from '../kit/btcd.ts';

/** The sandbox's operator in a process of its own, following a real chain. */
export interface SandboxOperator {
  readonly url: string;
  readonly adminUrl: string;
  /** The control server, with its bearer token: the faucet and the faults. */
  readonly control: { readonly url: string; readonly token: string };
  stop(): Promise<void>;
}

const program = join(import.meta.dirname, '..', '..', '..', 'main', 'cli', 'sandbox.ts');

export async function startSandboxOperator(btcd: Btcd): Promise<SandboxOperator> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-operator-'));
  const { url, user, password, caFile } = btcd;
  const { protocol, host } = new URL(url);
  const child = spawn(process.execPath, [program, '--data-dir', folder, '--bitcoin-rpc', `${protocol}//${user}:${password}@${host}`, '--bitcoin-rpc-ca', caFile, '--parent-pipe'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const ready = await Promise.race([once(createInterface({ input: child.stdout }), 'line').then(() => true), ended.then(() => false)]);
  if (!ready) throw new Error(`the sandbox operator ended: ${said.slice(-5).join('\n')}`);
  const endpoints = JSON.parse(readFileSync(join(folder, 'sandbox', 'endpoints.json'), 'utf8')) as { control: SandboxOperator['control']; arkade: { url: string; adminUrl: string } };
  return {
    ...endpoints.arkade,
    control: endpoints.control,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
