import { type IncomingMessage, type Server, createServer } from 'node:http';

/** What a handler answers; text and bytes go out as they are, everything else as JSON. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface Call {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Parsed from JSON. */
  body(): Promise<unknown>;
  /** As it came. */
  text(): Promise<string>;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Thrown by a handler for what the caller did wrong. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

const largestBody = 1_048_576;

/** A loopback HTTP server over one function. `port` 0 picks a free one, any other is taken or the promise rejects. */
export async function serveHttp(
  port: number,
  handle: (call: Call) => Promise<Reply> | Reply,
  errorBody: (sentence: string) => unknown,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    void answer(request, handle, errorBody).then(({ status, body }) => {
      const raw = typeof body === 'string' || body instanceof Uint8Array;
      response.writeHead(status, { 'content-type': raw ? 'text/plain; charset=utf-8' : 'application/json' });
      response.end(raw ? body : JSON.stringify(body));
    });
  });
  // Longer than clients keep an idle connection: closed by us in the moment of their next request, that one would be
  // lost.
  server.keepAliveTimeout = 60_000;
  await bind(server, port);
  const bound = portOf(server);
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  handle: (call: Call) => Promise<Reply> | Reply,
  errorBody: (sentence: string) => unknown,
): Promise<Reply> {
  const url = new URL(request.url ?? '/', 'http://sandbox');
  try {
    return await handle({
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: () => readJson(request),
      text: () => readText(request),
    });
  } catch (error) {
    if (error instanceof HttpError) return { status: error.status, body: errorBody(error.message) };
    return { status: 500, body: errorBody(error instanceof Error ? error.message : String(error)) };
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) throw new HttpError(413, `The body is larger than ${largestBody} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the HTTP server has no port');
  return address.port;
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
