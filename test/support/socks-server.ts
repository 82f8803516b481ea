import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A SOCKS5 proxy (RFC 1928, no authentication, CONNECT only) that notes where it was asked to go. */
export interface SocksServer {
  readonly url: string;
  /** `host:port` of every request, the host as it was sent: a name that nobody resolved stays a name. */
  readonly destinations: string[];
  stop(): Promise<void>;
}

/** `routes` says where a destination really is; one that is not listed cannot be reached. */
export async function startSocksServer(routes: Readonly<Record<string, number>>): Promise<SocksServer> {
  const destinations: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on('error', () => client.destroy());
    client.once('close', () => open.delete(client));
    client.once('data', () => {
      client.write(Uint8Array.of(5, 0));
      client.once('data', (request) => {
        const destination = destinationIn(request);
        destinations.push(destination);
        const port = routes[destination];
        if (port === undefined) return void client.end(reply(4));
        const target = connect(port, '127.0.0.1', () => {
          client.write(reply(0));
          client.pipe(target).pipe(client);
        });
        open.add(target);
        target.on('error', () => client.destroy());
        client.once('close', () => target.destroy());
        target.once('close', () => open.delete(target));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
    destinations,
    async stop() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function destinationIn(request: Buffer): string {
  const [, command, , kind] = request;
  if (command !== 1) throw new Error(`only CONNECT is known here, not ${command}`);
  if (kind === 1) return `${[...request.subarray(4, 8)].join('.')}:${request.readUInt16BE(8)}`;
  if (kind !== 3) throw new Error(`an address of kind ${kind} was not expected`);
  const length = request[4] ?? 0;
  return `${request.subarray(5, 5 + length).toString()}:${request.readUInt16BE(5 + length)}`;
}

function reply(code: number): Uint8Array {
  return Uint8Array.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
}
