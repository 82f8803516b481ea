import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createControls } from '../../../engine/sandbox/controls.ts';
import { readOperatorEndpoints } from '../../../engine/sandbox/endpoints.ts';
import type { Btcd } from './btcd.ts';
import { watchOver, type Daemon } from './daemon.ts';

/** An Arkade operator as the stories need it, at the same address over all its lives. */
export interface StageOperator {
  readonly url: string;
  /** Pays sats to an Arkade address; answers the coin, `txid:vout`. */
  faucet(address: string, sats: number): Promise<string>;
  /** SIGKILL and start again; null for an operator that is not ours to kill. */
  readonly life: { kill(): Promise<void>; start(): Promise<void> } | null;
  stop(): Promise<void>;
}

const entry = join(import.meta.dirname, '..', '..', '..', 'main', 'cli', 'sandbox.ts');

/** The sandbox's operator, alone, on a btcd's clock. */
export async function startOperator(
  btcd: Btcd,
  folder: string,
): Promise<StageOperator & { readonly adminUrl: string }> {
  const node = new URL(btcd.url);
  node.username = btcd.user;
  node.password = btcd.password;
  let daemon: Daemon;

  async function start(): Promise<void> {
    const child = spawn(
      process.execPath,
      [entry, '--data-dir', folder, '--bitcoin-rpc', node.href, '--bitcoin-rpc-ca', btcd.caFile],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-5_000)));
    daemon = watchOver(child, () => log);
    const ready = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'exit').then(() => null),
    ]);
    if (ready === null) throw new Error(`the operator ended before it was ready:\n${log}`);
  }

  await start();
  const endpoints = readOperatorEndpoints(folder);
  if (endpoints === null) throw new Error('the operator wrote no endpoints');
  const controls = createControls(endpoints);
  return {
    ...endpoints.arkade,
    async faucet(address, amount) {
      const { txid, vout } = await controls.arkadeFaucet({ address, amount });
      return `${txid}:${vout}`;
    },
    life: { kill: () => daemon.kill(), start },
    stop: () => daemon.stop(),
  };
}
