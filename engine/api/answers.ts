import { alwaysInStatus, type NodeStatus, type Readiness } from '../contract/records/node.ts';
import type { RouteName } from '../contract/routes.ts';
import { failedToConnect, isRefusal, PortFailure, type Refusal, type RefusalCode } from '../domain/errors.ts';

/** A finished answer, before any host has put it on a wire. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
  /** Set where the body is text of another kind than JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where the API says what went wrong; pino fits. Never given a body, a header or a query. */
export interface ApiLog {
  error(fields: Readonly<Record<string, unknown>>, text: string): void;
}

const statuses: Record<Exclude<RefusalCode, 'unknown-swap'>, number> = {
  invalid: 400,
  'not-found': 404,
  unauthorized: 401,
  forbidden: 403,
  'hash-used': 409,
  flood: 429,
  upstream: 502,
  unavailable: 503,
};

export function answer(body: unknown): Answered {
  return { status: 200, body };
}

export function failed(status: number, error: string, headers?: Readonly<Record<string, string>>): Answered {
  return headers === undefined ? { status, body: { error } } : { status, body: { error }, headers };
}

/** Of a node without its engine: 503 with the sentence, or in the shape that the operation has whenever it answers. */
export function unserved(
  operation: RouteName | undefined,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): Answered {
  if (operation === 'ready') return { status: 503, body: { ready: false } satisfies Readiness, headers };
  if (operation !== 'status') return failed(503, sentence, headers);
  const body: NodeStatus = {
    healthy: false,
    swaps_paused: true,
    services: Object.fromEntries(alwaysInStatus.map((key) => [key, { healthy: false, error: sentence }])),
  };
  return { status: 503, body, headers };
}

/** For a client that has used up its allowance. */
export function tooMany(seconds: number): Answered {
  return failed(429, `Too many requests: wait ${seconds} second${seconds === 1 ? '' : 's'}.`, {
    'retry-after': String(seconds),
  });
}

export function refused(refusal: Refusal, unknownSwap: 400 | 404): Answered {
  const status = refusal.refusal === 'unknown-swap' ? unknownSwap : statuses[refusal.refusal];
  return failed(
    status,
    refusal.sentence,
    status === 429 ? { 'retry-after': String(refusal.retryAfter ?? 1) } : undefined,
  );
}

export function settled(value: unknown, unknownSwap: 400 | 404): Answered {
  return isRefusal(value) ? refused(value, unknownSwap) : answer(value);
}

/**
 * The answer to a failure that nobody foresaw. Its text stays in the log: it may name hosts, files or amounts that are
 * none of the caller's business.
 */
export function crashed(cause: unknown, operation: string, log: ApiLog): Answered {
  if (failedToConnect(cause, 'absent')) return failed(503, cause.message);
  if (cause instanceof PortFailure) {
    log.error({ operation, code: cause.code, retry: cause.retry, err: cause }, 'a network failed during a request');
    return failed(503, 'A network that this request needs did not answer: try again in a minute.');
  }
  log.error({ operation, err: cause }, 'a request failed');
  return failed(500, 'The node failed on this request and has noted why: read the swap before you try again.');
}
