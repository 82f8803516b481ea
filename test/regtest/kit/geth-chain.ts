import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createWalletClient, encodeFunctionData, http, parseAbi, publicActions, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import genesis from '../../../resources/sandbox/evm-137.json' with { type: 'json' };
import { faucetAccount } from '../../../engine/sandbox/world/evm/faucet-account.ts';
import { temporaryFolder } from './daemon.ts';
import type { RunningEvm } from './evm-chain.ts';
import { findGeth, startGeth, type Allocation } from './geth.ts';

const deploy = join(import.meta.dirname, '..', '..', '..', 'main', 'cli', 'deploy-contracts.ts');
const erc20 = parseAbi(['function transfer(address to, uint256 amount) returns (bool)']);

/**
 * A geth that begins with the tokens and the exchange of the sandbox's chain; our contracts are put there as an owner
 * does it.
 */
export async function openGethChain(chainId: number, ours: readonly string[]): Promise<RunningEvm> {
  const geth = findGeth();
  if ('absent' in geth) throw new Error(geth.absent);
  const folder = temporaryFolder();
  const own = new Set(ours.map((one) => one.toLowerCase()));
  const others = Object.entries(genesis.alloc as Allocation).filter(([address]) => !own.has(address.toLowerCase()));
  const deployer = generatePrivateKey();
  const running = await startGeth(geth.program, folder, chainId, {
    ...Object.fromEntries(others),
    [privateKeyToAccount(deployer).address]: { balance: '0xde0b6b3a7640000' },
  });
  try {
    await deployBy(deployer, running.url, chainId, folder);
  } catch (error) {
    await running.stop();
    throw error;
  }
  const wallet = createWalletClient({ account: faucetAccount, transport: http(running.url) }).extend(publicActions);
  let last: Promise<unknown> = Promise.resolve();

  async function pay(to: Address, token: Address, amount: bigint): Promise<void> {
    const call =
      BigInt(token) === 0n
        ? { to, value: amount }
        : { to: token, data: encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [to, amount] }) };
    const hash = await wallet.sendTransaction({ chain: null, ...call });
    const { status } = await wallet.waitForTransactionReceipt({ hash, pollingInterval: 100 });
    if (status !== 'success') throw new Error(`the faucet could not pay ${amount} of ${token}`);
  }

  return {
    rpcUrl: running.url,
    // One after the other: two at once would have the same nonce.
    give(to, token, amount) {
      const gift = last.then(() => pay(to, token, amount));
      last = gift.catch(() => undefined);
      return gift;
    },
    reach: (moment) => pause(Math.max(0, moment * 1_000 - Date.now())),
    stop: () => running.stop(),
  };
}

async function deployBy(key: Hex, rpc: string, chainId: number, folder: string): Promise<void> {
  const keyFile = join(folder, 'deployer.key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  const flags = ['--rpc', rpc, '--chain', String(chainId), '--key-file', keyFile, '--send'];
  await promisify(execFile)(process.execPath, [deploy, ...flags]);
}
