import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a handler sees it. */
export interface PlainRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  /** The parsed JSON of the body, null without one. */
  readonly body: unknown;
}

export interface PlainReply {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly afterMs?: number;
}

export interface PlainServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A real HTTP server on loopback for answers that no good endpoint gives. Null leaves a request unanswered. */
export async function servePlain(answer: (request: PlainRequest) => PlainReply | null): Promise<PlainServer> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const answered = answer({
        path: request.url ?? '',
        authorization: request.headers.authorization,
        body: text === '' ? null : JSON.parse(text),
      });
      if (answered !== null) setTimeout(() => reply(response, answered), answered.afterMs ?? 0);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function reply(response: ServerResponse, { status = 200, body, headers = {} }: PlainReply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
