import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BitcoinNode } from './bitcoin-node.ts';

/**
 * What an lnd speaks to instead of a Core after 31. That one names no soft fork any more whose rules are in force from
 * the genesis block on, and lnd 0.20 ends at once where `getdeploymentinfo` names no taproot. Everything else passes as
 * it is, and a Core that is away stays away.
 */
export async function openTaprootDoor(core: BitcoinNode): Promise<{ readonly host: string; stop(): Promise<void> }> {
  const { host, hostname, port } = new URL(core.url);

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => {
      const body = Buffer.concat(chunks);
      const asksForForks = body.includes('"getdeploymentinfo"');
      const onward = request(
        { hostname, port, method: 'POST', path: incoming.url, headers: { ...incoming.headers, host } },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.once('error', () => outgoing.destroy());
          answer.once('end', () => {
            const reply = asksForForks ? withTaproot(Buffer.concat(parts)) : Buffer.concat(parts);
            outgoing
              .writeHead(answer.statusCode ?? 502, {
                'content-type': 'application/json',
                'content-length': reply.length,
              })
              .end(reply);
          });
        },
      );
      onward.once('error', () => incoming.socket.destroy());
      onward.end(body);
    });
  }

  const server = createServer(pass);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function withTaproot(answer: Buffer): Buffer {
  const reply = JSON.parse(answer.toString()) as { result: { deployments: Record<string, object> } | null };
  if (reply.result !== null) reply.result.deployments['taproot'] ??= { type: 'buried', active: true, height: 0 };
  return Buffer.from(JSON.stringify(reply));
}
