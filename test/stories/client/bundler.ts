import { readFileSync } from 'node:fs';
import {
  concat,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  getCreate2Address,
  hashTypedData,
  http,
  parseAbi,
  size,
  type Hex,
  type TypedDataDefinition,
} from 'viem';
import {
  entryPoint07Abi,
  entryPoint07Address,
  getUserOperationHash,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { artifactOf } from '../../contracts/kit/artifacts.ts';
import { chainAt, pollingInterval } from './to-evm.ts';

/** A call of an account, in the order in which it makes them. */
export interface Call {
  readonly target: Hex;
  readonly value: bigint;
  readonly callData: Hex;
}

/** An account that is a contract, and sends by a bundler alone. */
export interface SmartAccount {
  readonly address: Hex;
  /** For contracts that ask the account itself (ERC-1271). */
  readonly sign: (data: TypedDataDefinition) => Promise<Hex>;
  /** One user operation; the hash of the transaction that brought it. */
  readonly send: (calls: readonly Call[]) => Promise<Hex>;
}

/** The deterministic deployer, and the salt by which the entry point has its address on every chain (ERC-4337 0.7). */
const deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const salt = '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3';
const { bytecode: entryPointCode } = JSON.parse(
  readFileSync(new URL(import.meta.resolve('@account-abstraction/contracts/artifacts/EntryPoint.json')), 'utf8'),
) as { bytecode: Hex };

const executing = parseAbi([
  'struct Call { address target; uint256 value; bytes callData; }',
  'function execute(Call[] calls)',
]);
const gas = { callGasLimit: 3_000_000n, verificationGasLimit: 300_000n, preVerificationGas: 60_000n } as const;

/** A bundler on a chain that has none; `payer` has coins of the chain. */
export async function openBundler(chainId: number, rpcUrl: string, payer = generatePrivateKey()) {
  const chain = chainAt(chainId, rpcUrl);
  const account = privateKeyToAccount(payer);
  const wallet = createWalletClient({ account, chain, transport: http() });
  const reader = createPublicClient({ chain, transport: http(), pollingInterval });

  async function mined(hash: Hex) {
    const receipt = await reader.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`the transaction was reverted: ${hash}`);
    return receipt;
  }

  /** The entry point's own code, at its own address. */
  async function raise(): Promise<void> {
    if (getCreate2Address({ from: deployer, salt, bytecode: entryPointCode }) !== entryPoint07Address)
      throw new Error('the code is not that of the entry point');
    const isThere = async () => size((await reader.getCode({ address: entryPoint07Address })) ?? '0x') > 0;
    if (!(await isThere()))
      await mined(await wallet.sendTransaction({ to: deployer, data: concat([salt, entryPointCode]) }));
  }

  async function operate(sender: Hex, owner: typeof account, calls: readonly Call[]): Promise<Hex> {
    const { maxFeePerGas, maxPriorityFeePerGas } = await reader.estimateFeesPerGas();
    const nonce = await reader.readContract({
      address: entryPoint07Address,
      abi: entryPoint07Abi,
      functionName: 'getNonce',
      args: [sender, 0n],
    });
    const callData = encodeFunctionData({ abi: executing, functionName: 'execute', args: [calls] });
    const bare = { sender, nonce, callData, ...gas, maxFeePerGas, maxPriorityFeePerGas, signature: '0x' } as const;
    const hash = getUserOperationHash({
      chainId,
      entryPointAddress: entryPoint07Address,
      entryPointVersion: '0.7',
      userOperation: bare,
    });
    const signature = await owner.sign({ hash });
    const receipt = await mined(
      await wallet.writeContract({
        address: entryPoint07Address,
        abi: entryPoint07Abi,
        functionName: 'handleOps',
        args: [[toPackedUserOperation({ ...bare, signature })], account.address],
        gas: 5_000_000n,
      }),
    );
    return receipt.transactionHash;
  }

  return {
    address: account.address,
    raise,
    /** A contract of its own for a key; it needs coins before it sends. */
    async open(owner: typeof account): Promise<SmartAccount> {
      const { abi, bytecode } = artifactOf('Account');
      const nonce = await reader.getTransactionCount({ address: account.address });
      const address = getContractAddress({ from: account.address, nonce: BigInt(nonce) });
      await mined(
        await wallet.sendTransaction({
          data: encodeDeployData({ abi, bytecode, args: [entryPoint07Address, owner.address] }),
        }),
      );
      return {
        address,
        async sign(data) {
          const domain = { name: 'Kernel', version: '0.3.3', chainId, verifyingContract: address };
          const wrapped = {
            domain,
            types: { Kernel: [{ name: 'hash', type: 'bytes32' }] },
            primaryType: 'Kernel',
            message: { hash: hashTypedData(data) },
          } as const;
          return concat(['0x00', await owner.sign({ hash: hashTypedData(wrapped) })]);
        },
        send: (calls) => operate(address, owner, calls),
      };
    },
  };
}
