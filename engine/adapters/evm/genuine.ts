import type { Hex } from 'viem';
import { bytesToHex } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import { fromHex } from '../../domain/hex.ts';
import type { OwnContract } from './contracts.ts';
import { type Rpc, asHex } from './rpc.ts';

export async function codeAt(rpc: Rpc, address: EvmAddress, block: Hex | 'latest' = 'latest'): Promise<Hex> {
  return asHex(await rpc('eth_getCode', bytesToHex(address), block), 'the code of an account');
}

/** Whether the code that stands there is ours, whatever it was made with. */
export async function codeIsOurs(rpc: Rpc, { address, artifact }: OwnContract): Promise<boolean> {
  const code = fromHex((await codeAt(rpc, address)).slice(2));
  for (const { start, length } of artifact.immutables) code.fill(0, start, start + length);
  return bytesToHex(code) === artifact.runtime;
}

/** Why what stands there is not our contract; null where it is, to the byte and in its answers. */
export async function wrongWith(rpc: Rpc, contract: OwnContract): Promise<string | null> {
  const { name, address } = contract;
  if (!(await codeIsOurs(rpc, contract)))
    return `What stands at ${bytesToHex(address)} is not ${name}: its code differs.`;
  return wrongAnswer(rpc, contract);
}

/** Which of its answers is not that of our contract; null where all are. */
export async function wrongAnswer(rpc: Rpc, { name, address, expectations }: OwnContract): Promise<string | null> {
  for (const { method, data, answer } of expectations) {
    const reply = await rpc('eth_call', { to: bytesToHex(address), data }, 'latest');
    if (reply !== answer)
      return `${name} at ${bytesToHex(address)} answers ${method} with ${String(reply)} and not with ${answer}.`;
  }
  return null;
}
