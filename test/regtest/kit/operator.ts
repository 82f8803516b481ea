import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createControls } from '../../../engine/sandbox/controls.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { readOperatorEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { openAdmin } from '../arkd/admin.ts';
import type { BitcoinNode } from './bitcoin-node.ts';
import { watchOver, type Daemon } from './daemon.ts';
import type { Faucet } from './faucet.ts';

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

/** Sats of a transaction with one input and one output, at the rate that the faucet pays. */
const commitmentFee = 250;

/**
 * The sandbox's operator, alone, on the clock of a Bitcoin node. With a faucet of that chain every coin that it pays
 * hangs on a transaction that the chain has, or takes with its next block, and can be brought there.
 */
export async function startOperator(
  bitcoin: BitcoinNode,
  folder: string,
  onChain?: Faucet,
): Promise<StageOperator & { readonly adminUrl: string }> {
  const node = new URL(bitcoin.url);
  node.username = bitcoin.user;
  node.password = bitcoin.password;
  let daemon: Daemon;

  async function start(): Promise<void> {
    const child = spawn(
      process.execPath,
      [
        ...[entry, '--data-dir', folder, '--bitcoin-rpc', node.href],
        ...(bitcoin.caFile === null ? [] : ['--bitcoin-rpc-ca', bitcoin.caFile]),
      ],
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

  /** Out of a coin that its wallet gets for that. */
  async function payFromChain({ pay }: Faucet, address: string, amount: number): Promise<Outpoint> {
    const wallet = await openAdmin(endpoints?.arkade.adminUrl ?? '').walletAddress();
    const coin = amount + commitmentFee;
    const { txid } = await pay([{ to: wallet, amount: BigInt(coin) }]);
    const paid = await controls.arkadeFaucet({ address, amount, from: `${txid}:0`, from_sats: coin });
    await bitcoin.rpc.call('sendrawtransaction', paid.commitment);
    return paid;
  }

  return {
    ...endpoints.arkade,
    async faucet(address, amount) {
      const { txid, vout } =
        onChain === undefined
          ? await controls.arkadeFaucet({ address, amount })
          : await payFromChain(onChain, address, amount);
      return `${txid}:${vout}`;
    },
    life: { kill: () => daemon.kill(), start },
    stop: () => daemon.stop(),
  };
}
