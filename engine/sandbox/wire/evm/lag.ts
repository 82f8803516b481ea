import { isHex, quantity } from '../../world/evm/hex.ts';
import { type Answering, failing } from './answer.ts';
import { blockParameter } from './methods.ts';

const aboutOneBlock = ['eth_getBlockByNumber', 'eth_getBlockReceipts', 'eth_getBlockTransactionCountByNumber'];

/** The answers of a node that got no block above `height`: honest, and of yesterday. */
export function lagging(answer: Answering, height: number): Answering {
  const isNew = (number: unknown): boolean => isHex(number) && Number(number) > height;

  /** The tags that mean the newest block mean the newest one that it has. */
  const atMost = (block: unknown): unknown =>
    block === undefined || ['latest', 'pending', 'safe', 'finalized'].includes(block as string)
      ? quantity(height)
      : block;

  return async (call) => {
    const { method } = call;
    const params = [...call.params];
    if (method === 'eth_blockNumber') return { result: quantity(height) };
    const at = blockParameter(method);
    // Its own pool is up to date: what was sent through it, it has.
    if (at !== null && !(method === 'eth_getTransactionCount' && params[at] === 'pending')) {
      params[at] = atMost(params[at]);
      if (isNew(params[at]))
        return aboutOneBlock.includes(method) ? { result: null } : failing(-32000, 'header not found');
    }
    if (method === 'eth_getLogs') {
      const filter = (params[0] ?? {}) as Record<string, unknown>;
      if (isNew(filter['fromBlock'])) return { result: [] };
      if (filter['blockHash'] === undefined)
        params[0] = { ...filter, fromBlock: atMost(filter['fromBlock']), toBlock: atMost(filter['toBlock']) };
    }
    const outcome = await answer({ method, params });
    if ('error' in outcome || typeof outcome.result !== 'object' || outcome.result === null) return outcome;
    return { result: withoutNew(method, outcome.result, isNew) };
  };
}

function withoutNew(method: string, result: object, isNew: (number: unknown) => boolean): unknown {
  if (method === 'eth_getLogs') return (result as { blockNumber: unknown }[]).filter((log) => !isNew(log.blockNumber));
  if (method === 'eth_getBlockByHash') return 'number' in result && isNew(result.number) ? null : result;
  if (!('blockNumber' in result) || !isNew(result.blockNumber)) return result;
  if (method === 'eth_getTransactionByHash')
    return { ...result, blockHash: null, blockNumber: null, transactionIndex: null };
  return null;
}
