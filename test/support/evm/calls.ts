import type { Block } from '@ethereumjs/block';
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { type Hex, decodeErrorResult, parseAbi, toHex } from 'viem';
import { RpcFailure } from './failure.ts';
import type { State } from './state.ts';

/** What a call names; all else is left to the node. */
export interface CallFields {
  readonly from?: Hex;
  readonly to?: Hex;
  readonly data?: Hex;
  readonly input?: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
}

export interface Ran {
  readonly output: Hex;
  readonly gasUsed: bigint;
}

const mostGas = 30_000_000n;
const nobody: Hex = `0x${'00'.repeat(20)}`;
const reason = parseAbi(['error Error(string)']);

/** Runs a call and leaves the state as it was; throws how it failed. */
export async function runCall({ vm }: State, fields: CallFields, block: Block, gas?: bigint): Promise<Ran> {
  const { from = nobody, to, value = '0x0' } = fields;
  const data = hexToBytes(fields.data ?? fields.input ?? '0x');
  const caller = createAddressFromString(from);
  const account = await vm.stateManager.getAccount(caller);
  if ((account?.balance ?? 0n) < BigInt(value))
    throw new RpcFailure(-32003, 'Insufficient funds for gas * price + value');
  const intrinsic = intrinsicGas(data, to === undefined);
  const gasLimit = (gas ?? BigInt(fields.gas ?? toHex(mostGas))) - intrinsic;
  if (gasLimit < 0n) throw new RpcFailure(-32000, 'intrinsic gas too low');
  await vm.stateManager.checkpoint();
  try {
    const { execResult } = await vm.evm.runCall({
      ...{ caller, origin: caller, data, value: BigInt(value), gasLimit, block, gasPrice: 0n },
      ...(to === undefined ? {} : { to: createAddressFromString(to) }),
    });
    const output = bytesToHex(execResult.returnValue);
    if (execResult.exceptionError === undefined) return { output, gasUsed: execResult.executionGasUsed + intrinsic };
    if (execResult.exceptionError.error !== 'revert') throw new RpcFailure(-32000, execResult.exceptionError.error);
    throw new RpcFailure(3, `execution reverted${saying(output)}`, output);
  } finally {
    await vm.stateManager.revert();
    vm.evm.journal.cleanJournal();
  }
}

/** The least gas with which it succeeds, or a hundredth more: each try runs the call. */
export async function estimateGas(state: State, fields: CallFields, block: Block): Promise<Hex> {
  const { gasUsed } = await runCall(state, fields, block);
  const exact = 100n;
  let [low, high] = [gasUsed - 1n, mostGas];
  while (low + 1n < high && (high - low) * exact > high) {
    // A call that needs more than it used needs little more: a contract keeps a part of its gas back.
    const gas = low * 2n < high ? low + low / 8n + 1n : (low + high) / 2n;
    const works = await runCall(state, fields, block, gas).then(
      () => true,
      () => false,
    );
    [low, high] = works ? [low, gas] : [gas, high];
  }
  return toHex(high);
}

/** Of EIP-2028 and EIP-3860, for calls and for contracts that are made. */
function intrinsicGas(data: Uint8Array, makes: boolean): bigint {
  const bytes = data.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 21_000n);
  return makes ? bytes + 32_000n + 2n * BigInt(Math.ceil(data.length / 32)) : bytes;
}

function saying(output: Hex): string {
  try {
    return `: ${decodeErrorResult({ abi: reason, data: output }).args[0]}`;
  } catch {
    return ''; // A custom error: it is in the data alone.
  }
}
