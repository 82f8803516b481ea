/** Plain requests to any base URL that speaks the published interface (facts/clients.md 1). */
export type Json = Readonly<Record<string, unknown>>;

export type Method = 'GET' | 'POST' | 'PATCH';

export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** A reply other than 2xx, with the sentence of the service. */
export class Refused extends Error {
  readonly status: number;

  constructor(what: string, status: number, sentence: string) {
    super(`${what}: ${status} ${sentence}`);
    this.status = status;
  }
}

/** Nobody answered, or the answer was cut off: the request may have been heard all the same. */
export class Unanswered extends Error {}

const patienceMs = 30_000;

const listeners = new Set<(path: string, answer: string) => void>();

/** Hears every body that comes back, as it came. */
export function onAnswer(listener: (path: string, answer: string) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export async function send(
  base: string,
  method: Method,
  path: string,
  body?: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  // What fetch says by itself names neither the request nor the reason.
  const unanswered = (cause: unknown): never => {
    const reason = cause instanceof TypeError ? (cause.cause ?? cause) : cause;
    throw new Unanswered(`${method} ${path}: ${String(reason)}`, { cause });
  };
  const reply = await fetch(base + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  }).catch(unanswered);
  const answer = await reply.text().catch(unanswered);
  for (const listener of listeners) listener(path, answer);
  return { status: reply.status, body: JSON.parse(answer) as Json };
}

export async function ask(
  base: string,
  method: Method,
  path: string,
  body?: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<Json> {
  const { status, body: answer } = await send(base, method, path, body, headers);
  if (status !== 200) throw new Refused(`${method} ${path}`, status, String(answer['error']));
  return answer;
}

export function text(from: Json, name: string): string {
  const value = from[name];
  if (typeof value !== 'string') throw new Error(`"${name}" is ${JSON.stringify(value)}, not a text`);
  return value;
}

export function whole(from: Json, name: string): number {
  const value = from[name];
  if (!Number.isSafeInteger(value)) throw new Error(`"${name}" is ${JSON.stringify(value)}, not a whole number`);
  return value as number;
}
