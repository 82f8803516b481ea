import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Hex } from 'viem';
import { isHex } from 'viem/utils';
import { cutWords, mostLooked } from '../../domain/words.ts';
import { NoAnswer, isTooLong, probed } from '../probe/answer.ts';
import { ask, jsonOf, type HttpAnswer } from '../probe/http.ts';
import { gathering, type Question, type Reply } from './batch.ts';
import { createLongAnswers, type Length } from './long-answers.ts';
import { isRevert } from './revert.ts';

/** Milliseconds for one question, where nobody waits for it. */
const usualLimitMs = 20_000;
/** Questions that one URL is asked at a time. Those that wait for their turn are not late yet. */
const mostAtOnce = 32;

/** Places for requests to one URL: so many at a time, and so many that wait for one. */
export interface Places {
  readonly atOnce: number;
  readonly waiting: number;
}

const usualPlaces: Places = { atOnce: mostAtOnce, waiting: Infinity };

/**
 * One endpoint of a chain. What it answers is checked for its form where it is used. Rejects with a `NoAnswer` or an
 * `RpcError`.
 */
export type Rpc = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** The endpoint read the question, and answered that it does not do it, with HTTP 200 as often as not. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** Its own words, or a contract's, as far as they are read. */
  readonly words: string;
  readonly data: unknown;

  constructor(method: string, code: number, words: string, data?: unknown) {
    super(`${method}: ${JSON.stringify(cutWords(words)).slice(0, 300)}`);
    this.code = code;
    this.words = cutWords(words, mostLooked);
    this.data = data;
  }

  /**
   * It wants fewer questions: the next ones make it worse (facts/evm.md 13). The words of a contract are a stranger's:
   * by them every RPC would be left alone, and no claim be made (facts/faults.md 175).
   */
  get isBusy(): boolean {
    return this.code === tooMany || (!isRevert(this) && limited.test(this.words));
  }

  /** It does not have, or give to everybody, what was so long ago. */
  get isPruned(): boolean {
    return pruned.test(this.words);
  }
}

const pruned = /pruned|missing trie node|not available|history.*unavailable|no state available|archive/i;
const tooMany = 429;
const limited =
  /rate.?limit|too many requests|request limit|daily limit|exceeded .*(compute|capacity|quota)|over capacity/i;

/**
 * Asks one URL, each question within a time limit, and many of one kind at once. Throws its error too when it comes
 * with HTTP 200. What has places of its own shares no request with anything else either.
 */
export function rpcAt(url: string, limitMs = usualLimitMs, places = usualPlaces): Rpc {
  const connections = { keepAlive: true, maxSockets: places.atOnce };
  const inTurn = createTurns(places);
  const agent = new URL(url).protocol === 'https:' ? new SecureAgent(connections) : new PlainAgent(connections);

  const long = createLongAnswers();

  async function send(post: unknown, most: Partial<Length> = {}): Promise<HttpAnswer> {
    const { limitMs: ms = limitMs, ...rest } = most;
    const reply = await inTurn(() => probed(ms, (signal) => ask({ url, signal, agent, post, ...rest })));
    if (reply.is === 'unanswered') throw new NoAnswer(reply.why, reply.words);
    return reply.facts;
  }

  async function alone({ method, params }: Question): Promise<unknown> {
    const post = { jsonrpc: '2.0', id: 1, method, params };
    const answer = await send(post).catch((cause: unknown) =>
      long.instead({ method, params }, cause, (most) => send(post, most)),
    );
    const old = ofOld.has(method) ? prunedIn(method, answer) : null;
    if (old !== null) throw old;
    refuse(method, answer);
    if (answer.status >= 500) throw new NoAnswer('other', `it answered ${answer.status}`);
    return resultOf(method, jsonOf(answer));
  }

  /**
   * One that takes no batch, or none so large, says so in words of its own: whatever is no list is asked for one by
   * one. So is what one stranger's reply made too long to be read, and batches are as large as before from then on.
   */
  async function together(questions: readonly Question[]): Promise<readonly (Reply | null)[] | null> {
    const answer = await send(
      questions.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: i + 1, method, params })),
    ).catch((cause: unknown) => {
      if (!isTooLong(cause)) throw cause;
      return null;
    });
    if (answer === null) return questions.map(() => null);
    // Only some of them may be of so long ago.
    if (ofOld.has(questions[0]?.method ?? '') && prunedIn('a batch', answer) !== null) return null;
    refuse(questions[0]?.method ?? '', answer);
    const replies = repliesIn(answer);
    if (replies === null) return null;
    const byId = new Map(replies.map((reply) => [reply['id'], reply]));
    return questions.map((_, i) => byId.get(i + 1) ?? null);
  }

  const inBatches = gathering(alone, together, resultOf);
  return async (method, ...params) => {
    long.refuse({ method, params });
    return inBatches({ method, params });
  };
}

/** What may be of so long ago. */
const ofOld: ReadonlySet<string> = new Set(['eth_getLogs', 'eth_call', 'eth_getTransactionReceipt']);

/**
 * Some refuse questions about old blocks like a stranger, and answer those about new ones: theirs is no word about all
 * that is asked (facts/faults.md 228).
 */
function prunedIn(method: string, { status, text }: HttpAnswer): RpcError | null {
  if (status !== 401 && status !== 403) return null;
  try {
    const { error } = JSON.parse(text) as Reply;
    const words = error === undefined || error === null ? null : errorOf(method, error);
    return words?.isPruned === true ? words : null;
  } catch {
    return null; // no JSON: it is about all of it
  }
}

/** It says for all that is asked that it will not do it. */
function refuse(method: string, { status }: HttpAnswer): void {
  if (status === tooMany) throw new RpcError(method, tooMany, 'too many requests');
  if (status === 401 || status === 403) throw new NoAnswer('credentials', `it answered ${status}`);
}

function resultOf(method: string, { result, error }: Reply): unknown {
  if (error !== undefined && error !== null) throw errorOf(method, error);
  if (result === undefined) throw new NoAnswer('not-it', `it answered ${method} without a result`);
  return result;
}

/** The replies to a batch; null where the answer is no list. Throws where it says to ask less. */
function repliesIn({ text }: HttpAnswer): readonly Reply[] | null {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return null;
  }
  const isReply = (one: unknown): one is Reply => typeof one === 'object' && one !== null;
  if (Array.isArray(content)) return content.filter(isReply);
  const error = isReply(content) && isReply(content['error']) ? errorOf('a batch', content['error']) : null;
  if (error?.isBusy === true) throw error;
  return null;
}

/** In the order in which they came; nothing is sent where too many wait already. */
function createTurns({ atOnce, waiting: most }: Places): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === atOnce && waiting.length >= most) throw new NoAnswer('busy', 'too many questions wait for it');
    if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

function errorOf(method: string, error: unknown): RpcError {
  if (typeof error !== 'object') return new RpcError(method, 0, String(error));
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  return new RpcError(method, typeof code === 'number' ? code : 0, typeof message === 'string' ? message : '', data);
}

export function asHex(value: unknown, what: string): Hex {
  if (!isHex(value)) throw new NoAnswer('not-it', `it answered without ${what}`);
  return value;
}

/** A quantity is hex text with 0x in front and at least one digit, of 256 bits at most. */
export function asQuantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value))
    throw new NoAnswer('not-it', `it gave no number for ${what}`);
  return BigInt(value);
}
