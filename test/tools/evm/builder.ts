// A chain to prepare: anvil with a clock that stands where it is put, so that what is made twice is the same.
import { type Abi, type Address, type Hex, encodeDeployData, encodeFunctionData, decodeFunctionResult } from 'viem';
import { bytesToHex, concatHex, getCreate2Address, toHex } from 'viem/utils';
import { salt } from '../../../engine/adapters/evm/contracts.ts';
import { create2Deployer } from '../../../engine/legs/evm/deployments.ts';
import { type Anvil, startAnvil } from '../../../engine/sandbox/world/evm/anvil.ts';

export interface Contract {
  readonly address: Address;
  readonly abi: Abi;
}

export interface Builder {
  readonly anvil: Anvil;
  /** Puts the contract where its code and arguments alone decide. */
  deploy(code: { abi: Abi; bytecode: Hex }, args?: readonly unknown[]): Promise<Contract>;
  send(from: Address, to: Contract, name: string, args: readonly unknown[], value?: bigint): Promise<void>;
  /** Plain data to an address. */
  sendData(from: Address, to: Address, data: Hex, value?: bigint): Promise<void>;
  read(to: Contract, name: string, args: readonly unknown[]): Promise<unknown>;
}

/** Before any clock that a sandbox may have. */
export const genesisTime = 1_700_000_000;
const gas = toHex(25_000_000);

export async function startBuilder(chainId: number): Promise<Builder> {
  const anvil = await startAnvil([
    ...['--chain-id', `${chainId}`, '--hardfork', 'cancun', '--accounts', '0', '--no-mining'],
    ...['--base-fee', '0', '--gas-price', '0', '--timestamp', `${genesisTime - 10_000}`, '--auto-impersonate'],
  ]);
  let time = genesisTime - 10_000;

  async function sendData(from: Address, to: Address, data: Hex, value = 0n): Promise<void> {
    const call = { from, to, data, value: toHex(value), gas, gasPrice: '0x0' };
    const hash = await anvil.call('eth_sendTransaction', call);
    time += 1;
    await anvil.call('evm_mine', { timestamp: time });
    const receipt = (await anvil.call('eth_getTransactionReceipt', hash)) as { status: string } | null;
    if (receipt?.status !== '0x1') {
      const why = await anvil.call('eth_call', call, 'latest').catch((error: unknown) => error);
      throw new Error(`a call of ${to} by ${from} failed: ${String(why)}`);
    }
  }

  return {
    anvil,
    sendData,
    async deploy({ abi, bytecode }, args = []) {
      const initCode = encodeDeployData({ abi, bytecode, args });
      const from = bytesToHex(create2Deployer);
      await sendData(from, from, concatHex([salt, initCode]));
      return { address: getCreate2Address({ from, salt, bytecode: initCode }), abi };
    },
    send: (from, to, name, args, value) =>
      sendData(from, to.address, encodeFunctionData({ abi: to.abi, functionName: name, args }), value),
    async read(to, functionName, args) {
      const data = encodeFunctionData({ abi: to.abi, functionName, args });
      const answer = (await anvil.call('eth_call', { to: to.address, data }, 'latest')) as Hex;
      return decodeFunctionResult({ abi: to.abi, functionName, data: answer });
    },
  };
}
