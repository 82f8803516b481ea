import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { misreadPort } from '../contract/ports.ts';

/** Listens at 127.0.0.1 and answers the port, which is any free one for 0. */
export async function listenAtFour(app: FastifyInstance, port: number): Promise<number> {
  try {
    await app.listen({ host: '127.0.0.1', port });
  } catch (cause) {
    throw portError(cause, port);
  }
  const given = (): number => (app.server.address() as AddressInfo).port;
  while (port === 0 && String(given()).includes(misreadPort)) await listenAnew(app.server);
  return given();
}

/** At another free port: the system gives that of a moment ago to nobody at once. */
async function listenAnew(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
}

/** The same server at ::1; null on a machine without IPv6. */
export function listenAtSix(
  app: FastifyInstance,
  port: number,
  serverOf: (handler: RequestListener) => Server,
): Promise<Server | null> {
  const server = serverOf(app.routing);
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'EAFNOSUPPORT') resolve(null);
      else app.close().then(() => reject(portError(cause, port)), reject);
    });
    server.listen({ host: '::1', port, ipv6Only: true }, () => resolve(server));
  });
}

function portError(cause: unknown, port: number): Error {
  if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return new Error(`Port ${port} is taken by another program: stop it, or choose another port.`, { cause });
  if ((cause as NodeJS.ErrnoException).code === 'EACCES')
    return new Error(`Port ${port} needs rights this program does not have: choose a port above 1023.`, { cause });
  return cause instanceof Error ? cause : new Error('The server could not listen.', { cause });
}
