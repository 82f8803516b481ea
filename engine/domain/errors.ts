import { cutWords, mostLooked } from './words.ts';

/**
 * Every way in which a request can be refused. The wire maps a code to its HTTP status; the sentence says the fact, the
 * limit and the given value, and what to do.
 */
export type RefusalCode =
  | 'invalid' // the request itself: 400
  | 'unknown-swap' // no swap with that id: 400 under /swap, 404 under /api
  | 'not-found' // any other thing asked for by name: 404
  | 'unauthorized' // owner token or developer key: 401
  | 'forbidden' // the state or the fence of the swap does not allow it: 403
  | 'hash-used' // 409, its sentence is an API of published clients
  | 'flood' // 429
  | 'upstream' // an exchange that was read for the client did not answer: 502
  | 'unavailable'; // a network is away, absent or paused: 503

export interface Refusal {
  readonly refusal: RefusalCode;
  readonly sentence: string;
  /** Seconds after which asking again may help, for a `flood`. */
  readonly retryAfter?: number;
}

export function refuse(refusal: RefusalCode, sentence: string, retryAfter?: number): Refusal {
  return { refusal, sentence, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refusal' in value && 'sentence' in value;
}

/**
 * What may be done after a port failed.
 * `safe`: repeat the same call, nothing happened or the call is idempotent.
 * `ask-first`: it may have happened; read the state before anything else.
 * `never`: it did not happen and will not; repeating cannot help.
 */
export type Retry = 'safe' | 'ask-first' | 'never';

/**
 * A failure outside the engine. Unknown is not failed: only `never` may end anything. Its sentence may hold what others
 * said, and goes into rows, flags and alerts.
 */
export class PortFailure extends Error {
  override readonly name = 'PortFailure';
  /** For the log; who asks for one code asks by the words of its network, made by `failedWith`. */
  readonly code: string;
  readonly retry: Retry;

  private constructor(code: string, retry: Retry, message: string, cause?: unknown) {
    super(cutWords(message, mostLooked), cause === undefined ? undefined : { cause });
    this.code = code;
    this.retry = retry;
  }

  /** How a network makes its failures: of its own codes and no other. */
  static of<Code extends string>(): (code: Code, retry: Retry, message: string, cause?: unknown) => PortFailure {
    return (code, retry, message, cause) => new PortFailure(code, retry, message, cause);
  }

  /** The same failure to somebody who asked for more than this one call. */
  retold(retry: Retry, message = this.message): PortFailure {
    return new PortFailure(this.code, retry, message, this);
  }
}

/** How a network's failures are told apart: whether it failed with one of these codes. */
export function failedWith<Code extends string>(): <C extends Code>(
  cause: unknown,
  ...codes: readonly C[]
) => cause is PortFailure & { readonly code: C } {
  return <C extends Code>(cause: unknown, ...codes: readonly C[]): cause is PortFailure & { readonly code: C } =>
    cause instanceof PortFailure && codes.some((code) => code === cause.code);
}

/**
 * With what a call over any connection may fail before its network is asked: nobody connected one, it is not open or
 * not the one that our swaps are with, or it is of another Bitcoin network. What else a network may answer is in its
 * own leg.
 */
export type ConnectionFailure = 'absent' | 'not-connected' | 'not-ours' | 'other-network';

const beforeAsking = PortFailure.of<ConnectionFailure>();

export function connectionFailure(code: ConnectionFailure, message: string): PortFailure {
  return beforeAsking(code, 'safe', message);
}

/** Whether it failed before its network was asked, with one of these codes. */
export const failedToConnect = failedWith<ConnectionFailure>();

/**
 * What keeps a node from starting on its folder, in a sentence that tells its owner the way on: no bug, and nothing to
 * trace.
 */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
