import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AnswerLost, OperatorAway, OperatorError } from '../../world/arkade/errors.ts';
import { errorJson } from './json.ts';

export interface ArkadeServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server of the operator for this machine only, with arkd's errors. Port 0 picks a free one. */
export async function serveOperator(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>,
): Promise<ArkadeServer> {
  const server = createServer((request, response) => {
    answer(request, response, new URL(request.url ?? '/', 'http://127.0.0.1')).catch((error: unknown) =>
      fail(response, error),
    );
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

export function reply(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function fail(response: ServerResponse, error: unknown): void {
  if (error instanceof AnswerLost || error instanceof OperatorAway || response.headersSent) {
    response.destroy();
    return;
  }
  const { status, body } = errorJson(
    error instanceof OperatorError
      ? error
      : new OperatorError(13, `INTERNAL_ERROR (0): ${error instanceof Error ? error.message : String(error)}`),
  );
  reply(response, status, body);
}
