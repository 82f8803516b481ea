import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { failed, type Answered } from './answers.ts';
import type { Dispatch } from './dispatch.ts';

export interface MetricsListener {
  stop(): Promise<void>;
}

const paths = { '/metrics': 'metrics', '/health/live': 'live', '/health/ready': 'ready' } as const;
/** Milliseconds for a whole request: what asks here has nothing to send. */
const patience = 10_000;
const mostConnections = 32;

/**
 * Answers what a monitoring program asks, on an address of its own and without the owner's token: the owner chose who
 * reaches it. A web page is turned away all the same, whatever name it gave this machine.
 */
export async function listenForMetrics({
  host,
  port,
  dispatch,
}: {
  readonly host: string;
  readonly port: number;
  readonly dispatch: Dispatch;
}): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: patience, headersTimeout: patience }, (request, reply) => {
    void answerOf(request, dispatch).then((answered) => send(reply, answered));
  });
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerOf(request: IncomingMessage, dispatch: Dispatch): Promise<Answered> {
  if (request.headers.origin !== undefined || !isPlainHost(request.headers.host))
    return failed(403, 'Browsers may not ask here: use an IP address or a name without a dot as Host, and no Origin.');
  const operation = paths[(request.url?.split('?', 1)[0] ?? '') as keyof typeof paths] as
    (typeof paths)[keyof typeof paths] | undefined;
  if (operation === undefined) return failed(404, `There is nothing here but ${Object.keys(paths).join(', ')}.`);
  return request.method === 'GET' || request.method === 'HEAD'
    ? dispatch(operation, {})
    : failed(405, `${request.method} is not possible here: use GET.`, { allow: 'GET, HEAD' });
}

/** An IP address or a name without a dot, as container networks give: no page of the internet has such an origin. */
function isPlainHost(given: string | undefined): boolean {
  const [, six, name = ''] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(given ?? '') ?? [];
  return six === undefined ? isIP(name) === 4 || /^[a-z0-9_-]+$/i.test(name) : isIP(six) === 6;
}

function send(reply: ServerResponse, { status, body, type, headers }: Answered): void {
  const text = type === undefined ? JSON.stringify(body) : String(body);
  reply.writeHead(status, {
    ...headers,
    'content-type': type ?? 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  reply.end(text);
}
