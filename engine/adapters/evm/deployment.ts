import { nativeChainIds } from '../../domain/chain.ts';
import type { Hex } from 'viem';
import { bytesToHex, concatHex } from 'viem/utils';
import { PortFailure } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { fromHex } from '../../domain/hex.ts';
import { tokenMessenger } from '../../legs/evm/bridge.ts';
import { create2Deployer, permit2 } from '../../legs/evm/deployments.ts';
import type { ContractHere, ContractsHere } from '../../legs/evm/port.ts';
import { type OwnContract, create2DeployerCode, ownBridge, ownContracts, permit2Domain, salt } from './contracts.ts';
import { codeAt, wrongWith } from './genuine.ts';
import { asCount } from './read.ts';
import { type Rpc, RpcError } from './rpc.ts';
import type { Sources } from './sources.ts';
import { type Source, unclear } from './source.ts';

/** What the CREATE2 deployer is given for a contract. */
export function deploymentOf({ initCode }: OwnContract): Hex {
  return concatHex([salt, initCode]);
}

/** Our pair, and the bridge's adapter where Circle's messenger stands. */
export async function wantedOn(rpc: Rpc, chainId: number): Promise<readonly OwnContract[]> {
  const bridge = ownBridge(chainId);
  const alone = bridge === null || (await codeAt(rpc, tokenMessenger)) === '0x';
  return alone ? ownContracts(chainId) : [...ownContracts(chainId), bridge];
}

/** What the contracts need below them, as a sentence where it is not there. */
export async function missingBelow(rpc: Rpc, chainId: number): Promise<string | null> {
  if ((await codeAt(rpc, create2Deployer)) !== create2DeployerCode)
    return (
      `Chain ${chainId} lacks the CREATE2 deployer at ${bytesToHex(create2Deployer)}: see ` +
      'github.com/Arachnid/deterministic-deployment-proxy for how it is put there.'
    );
  if (nativeChainIds.includes(chainId)) return null;
  if ((await codeAt(rpc, permit2)) === '0x')
    return (
      `Chain ${chainId} lacks Permit2 at ${bytesToHex(permit2)}: without it nobody can fund a swap, and it has to ` +
      'stand there first (github.com/Uniswap/permit2).'
    );
  const { data, answer } = permit2Domain(chainId);
  const domain = await rpc('eth_call', { to: bytesToHex(permit2), data }, 'latest');
  return domain === answer ? null : `What stands at ${bytesToHex(permit2)} on chain ${chainId} is not Permit2.`;
}

/** What one RPC shows of a contract: itself, nothing, or a sentence for anything else. */
type Sight = 'stands' | 'missing' | { readonly sentence: string };

/**
 * Our contracts by the word of each RPC: money is locked in what stands there, so that an RPC that is silent or says
 * something else is told of, and never outvoted.
 */
export async function contractsBy(chainId: number, { all, ask }: Sources): Promise<ContractsHere> {
  const rpcs = all.map((source) => ({
    source,
    rpc: ((method, ...params) => ask(source, method, ...params)) as Rpc,
  }));
  const lacks = await Promise.all(rpcs.map(({ source, rpc }) => answered(source, () => missingBelow(rpc, chainId))));
  const lists = await Promise.all(rpcs.map(({ source, rpc }) => answered(source, () => wantedOn(rpc, chainId))));
  const [wanted = ownContracts(chainId)] = lists
    .filter((list) => Array.isArray(list))
    .toSorted((a, b) => b.length - a.length);
  const contracts = await Promise.all(
    wanted.map(async (contract): Promise<ContractHere> => {
      const sights = await Promise.all(
        rpcs.map(({ source, rpc }) => answered(source, () => sightOf(source, rpc, contract))),
      );
      const { name, address } = contract;
      const data = fromHex(deploymentOf(contract).slice(2));
      return { name, address, data, leastGas: leastGasOf(contract, data), state: stateOf(name, all, sights) };
    }),
  );
  const lacking = lacks.find((one) => one !== null) ?? null;
  return { lacking: lacking === null || typeof lacking === 'string' ? lacking : lacking.sentence, contracts };
}

/**
 * Whether code stands at each of the addresses, and stood there so many blocks ago, by every RPC that answers. Some
 * keep no state of then, and say what stands now.
 */
export async function standsBy(
  { each, ask }: Sources,
  addresses: readonly EvmAddress[],
  confirmations: number,
): Promise<boolean> {
  const answers = await each(async (source) => {
    const rpc: Rpc = (method, ...params) => ask(source, method, ...params);
    const at = confirmations <= 1 ? 'latest' : await blockOf(rpc, confirmations);
    const codes = await Promise.all([
      ...addresses.map((address) => codeAt(rpc, address)),
      ...(at === 'latest' ? [] : addresses.map((address) => codeThen(rpc, address, at))),
    ]);
    return codes.every((code) => code !== '0x');
  });
  return answers.every(({ answer }) => answer);
}

async function blockOf(rpc: Rpc, confirmations: number): Promise<Hex> {
  const height = asCount(await rpc('eth_blockNumber'), 'the height of a block');
  return `0x${Math.max(0, height + 1 - confirmations).toString(16)}`;
}

async function codeThen(rpc: Rpc, address: EvmAddress, at: Hex): Promise<Hex | null> {
  return codeAt(rpc, address, at).catch((cause: unknown) => {
    if (cause instanceof RpcError && !cause.isBusy) return null;
    throw cause;
  });
}

/** What the RPC says, or a sentence for why it says nothing. */
async function answered<T>(source: Source, read: () => Promise<T>): Promise<T | { readonly sentence: string }> {
  try {
    return await read();
  } catch (cause) {
    const failure = unclear(source, cause);
    if (!(failure instanceof PortFailure)) throw cause;
    return { sentence: failure.message };
  }
}

async function sightOf({ name }: Source, rpc: Rpc, contract: OwnContract): Promise<Sight> {
  if ((await codeAt(rpc, contract.address)) === '0x') return 'missing';
  const wrong = await wrongWith(rpc, contract).catch((cause: unknown) => {
    // What stands there refuses what ours answers.
    if (cause instanceof RpcError && !cause.isBusy) return `${contract.name} answers with an error: ${cause.message}.`;
    throw cause;
  });
  return wrong === null ? 'stands' : { sentence: `By the RPC ${name}: ${wrong}` };
}

function stateOf(name: string, all: readonly Source[], sights: readonly Sight[]): ContractHere['state'] {
  const doubt = sights.find((sight) => typeof sight === 'object');
  if (typeof doubt === 'object') return { is: 'doubt', sentence: doubt.sentence };
  if (sights.every((sight) => sight === 'stands')) return { is: 'stands' };
  if (sights.every((sight) => sight === 'missing')) return { is: 'missing' };
  const blind = all.filter((_, i) => sights[i] === 'missing').map((source) => source.name);
  return { is: 'doubt', sentence: `${name} is shown by some RPCs, and not by ${blind.join(', ')}.` };
}

/**
 * What the bytes alone cost, as EIP-2028, EIP-3860 and the price of a byte of code have it, and a fifth more for what
 * is carried out: with less it runs out of gas, whatever an RPC estimates (facts/faults.md 85).
 */
function leastGasOf({ artifact }: OwnContract, data: Uint8Array): bigint {
  const zeros = data.filter((byte) => byte === 0).length;
  const words = Math.ceil(data.length / 32);
  const sent = 21_000 + 4 * zeros + 16 * (data.length - zeros);
  const made = 32_000 + 8 * words + 200 * ((artifact.runtime.length - 2) / 2);
  return BigInt(Math.ceil(((sent + made) * 6) / 5));
}
