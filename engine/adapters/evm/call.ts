import { bytesToHex } from 'viem/utils';
import type { EvmAddress } from '../../domain/evm.ts';
import { evmFailure, failedOnEvm } from '../../legs/evm/failures.ts';
import type { EvmCall } from '../../legs/evm/port.ts';
import { NoAnswer } from '../probe/answer.ts';
import type { BlockOfState } from './depositor.ts';
import type { Tips } from './heads.ts';
import { asBytes } from './read.ts';
import { revertOf } from './revert.ts';
import { RpcError } from './rpc.ts';
import type { Source } from './source.ts';
import type { Sources } from './sources.ts';

/** Who is asked, and as which account. */
export interface Connection {
  readonly sources: Sources;
  readonly tips: Tips;
  readonly account: EvmAddress;
  /** Units that a call may use; as many as the RPC allows without. */
  readonly gas?: bigint;
}

/** As our account makes it. */
export function callOf(
  { account, gas }: Connection,
  { to, data, ...rest }: Pick<EvmCall, 'to' | 'data'> & Partial<EvmCall>,
) {
  const value = rest.value === undefined ? {} : { value: `0x${rest.value.toString(16)}` };
  const most = gas === undefined ? {} : { gas: `0x${gas.toString(16)}` };
  return { from: bytesToHex(account), to: bytesToHex(to), data: bytesToHex(data), ...value, ...most };
}

/** What a view answers by one RPC; a contract that refuses is an answer as well, and everybody's. */
export async function readBy(
  own: Connection,
  source: Source,
  call: Pick<EvmCall, 'to' | 'data'>,
  at: BlockOfState = 'latest',
): Promise<Uint8Array> {
  const { sources } = own;
  try {
    return asBytes(await sources.ask(source, 'eth_call', callOf(own, call), at), 'the answer of a contract');
  } catch (cause) {
    const reverted = cause instanceof RpcError ? revertOf(cause) : null;
    if (reverted === null) throw cause;
    throw evmFailure('evm-reverted', 'never', `${bytesToHex(call.to)} refuses the call: ${reverted.reason}.`, cause);
  }
}

/** On the same state, so that those who say the truth say the same; a contract that refuses is an answer as well. */
export async function readAgreed(own: Connection, call: Pick<EvmCall, 'to' | 'data'>): Promise<Uint8Array> {
  const { tips } = own;
  const { tip } = await tips.heads();
  return saidAlike(own, (source) => readBy(own, source, call, `0x${tip.height.toString(16)}`));
}

/**
 * What every RPC says alike. Of a refusal its kind alone is compared: each make of node has words of its own
 * (facts/faults.md 320).
 */
export async function saidAlike<T>({ sources }: Connection, read: (source: Source) => Promise<T>): Promise<T> {
  type Word = { readonly answer: T } | { readonly code: 'evm-reverted' | 'evm-unclear' };
  const refusals: Record<string, string> = {};
  const word = await sources.agreed(async (source): Promise<Word> => {
    try {
      return { answer: await read(source) };
    } catch (cause) {
      const code = failedOnEvm(cause, 'evm-reverted') ? 'evm-reverted' : 'evm-unclear';
      if (code === 'evm-unclear' && !(cause instanceof NoAnswer)) throw cause;
      refusals[code] ??= (cause as Error).message;
      return { code };
    }
  });
  if ('answer' in word) return word.answer;
  throw evmFailure(word.code, word.code === 'evm-unclear' ? 'safe' : 'never', refusals[word.code] ?? word.code);
}

/** One word of 32 bytes, as most views answer. */
export async function wordBy(
  own: Connection,
  source: Source,
  to: EvmAddress,
  data: `0x${string}`,
  at?: BlockOfState,
): Promise<`0x${string}`> {
  const answer = await readBy(own, source, { to, data: asBytes(data, 'a call') }, at);
  if (answer.length !== 32)
    throw new NoAnswer('not-it', `what stands at ${bytesToHex(to)} answers ${answer.length} bytes and not 32`);
  return bytesToHex(answer);
}
