import type { Hex } from 'viem';
import { bytesToHex, keccak256 } from 'viem/utils';
import { PortFailure } from '../../domain/errors.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import type { EvmBroadcast } from '../../legs/evm/port.ts';
import { NoAnswer } from '../probe/answer.ts';
import { RpcError } from './rpc.ts';
import type { Sources } from './sources.ts';
import type { Source } from './source.ts';

/**
 * What nodes say of a transaction that they do not take, by their own words (facts/evm.md 12). The first that fits
 * counts.
 */
const meanings: readonly (readonly [RegExp, Exclude<EvmBroadcast['is'], 'refused'>])[] = [
  [
    /already (known|imported|exists|in)|known transaction|alreadyknown|same hash|existing tx with same hash/i,
    'accepted',
  ],
  [/nonce.{0,20}too low|oldnonce|nonce has already been used|invalid transaction nonce/i, 'nonce-used'],
  [
    /underpriced|fee ?too ?low|gas price .{0,20}too low|less than block base fee|less than the block base fee|below (the )?(configured )?(minimum|block base fee)|could not replace|replacementnotallowed|price bump|(txpool|transaction pool|pool) is full/i,
    'underpriced',
  ],
];

/** The same bytes to every RPC, whatever else is wrong with it: which chain they are for stands in them. */
export async function broadcastTo(sources: Sources, bytes: Uint8Array): Promise<EvmBroadcast> {
  const raw = bytesToHex(bytes);
  const txid = keccak256(bytes);
  const results = await Promise.allSettled(sources.all.map((source) => handOver(sources, source, { raw, txid })));
  const answers: EvmBroadcast[] = [];
  const failures: PortFailure[] = [];
  for (const result of results) {
    if (result.status === 'fulfilled') answers.push(result.value);
    else if (result.reason instanceof PortFailure) failures.push(result.reason);
    else throw result.reason;
  }
  const by = (is: EvmBroadcast['is']) => answers.find((answer) => answer.is === is);
  const answer = by('accepted') ?? by('nonce-used') ?? by('underpriced') ?? by('refused');
  // Whoever was handed it and gave no answer may pass it on.
  if (answer === undefined || (answer.is === 'refused' && failures.length > 0))
    throw evmFailure(
      'evm-away',
      'ask-first',
      `${failures.map(({ message }) => message).join(' ')} The transaction may have arrived.`,
    );
  return answer;
}

async function handOver(
  sources: Sources,
  source: Source,
  { raw, txid }: { raw: Hex; txid: Hex },
): Promise<EvmBroadcast> {
  try {
    const id = await sources.hand(source, 'eth_sendRawTransaction', raw);
    if (id !== txid) throw new NoAnswer('not-it', `it took another transaction, ${String(id)}`);
    return { is: 'accepted' };
  } catch (cause) {
    if (cause instanceof NoAnswer)
      throw evmFailure('evm-unclear', 'ask-first', `The EVM RPC ${source.name}: ${cause.message}.`, cause);
    if (!(cause instanceof RpcError)) throw cause;
    const is = meanings.find(([words]) => words.test(cause.words))?.[1];
    return is === undefined ? { is: 'refused', reason: cause.words.slice(0, 200) } : { is };
  }
}
