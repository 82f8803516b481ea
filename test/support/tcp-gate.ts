import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * A gate in front of a port: open it lets connections through, shut it breaks those that stand and takes no new ones.
 */
export interface TcpGate {
  readonly port: number;
  shut(): Promise<void>;
  open(): Promise<void>;
  /** Lets nothing more through the connections that stand, and does not end them either; new ones are let through. */
  freeze(): void;
}

export async function openGate(target: { host: string; port: number }): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  let server: Server = listener();

  function listener(): Server {
    return createServer((near) => {
      const far = connect(target);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy());
        one.once('close', () => {
          sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  function listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  }

  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async shut() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    freeze() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    async open() {
      if (server.listening) return;
      server = listener();
      await listen(port);
    },
  };
}
