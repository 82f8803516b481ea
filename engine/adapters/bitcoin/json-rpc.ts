import { Agent as PlainAgent, request as plain, type Agent, type RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as secure } from 'node:https';
import type { PortFailure } from '../../domain/errors.ts';
import { cutWords } from '../../domain/words.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** Read anew for each login: a node writes another cookie whenever it starts. Null while there is none. */
export interface CookieLogin {
  readonly cookie: () => Login | null;
}

export type CoreEndpoint = CorePlace & (Login | CookieLogin);

interface CorePlace {
  /** `http://host:port` or `https://host:port`. */
  readonly url: string;
  /** PEM text by which the server's certificate is judged; the machine's authorities when null. */
  readonly ca: string | null;
  /** Milliseconds for one call; 10 s when left out. */
  readonly limit?: number;
  /** Carries the connections, for a proxy; Node's own when left out. */
  readonly agent?: Agent;
}

/** The node understood the call and said no: its code as it gave it, and so much of its text as is looked at. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';
  readonly code: number;

  constructor(method: string, code: number, text: string) {
    super(text === '' ? `${method} was refused with code ${code}` : cutWords(text));
    this.code = code;
  }
}

/** Calls a method of the node; `limit` in milliseconds for one that takes longer than others. */
export interface CoreRpc {
  call(method: string, params?: readonly unknown[], limit?: number): Promise<unknown>;
  /** One request for many calls; a call that is refused answers its refusal. */
  batch(method: string, params: readonly (readonly unknown[])[]): Promise<unknown[]>;
  /** `host:port`, for sentences. */
  readonly name: string;
}

const defaultLimit = 10_000;
/** A block in hexadecimal is at most 8 MB; whatever is larger than this is no answer to any of our questions. */
const mostBytes = 40_000_000;
/** A node serves few connections, and a handshake costs it more than an answer does. */
const connections = { keepAlive: true, maxSockets: 4 };
/** Bitcoin Core while it loads: everything but the way to stop it answers so. */
const warmingUp = -28;

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** How the node is called. */
interface Calling {
  readonly endpoint: CoreEndpoint;
  readonly at: URL;
  readonly name: string;
  readonly options: RequestOptions & { ca?: string };
  last: number;
  login: Login | null;
}

/**
 * JSON-RPC 1.0 as Bitcoin Core and btcd speak it. What is refused comes with HTTP 500 or 404 from the one and 200 from
 * the other, so the body decides; redirects are not followed, since they would take the password along.
 */
export function coreRpc(endpoint: CoreEndpoint): CoreRpc {
  const at = new URL(endpoint.url);
  const name = at.host;
  const options: RequestOptions & { ca?: string } = {
    method: 'POST',
    hostname: at.hostname,
    port: at.port,
    path: at.pathname,
    ...(endpoint.ca === null ? {} : { ca: endpoint.ca }),
    agent: endpoint.agent ?? (at.protocol === 'https:' ? new SecureAgent(connections) : new PlainAgent(connections)),
  };
  const own: Calling = { endpoint, at, name, options, last: 0, login: 'cookie' in endpoint ? null : endpoint };

  return {
    name,
    async call(method, params = [], limit = endpoint.limit ?? defaultLimit) {
      const { status, answer } = await ask(own, method, message(own, method, params), limit);
      return resultOf(own, method, status, answer);
    },
    async batch(method, params) {
      if (params.length === 0) return [];
      const calls = params.map((one) => message(own, method, one));
      const { status, answer } = await ask(own, method, calls, endpoint.limit ?? defaultLimit);
      // Not a list: the whole batch was refused, for one reason.
      if (!Array.isArray(answer))
        throw away(
          own,
          `answered a batch of ${method} with no list: ${refusalIn(() => resultOf(own, method, status, answer))}`,
        );
      const byId = new Map(answer.map((one: { id?: unknown }) => [one.id, one]));
      return calls.map(({ id }) => refusalIn(() => resultOf(own, method, status, byId.get(id))));
    },
  };
}

function loginNow(own: Calling): Login {
  const { endpoint } = own;
  own.login ??= 'cookie' in endpoint ? endpoint.cookie() : null;
  if (own.login === null)
    throw away(own, 'has no cookie file: it is written when the node starts, look at bitcoin.core.cookieFile.');
  return own.login;
}

function away({ name }: Calling, sentence: string, cause?: unknown): PortFailure {
  return onchainFailure('bitcoin-away', 'safe', `The Bitcoin node ${name} ${sentence}`, cause);
}

function post(own: Calling, body: string, limit: number): Promise<Reply> {
  const { at, options } = own;
  const { user, password } = loginNow(own);
  return new Promise((resolve, reject) => {
    const fail = (sentence: string, cause?: unknown): void => reject(away(own, sentence, cause));
    const signal = AbortSignal.timeout(limit);
    const request = (at.protocol === 'https:' ? secure : plain)(
      {
        ...options,
        auth: `${user}:${password}`,
        signal,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > mostBytes) request.destroy(new Error(`it answered more than ${mostBytes} bytes`));
        });
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
        response.once('error', (cause) => fail(`broke off its answer: ${cause.message}.`, cause));
      },
    );
    request.once('error', (cause) => {
      if (signal.aborted) fail(`did not answer within ${limit} ms.`);
      else fail(`cannot be reached: ${cause.message}.`, cause);
    });
    request.end(body);
  });
}

/** A node that started again has another cookie: it is read once more, and the call sent once more. */
async function postAgain(own: Calling, body: string, limit: number): Promise<Reply> {
  const { endpoint } = own;
  const used = loginNow(own);
  const reply = await post(own, body, limit);
  if (reply.status !== 401 || !('cookie' in endpoint)) return reply;
  if (own.login === used) own.login = null;
  return loginNow(own).password === used.password ? reply : post(own, body, limit);
}

/** The parsed body; what stops every call, wrong credentials or a proxy's error page, is a failure. */
async function ask(
  own: Calling,
  method: string,
  body: unknown,
  limit: number,
): Promise<{ status: number; answer: unknown }> {
  const { name } = own;
  const { status, text } = await postAgain(own, JSON.stringify(body), limit);
  if (status === 401)
    throw onchainFailure(
      'bitcoin-unauthorized',
      'safe',
      `The Bitcoin node ${name} refuses the user name or the password: name its cookie file, or give the ones ` +
        'of its rpcuser and rpcpassword, or rpcauth.',
    );
  if (status === 403)
    throw onchainFailure(
      'bitcoin-unauthorized',
      'safe',
      `The Bitcoin node ${name} does not let this machine or this user call ${method}: look at its rpcallowip ` +
        'and its rpcwhitelist.',
    );
  if (status === 503 && /work queue/i.test(text))
    throw away(
      own,
      'has more calls waiting than it takes: raise its rpcworkqueue, or have other programs ask it less.',
    );
  try {
    return { status, answer: JSON.parse(text) };
  } catch (cause) {
    throw away(
      own,
      text.trim() === ''
        ? `answered HTTP ${status} and nothing else.`
        : `answered HTTP ${status} and no JSON: is it a Bitcoin node?`,
      cause,
    );
  }
}

function resultOf(own: Calling, method: string, status: number, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null)
    throw away(own, `answered ${method} with HTTP ${status} and no object.`);
  const { result, error } = answer as { result?: unknown; error?: unknown };
  if (error !== null && error !== undefined) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === warmingUp) throw away(own, `is still starting: ${cutWords(String(message))}`);
    throw new RpcRefusal(method, typeof code === 'number' ? code : 0, typeof message === 'string' ? message : '');
  }
  if (status !== 200 || result === undefined) throw away(own, `answered ${method} with HTTP ${status} and no result.`);
  return result;
}

function message(own: Calling, method: string, params: readonly unknown[]) {
  return { jsonrpc: '1.0', id: ++own.last, method, params };
}

function refusalIn(read: () => unknown): unknown {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof RpcRefusal) return cause;
    throw cause;
  }
}
