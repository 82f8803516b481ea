import { routes, type Args, type Reply, type RouteName } from './routes.ts';
import type { Method } from './routes/route.ts';

/** An operation that was refused: the node's sentence and the HTTP status it has or would have. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** Carries a named call to a node and brings back status and body. */
export type Transport = (name: RouteName, args: WireArgs, signal?: Signal) => Promise<Answered>;

export interface WireArgs {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Whatever the transport's own fetch takes to give up waiting. */
export type Signal = object;

type Variadic<N extends RouteName> =
  object extends Args<N> ? [args?: Args<N>, signal?: Signal] : [args: Args<N>, signal?: Signal];

export interface Client {
  call<N extends RouteName>(name: N, ...rest: Variadic<N>): Promise<Reply<N>>;
}

/** A client whose calls are checked against the table while compiling; rejects with `CallFailed`. */
export function createClient(transport: Transport): Client {
  return {
    async call<N extends RouteName>(name: N, ...rest: Variadic<N>): Promise<Reply<N>> {
      const answered = await transport(name, (rest[0] ?? {}) as WireArgs, rest[1]);
      if (answered.status === 200) return answered.body as Reply<N>;
      throw new CallFailed(answered.status, sentenceOf(answered));
    },
  };
}

function sentenceOf(answered: Answered): string {
  const body = answered.body;
  if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string') return body.error;
  return `The node answered with status ${answered.status}.`;
}

/** Path and query of a call. */
export function target(name: RouteName, args: WireArgs): string {
  const path = routes[name].path.replace(/\{(\w+)\}/g, (_, part: string) =>
    encodeURIComponent(String(args.params?.[part] ?? '')),
  );
  const pairs = Object.entries(args.query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  if (pairs.length === 0) return path;
  return `${path}?${pairs.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** The part of `fetch` that is used; both the browser's and Node's fit. */
export type Fetch = (
  url: string,
  init: { method: Method; headers: Record<string, string>; body?: string; signal?: never },
) => Promise<{ status: number; text(): Promise<string> }>;

/** Over HTTP to any base address, with the owner's token or a developer key where there is one. */
export function httpTransport(
  base: string,
  fetch: Fetch,
  credentials: { token?: string; developerKey?: string } = {},
): Transport {
  const root = base.replace(/\/+$/, '');
  return async (name, args, signal) => {
    const headers: Record<string, string> = {};
    if (routes[name].body !== null) headers['content-type'] = 'application/json';
    if (credentials.token !== undefined) headers['authorization'] = `Bearer ${credentials.token}`;
    if (credentials.developerKey !== undefined) headers['x-developer-key'] = credentials.developerKey;
    const response = await fetch(root + target(name, args), {
      method: routes[name].method,
      headers,
      ...(routes[name].body === null ? {} : { body: JSON.stringify(args.body ?? {}) }),
      ...(signal === undefined ? {} : { signal: signal as never }),
    });
    return { status: response.status, body: jsonOf(await response.text()) };
  };
}

/** A body that is no JSON is not ours: a proxy's page, say. It is handed on as text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** In the same process, through the dispatcher of `engine/api`. */
export function localTransport(dispatch: (name: RouteName, args: WireArgs) => Promise<Answered>): Transport {
  return (name, args) => dispatch(name, args);
}

/** Across the bridge of the desktop: one function that takes a name and arguments. */
export function ipcTransport(call: (name: string, args: unknown) => Promise<unknown>): Transport {
  return async (name, args) => {
    const answered = await call(name, args);
    if (
      typeof answered === 'object' &&
      answered !== null &&
      'status' in answered &&
      typeof answered.status === 'number'
    )
      return { status: answered.status, body: 'body' in answered ? answered.body : null };
    throw new CallFailed(500, 'The node did not answer the call.');
  };
}
