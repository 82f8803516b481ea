import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';

/** Stands between an adapter and an operator that takes no orders, and loses what the network could lose. */
export interface GoBetween {
  readonly url: string;
  /** The next submission arrives, and its answer does not come back. */
  loseNextSubmit(): void;
  /** Ends every connection and takes no new request. */
  away(): void;
  back(): void;
  stop(): Promise<void>;
}

export async function startGoBetween(target: string): Promise<GoBetween> {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  let present = true;
  let losing = false;

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (!present) {
      incoming.socket.destroy();
      return;
    }
    const lost = losing && incoming.url === '/v1/tx/submit';
    if (lost) losing = false;
    const onward = request(
      {
        host: to.hostname,
        port: to.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, host: to.host },
      },
      (answer) => {
        if (lost) {
          answer.resume();
          answer.once('end', () => incoming.socket.destroy());
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        // A stream has headers long before its first event.
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        answer.once('error', () => outgoing.destroy());
      },
    );
    onward.once('error', () => outgoing.destroy());
    outgoing.once('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  const server = createServer(pass);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function away(): void {
    present = false;
    for (const socket of sockets) socket.destroy();
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseNextSubmit() {
      losing = true;
    },
    away,
    back() {
      present = true;
    },
    async stop() {
      away();
      server.close();
      await once(server, 'close');
    },
  };
}
