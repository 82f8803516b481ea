import {
  type Abi,
  type Address,
  type Hex,
  type TransactionReceipt,
  BaseError,
  RpcRequestError,
  createTestClient,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  http,
  isHex,
  publicActions,
  toHex,
} from 'viem';
import { startAnvil } from './anvil.ts';
import { type ContractName, artifactOf, errors } from './artifacts.ts';
import { account } from './signing.ts';

/** A contract that is there. */
export interface Contract {
  readonly address: Address;
  readonly abi: Abi;
}

export interface Sending {
  readonly from: Address;
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: bigint;
}

export type Chain = Awaited<ReturnType<typeof openChain>>;

const gasLimit = toHex(10_000_000);

/**
 * One anvil and what the tests do with it. Every account sends: anvil needs no key for it. Gas costs nothing unless it
 * is said, so that balances are those of the swaps.
 */
export async function openChain(chainId: number, gasPrice = 0) {
  const anvil = await startAnvil(chainId, gasPrice);
  const client = createTestClient({
    mode: 'anvil',
    transport: http(anvil.url, { retryCount: 2, retryDelay: 20 }),
  }).extend(publicActions);
  const rpc = (method: string, params: readonly unknown[]): Promise<unknown> =>
    client.request({ method, params } as unknown as Parameters<typeof client.request>[0]);
  await rpc('anvil_autoImpersonateAccount', [true]);
  if (gasPrice > 0) for (const payer of payers) await rpc('anvil_setBalance', [payer, toHex(10n ** 20n)]);

  const raw = ({ from, to, data = '0x', value = 0n }: Sending) => ({
    from,
    to,
    data,
    value: toHex(value),
    gas: gasLimit,
  });

  /** The name of the error that this call ends with, or `null` when it succeeds. Changes nothing. */
  async function refusalOf(sending: Sending): Promise<string | null> {
    try {
      await rpc('eth_call', [raw(sending), 'latest']);
      return null;
    } catch (error) {
      return nameOf(error);
    }
  }

  /** Anvil answers the hash a moment before the block is there. */
  async function minedAs(hash: Hex): Promise<TransactionReceipt> {
    for (;;) {
      const receipt = await client.getTransactionReceipt({ hash }).catch(() => null);
      if (receipt !== null) return receipt;
    }
  }

  /** Sends and mines; throws with the name of the error when it reverts. Answers the gas that it took. */
  async function send(sending: Sending): Promise<bigint> {
    const refusal = await refusalOf(sending);
    if (refusal !== null) throw new Error(refusal);
    const hash = (await rpc('eth_sendTransaction', [{ ...raw(sending), gasPrice: toHex(4 * gasPrice) }])) as Hex;
    const receipt = await minedAs(hash);
    if (receipt.status !== 'success') throw new Error(`mined but reverted: ${hash}`);
    return receipt.gasUsed;
  }

  async function deploy(name: ContractName, args: readonly unknown[] = []): Promise<Contract> {
    const { abi, bytecode } = artifactOf(name);
    const hash = (await rpc('eth_sendTransaction', [
      { from: deployer, data: encodeDeployData({ abi, bytecode, args }), gas: gasLimit, gasPrice: toHex(4 * gasPrice) },
    ])) as Hex;
    const { contractAddress } = await minedAs(hash);
    if (!contractAddress) throw new Error(`${name} was not deployed`);
    return { abi, address: contractAddress };
  }

  return {
    chainId,
    rpc,
    url: anvil.url,
    client,
    deploy,
    send,
    refusalOf,
    stop: anvil.stop,

    read<T>({ abi, address }: Contract, functionName: string, ...args: readonly unknown[]): Promise<T> {
      return client.readContract({ abi, address, functionName, args }) as Promise<T>;
    },
    setCode: (address: Address, code: Hex) => rpc('anvil_setCode', [address, code]),
    setBalance: (address: Address, value: bigint) => rpc('anvil_setBalance', [address, toHex(value)]),
    now: async () => (await client.getBlock()).timestamp,
    /** The next block, and calls from here on, have this time. */
    async moveTo(time: bigint): Promise<void> {
      await rpc('evm_setNextBlockTimestamp', [toHex(time)]);
      await rpc('evm_mine', []);
    },
    snapshot: () => rpc('evm_snapshot', []) as Promise<Hex>,
    goBack: (to: Hex) => rpc('evm_revert', [to]),
  };
}

/** A call of a contract's function, to be sent by somebody. */
export function call(from: Address, to: Contract, functionName: string, args: readonly unknown[], value = 0n): Sending {
  return { from, to: to.address, data: encodeFunctionData({ abi: to.abi, functionName, args }), value };
}

const deployer: Address = '0xdE00000000000000000000000000000000000001';
const payers: readonly Address[] = [deployer, ...['c1', '5e', '99'].map((byte) => account(byte).address)];

/** What a node answers for a call that reverted; any other code is no word about the call. */
const reverted = 3;

/** The error's name with its arguments left out; a text where the revert carries one. Throws what is no revert. */
function nameOf(error: unknown): string {
  const answer = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null;
  if (!(answer instanceof RpcRequestError) || answer.code !== reverted) throw error;
  if (!isHex(answer.data) || answer.data === '0x') return 'reverted without a word';
  const { errorName, args } = decodeErrorResult({ abi: errors(), data: answer.data });
  return errorName === 'Error' ? String(args?.[0]) : errorName;
}
