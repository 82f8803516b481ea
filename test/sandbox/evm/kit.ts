import { type Abi, type Address, type Hex, encodeFunctionData, parseAbi, parseGwei } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import genesis137 from '../../../resources/sandbox/evm-137.json' with { type: 'json' };
import genesis31 from '../../../resources/sandbox/evm-31.json' with { type: 'json' };
import places from '../../../resources/sandbox/evm-places.json' with { type: 'json' };
import { type EvmChain, openEvmChain } from '../../../engine/sandbox/world/evm/chain.ts';
import { createEvmFaucet } from '../../../engine/sandbox/world/evm/faucet.ts';
import type { Journal } from '../../../engine/sandbox/world/journal.ts';
import { startOfTests } from '../worlds.ts';

export const erc20 = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
]);

export const alice = privateKeyToAccount(`0x${'a1'.repeat(32)}`);
export const bob = privateKeyToAccount(`0x${'b0'.repeat(32)}`);
export const zero: Address = `0x${'00'.repeat(20)}`;

export function token(symbol: string): Address {
  const one = places['137'].tokens.find((candidate) => candidate.symbol === symbol);
  if (one === undefined) throw new Error(`there is no ${symbol}`);
  return one.address as Address;
}

/** A clock that stands until it is moved. */
export interface Clock {
  seconds: number;
}

export function clockOfTests(): Clock {
  return { seconds: startOfTests };
}

/** Over the same journal it is the same chain. */
export function openChain(journal: Journal, clock: Clock, chainId: 137 | 31 = 137): Promise<EvmChain> {
  const genesis = chainId === 137 ? genesis137 : genesis31;
  return openEvmChain({ chainId, journal, now: () => clock.seconds, genesis: () => Promise.resolve(genesis) });
}

export async function fund(chain: EvmChain, to: Address, symbol: string, amount: bigint): Promise<void> {
  await createEvmFaucet(chain).give(to, [{ token: symbol === '' ? zero : token(symbol), amount }]);
}

export interface Sending {
  readonly nonce: number;
  readonly to: Address;
  readonly value?: bigint;
  readonly data?: Hex;
  readonly gwei?: string;
  readonly gas?: bigint;
}

/** Signed bytes, of the oldest form on the chain that knows no other. */
export function signed(who: PrivateKeyAccount, sending: Sending, chainId = 137): Promise<Hex> {
  const { gwei = chainId === 31 ? '0.12' : '100', ...fields } = sending;
  return who.signTransaction({ type: 'legacy', chainId, gas: 200_000n, gasPrice: parseGwei(gwei), ...fields });
}

export function transferring(to: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20 as Abi, functionName: 'transfer', args: [to, amount] });
}

export async function nonceOf(chain: EvmChain, who: Address): Promise<number> {
  return Number(await chain.call('eth_getTransactionCount', who, 'pending'));
}

export async function balanceOf(chain: EvmChain, who: Address, block = 'latest'): Promise<bigint> {
  return BigInt((await chain.call('eth_getBalance', who, block)) as string);
}

export interface Receipt {
  readonly status: string;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly logs: readonly { readonly address: string; readonly data: Hex }[];
}

export async function receiptOf(chain: EvmChain, hash: Hex): Promise<Receipt | null> {
  return (await chain.call('eth_getTransactionReceipt', hash)) as Receipt | null;
}
