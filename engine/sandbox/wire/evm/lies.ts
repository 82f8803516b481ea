import type { Hex } from 'viem';
import { isHex, keccak, quantity } from '../../world/evm/hex.ts';
import type { Answering, Outcome } from './answer.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The answers of a node that lies: blocks above `since` have other hashes than everybody else's, whatever was mined
 * succeeded, and what only waits was mined long ago, with the logs that it would have. Pass the same `memory` on.
 */
export function lying(honest: Answering, since: number, memory: LieMemory): Answering {
  async function ask(method: string, ...params: unknown[]): Promise<unknown> {
    const outcome = await honest({ method, params });
    return 'result' in outcome ? outcome.result : null;
  }

  function otherHash(hash: Hex): Hex {
    const lie = keccak(hash);
    memory.hashes.set(lie, hash);
    return lie;
  }

  function twisted(thing: unknown): unknown {
    if (Array.isArray(thing)) return thing.map(twisted);
    if (typeof thing !== 'object' || thing === null) return thing;
    const fields = Object.fromEntries(Object.entries(thing).map(([name, value]) => [name, twisted(value)]));
    const height = Number(fields['blockNumber'] ?? fields['number'] ?? 0);
    if (height <= since) return fields;
    for (const name of ['blockHash', ...('parentHash' in fields ? ['hash'] : [])])
      if (isHex(fields[name])) fields[name] = otherHash(fields[name]);
    if (isHex(fields['parentHash']) && height > since + 1) fields['parentHash'] = otherHash(fields['parentHash']);
    if ('status' in fields) fields['status'] = '0x1';
    return fields;
  }

  /** The receipt of a transaction that waits; null for what nobody sent. */
  async function inventedReceipt(hash: string): Promise<Json | null> {
    const tx = (await ask('eth_getTransactionByHash', hash)) as Json | null;
    if (tx === null || tx['blockNumber'] !== null) return null;
    const tip = Number(await ask('eth_blockNumber'));
    const height = Math.max(memory.mined.get(hash) ?? tip, since + 1);
    memory.mined.set(hash, height);
    const block = (await ask('eth_getBlockByNumber', quantity(Math.min(height, tip)), false)) as Json;
    const place = {
      blockNumber: quantity(height),
      blockHash: otherHash(block['hash'] as Hex),
      transactionHash: hash,
      transactionIndex: '0x0',
    };
    const logs = await memory.logsOf(tx);
    return {
      ...place,
      ...{ type: tx['type'], from: tx['from'], to: tx['to'], status: '0x1', contractAddress: null },
      ...{ gasUsed: '0xea60', cumulativeGasUsed: '0xea60', effectiveGasPrice: tx['gasPrice'] },
      logsBloom: `0x${'00'.repeat(256)}`,
      logs: logs.map((log, i) => ({ ...log, ...place, logIndex: quantity(i), removed: false })),
    };
  }

  return async ({ method, params }): Promise<Outcome> => {
    const meant = params.map((param) => (isHex(param) ? (memory.hashes.get(param) ?? param) : param));
    const outcome = await honest({ method, params: meant });
    if ('error' in outcome) return outcome;
    const result = twisted(outcome.result);
    if (method === 'eth_getTransactionReceipt' && result === null)
      return { result: await inventedReceipt(String(params[0])) };
    if (method === 'eth_getTransactionByHash' && result !== null && (result as Json)['blockNumber'] === null) {
      const receipt = await inventedReceipt(String(params[0]));
      const { blockHash, blockNumber, transactionIndex } = receipt ?? {};
      return { result: receipt === null ? result : { ...(result as Json), blockHash, blockNumber, transactionIndex } };
    }
    if (method !== 'eth_getLogs' || !Array.isArray(result)) return { result };
    const invented = await Promise.all(memory.waiting().map(inventedReceipt));
    const logs = invented.flatMap((receipt) => (receipt?.['logs'] ?? []) as Json[]);
    return { result: [...(result as Json[]), ...logs.filter((log) => fits(log, params[0] as Json))] };
  };
}

export interface LieMemory {
  /** The true hash of each block by the one that was made up. */
  readonly hashes: Map<Hex, Hex>;
  /** The block in which each waiting transaction is said to be. */
  readonly mined: Map<string, number>;
  /** Hashes of what waits. */
  waiting(): readonly Hex[];
  /** The logs that a transaction would have, were it mined now. */
  logsOf(transaction: Json): Promise<readonly Json[]>;
}

/** Whether a filter asks for this log, wherever it is. */
function fits(log: Json, { address, topics }: Json): boolean {
  const isOneOf = (value: unknown, wanted: unknown): boolean =>
    wanted === undefined || wanted === null || [wanted].flat().some((one) => lower(one) === lower(value));
  const own = log['topics'] as unknown[];
  return isOneOf(log['address'], address) && ((topics ?? []) as unknown[]).every((one, i) => isOneOf(own[i], one));
}

function lower(value: unknown): string {
  return String(value).toLowerCase();
}
