import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createControls, type SandboxControls } from '../../../engine/sandbox/controls.ts';
import { readOperatorEndpoints } from '../../../engine/sandbox/endpoints.ts';
import type { Btcd } from './btcd.ts';
import { watchOver, type Daemon } from './daemon.ts';

/** The sandbox's Arkade operator, alone, on a btcd's clock; at the same ports over all its lives. */
export interface BorrowedOperator {
  readonly url: string;
  /** Its faucet and its faults. */
  readonly controls: SandboxControls;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const entry = join(import.meta.dirname, '..', '..', '..', 'main', 'cli', 'sandbox.ts');

export async function startOperator(btcd: Btcd, folder: string): Promise<BorrowedOperator> {
  const node = new URL(btcd.url);
  node.username = btcd.user;
  node.password = btcd.password;
  let daemon: Daemon;

  async function start(): Promise<void> {
    const child = spawn(process.execPath, [entry, '--data-dir', folder, '--bitcoin-rpc', node.href, '--bitcoin-rpc-ca', btcd.caFile], { stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-5_000)));
    daemon = watchOver(child, () => log);
    const ready = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'exit').then(() => null)]);
    if (ready === null) throw new Error(`the operator ended before it was ready:\n${log}`);
  }

  await start();
  const endpoints = readOperatorEndpoints(folder);
  if (endpoints === null) throw new Error('the operator wrote no endpoints');
  return { url: endpoints.arkade.url, controls: createControls(endpoints), start, kill: () => daemon.kill(), stop: () => daemon.stop() };
}
