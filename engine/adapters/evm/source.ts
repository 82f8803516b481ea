import { PortFailure } from '../../domain/errors.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import { isOwnHost } from '../lnurl/private.ts';
import { NoAnswer, isTooLong, type Why } from '../probe/answer.ts';
import type { Block } from './read.ts';
import { RpcError, rpcAt, type Rpc } from './rpc.ts';

/** Blocks of logs at once, to begin with. */
const firstSpan = 2_000;

/** One RPC of a chain, and what is remembered of it and of nobody else. */
export interface Source {
  /** Its host, and its place in the list where others have the same, for sentences. */
  readonly name: string;
  /** On this machine or in a network that is not public: the owner's. */
  readonly own: boolean;
  readonly rpc: Rpc;
  /** It is on our chain, as it said itself since it was last silent. */
  genuine: boolean;
  /** The last block that it named as its latest, and when, in milliseconds of the process. */
  tip: Block | null;
  readAt: number;
  /** The time of that block, no later than it was here when it was named. */
  dated: number;
  /** Until when it is left alone, how often in a row that came about, and what it failed with. */
  restsUntil: number;
  rests: number;
  failure: PortFailure | null;
  /** It wants fewer questions, so that one more is not asked even where there is no other. */
  busy: boolean;
  /** It failed, and is asked again by somebody who keeps nobody waiting: all others do without it until it answers. */
  onTrial: boolean;
  /** Blocks that it is asked for the logs of at once. */
  span: number;
}

export interface Identity {
  readonly chainId: number;
  readonly genesis: string;
}

/** Milliseconds for one question: in the next of the chain's blocks somebody else can be asked. */
const limitMs = 5_000;

const restMs = { least: 2_000, most: 60_000 };

export function quiet(source: Source, failure: PortFailure, busy: boolean): PortFailure {
  source.restsUntil = performance.now() + Math.min(restMs.most, restMs.least * 2 ** source.rests++);
  source.genuine = false;
  source.failure = failure;
  source.busy = busy;
  return failure;
}

/** How long their answers are strangers decide, on every RPC alike: one that gives them is not left alone for it. */
const byStrangers: ReadonlySet<string> = new Set([
  'eth_getLogs',
  'eth_call',
  'eth_estimateGas',
  'eth_getTransactionReceipt',
]);

export async function hand(source: Source, method: string, ...params: readonly unknown[]): Promise<unknown> {
  try {
    const result = await source.rpc(method, ...params);
    heardOf(source);
    return result;
  } catch (cause) {
    const busy = cause instanceof RpcError;
    if (busy && !cause.isBusy) {
      heardOf(source);
      throw cause;
    }
    if (isTooLong(cause) && byStrangers.has(method)) throw cause;
    if (!busy && !(cause instanceof NoAnswer)) throw cause;
    throw quiet(source, failureOf(source.name, cause), busy);
  }
}

/** A word that is none, as a failure of whoever gave it. */
export function unclear(source: Source, cause: unknown): PortFailure {
  if (cause instanceof PortFailure) return cause;
  if (cause instanceof RpcError || cause instanceof NoAnswer)
    return evmFailure('evm-unclear', 'safe', `The EVM RPC ${source.name} gives no answer: ${cause.message}.`, cause);
  throw cause;
}

function heardOf(source: Source): void {
  source.restsUntil = 0;
  source.rests = 0;
  source.failure = null;
  source.busy = false;
}

export function sourceAt(url: string, name: string): Source {
  return {
    name,
    own: isOwnHost(new URL(url)),
    rpc: rpcAt(url, limitMs),
    genuine: false,
    tip: null,
    readAt: -Infinity,
    dated: 0,
    restsUntil: 0,
    rests: 0,
    failure: null,
    busy: false,
    onTrial: false,
    span: firstSpan,
  };
}

const unauthorized: ReadonlySet<Why> = new Set(['credentials']);

function failureOf(name: string, cause: NoAnswer | RpcError): PortFailure {
  const says = `The EVM RPC ${name} cannot be asked: ${cause.message}.`;
  if (cause instanceof RpcError) return evmFailure('evm-away', 'safe', says, cause);
  return evmFailure(unauthorized.has(cause.why) ? 'evm-unauthorized' : 'evm-away', 'safe', says, cause);
}
