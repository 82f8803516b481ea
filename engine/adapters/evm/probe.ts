import { bytesToHex } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import { NoAnswer, probed, type Answer } from '../probe/answer.ts';
import { ask, jsonOf, type HttpAnswer } from '../probe/http.ts';
import { ownContracts, type OwnContract } from './contracts.ts';
import { codeAt, wrongAnswer, wrongWith } from './genuine.ts';
import { RpcError, asQuantity, rpcAt, type Rpc } from './rpc.ts';

/** What one RPC of an EVM chain says of itself. */
export interface EvmFacts {
  readonly chainId: number;
  readonly height: number;
  /** Unix seconds of its latest block. */
  readonly blockTime: number;
  /** Blocks that it says it still lacks; 0 when it says that it is in step. */
  readonly behind: number;
  readonly version: string | null;
  readonly latencyMs: number;
  readonly clock: number | null;
}

export function probeEvm(url: string, limitMs: number): Promise<Answer<EvmFacts>> {
  return probed(limitMs, async (signal) => {
    const call = (method: string, params: readonly unknown[] = []) => rpc(url, method, params, signal);
    const chain = await call('eth_chainId');
    const [latest, syncing, version] = await Promise.all([
      call('eth_getBlockByNumber', ['latest', false]),
      call('eth_syncing'),
      call('web3_clientVersion'),
    ]);
    const block = latest.result as { number?: unknown; timestamp?: unknown } | null;
    return {
      chainId: quantity(chain.result, 'a chain id'),
      height: quantity(block?.number, 'a latest block'),
      blockTime: quantity(block?.timestamp, 'a latest block'),
      behind: lacking(syncing.result),
      version: typeof version.result === 'string' ? version.result : null,
      latencyMs: Math.min(chain.answer.latencyMs, latest.answer.latencyMs),
      clock: chain.answer.clock,
    };
  });
}

async function rpc(
  url: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<{ result: unknown; answer: HttpAnswer }> {
  const answer = await ask({ url, signal, post: { jsonrpc: '2.0', id: 1, method, params } });
  if (answer.status === 401 || answer.status === 403) throw new NoAnswer('credentials', `it answered ${answer.status}`);
  const { result, error } = jsonOf(answer) as { result?: unknown; error?: { message?: unknown } };
  // A provider may well forbid to ask for its version or its progress; the chain itself it must tell.
  if (error !== undefined && error !== null && method !== 'web3_clientVersion' && method !== 'eth_syncing')
    throw new NoAnswer(
      'not-it',
      `it answered ${method} with the error ${JSON.stringify(String(error.message)).slice(0, 120)}`,
    );
  return { result, answer };
}

function lacking(syncing: unknown): number {
  if (typeof syncing !== 'object' || syncing === null) return 0;
  const { currentBlock, highestBlock } = syncing as Record<string, unknown>;
  return Math.max(0, quantity(highestBlock, 'its progress') - quantity(currentBlock, 'its progress'));
}

/** A JSON-RPC quantity: hex text with 0x in front. */
function quantity(value: unknown, what: string): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : null;
  if (number === null) throw new NoAnswer('not-it', `it gave no number for ${what}`);
  return number;
}

/** One of the contracts that swaps on the chain are made with, as it stands there. */
export interface ContractFacts {
  readonly name: string;
  readonly address: EvmAddress;
  /** `ours` to the byte; `like ours` by other code that answers as ours. */
  readonly state: 'ours' | 'like ours' | 'missing' | 'other';
}

export interface ChainFacts {
  readonly contracts: readonly ContractFacts[];
  /** Wei of our account; null where nobody brought its key. */
  readonly gas: bigint | null;
}

/** What stands on the chain for our swaps, by one of its RPCs. */
export function probeChain(
  url: string,
  of: { readonly chainId: number; readonly contracts: SwapContracts; readonly account: EvmAddress | null },
  limitMs: number,
): Promise<Answer<ChainFacts>> {
  return probed(limitMs, async () => {
    const rpc = rpcAt(url, limitMs);
    const contracts: ContractFacts[] = [];
    for (const contract of ownContracts(of.chainId, of.contracts))
      contracts.push({ name: contract.name, address: contract.address, state: await stateOf(rpc, contract) });
    const gas =
      of.account === null
        ? null
        : asQuantity(await rpc('eth_getBalance', bytesToHex(of.account), 'latest'), 'a balance');
    return { contracts, gas };
  });
}

async function stateOf(rpc: Rpc, contract: OwnContract): Promise<ContractFacts['state']> {
  if ((await codeAt(rpc, contract.address)) === '0x') return 'missing';
  // A contract of another kind refuses what ours answers.
  const refusal = (cause: unknown): string => {
    if (cause instanceof RpcError) return cause.message;
    throw cause;
  };
  if ((await wrongWith(rpc, contract).catch(refusal)) === null) return 'ours';
  return (await wrongAnswer(rpc, contract).catch(refusal)) === null ? 'like ours' : 'other';
}
