import { PortFailure } from '../../domain/errors.ts';
import { evmFailure } from '../../legs/evm/failures.ts';
import type { ChosenBy } from '../../legs/evm/port.ts';
import { isOwnHost } from '../lnurl/private.ts';
import { NoAnswer, isTooLong, type Why } from '../probe/answer.ts';
import type { Block } from './read.ts';
import { RpcError, rpcAt, type Places, type Rpc } from './rpc.ts';

/** Blocks of logs at once, to begin with. */
const firstSpan = 2_000;

/** One RPC of a chain, and what is remembered of it and of nobody else. */
export interface Source {
  /** Its host, and its place in the list where others have the same, for sentences. */
  readonly name: string;
  /** On this machine or in a network that is not public: the owner's. */
  readonly own: boolean;
  readonly rpc: Rpc;
  /** The same endpoint for contracts that strangers chose, with places of their own. */
  readonly aside: Readonly<Record<ChosenBy, Aside>>;
  /** Being asked who it is, for whoever waits with such a question. */
  judging: Promise<unknown> | null;
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

/** Its rest is that of no other question: it wants fewer of these. */
interface Aside {
  readonly rpc: Rpc;
  restsUntil: number;
  rests: number;
}

export interface Identity {
  readonly chainId: number;
  readonly genesis: string;
}

/** Milliseconds for one question: in the next of the chain's blocks somebody else can be asked. */
const limitMs = 5_000;

const restMs = { least: 2_000, most: 60_000 };

/**
 * Of requests about contracts that strangers chose. A price of an exchange sends up to forty at once, and two dozen
 * swaps may want one.
 */
const placesAside: Readonly<Record<ChosenBy, Places>> = {
  client: { atOnce: 4, waiting: 64 },
  funding: { atOnce: 4, waiting: 1_000 },
  claim: { atOnce: 4, waiting: 1_000 },
};

function rest(of: Pick<Source, 'restsUntil' | 'rests'>): void {
  of.restsUntil = performance.now() + Math.min(restMs.most, restMs.least * 2 ** of.rests++);
}

export function quiet(source: Source, failure: PortFailure, busy: boolean): PortFailure {
  rest(source);
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

/** About a contract that a stranger chose: what keeps its answer away is the contract as likely as the RPC. */
export async function handAside(
  source: Source,
  by: ChosenBy,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  const aside = source.aside[by];
  if (performance.now() < aside.restsUntil)
    throw evmFailure('evm-away', 'safe', `The EVM RPC ${source.name} wants fewer questions.`);
  try {
    const result = await aside.rpc(method, ...params);
    aside.rests = 0;
    return result;
  } catch (cause) {
    if (cause instanceof RpcError && cause.isBusy) rest(aside);
    else if (!(cause instanceof NoAnswer) || isTooLong(cause)) throw cause;
    throw failureOf(source.name, cause);
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
    aside: { client: asideAt(url, 'client'), funding: asideAt(url, 'funding'), claim: asideAt(url, 'claim') },
    judging: null,
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

function asideAt(url: string, by: ChosenBy): Aside {
  return { rpc: rpcAt(url, limitMs, placesAside[by]), restsUntil: 0, rests: 0 };
}

const unauthorized: ReadonlySet<Why> = new Set(['credentials']);

function failureOf(name: string, cause: NoAnswer | RpcError): PortFailure {
  const says = `The EVM RPC ${name} cannot be asked: ${cause.message}.`;
  if (cause instanceof RpcError) return evmFailure('evm-away', 'safe', says, cause);
  return evmFailure(unauthorized.has(cause.why) ? 'evm-unauthorized' : 'evm-away', 'safe', says, cause);
}
