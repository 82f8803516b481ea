import { request } from 'node:http';
import { serveHttp } from '../../../engine/sandbox/wire/http.ts';

/**
 * A reverse proxy before the node, as one client's requests come through it: the node counts them as that address's.
 */
export interface Door {
  readonly url: string;
  /** When the last create came through that the node accepted, by the clock of this process. */
  readonly createdAt: () => number;
  stop(): Promise<void>;
}

/** What a create is answered once nobody is let in any more. */
export const closed = 410;

export async function openDoor(node: () => string, address: string, isClosed: () => boolean): Promise<Door> {
  let createdAt = performance.now();
  const server = await serveHttp(
    0,
    async (call) => {
      const body = call.method === 'POST' ? await call.text() : null;
      const isCreate = body !== null && /^\/swap\/\w+\/\w+$/.test(call.path);
      if (isCreate && isClosed()) return { status: closed, body: '{"error":"It is over."}' };
      const query = call.query.size === 0 ? '' : `?${call.query.toString()}`;
      const reply = await passOn(`${node()}${call.path}${query}`, body, address);
      if (isCreate && reply.status === 200) createdAt = performance.now();
      return reply;
    },
    (error) => ({ error }),
  );
  return { url: server.url, createdAt: () => createdAt, stop: () => server.stop() };
}

function passOn(url: string, body: string | null, address: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const headers = {
      'x-forwarded-for': address,
      ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    request(url, { method: body === null ? 'GET' : 'POST', headers }, (reply) => {
      const parts: Buffer[] = [];
      reply
        .on('data', (part: Buffer) => parts.push(part))
        .once('error', () => resolve(dead))
        .once('end', () => resolve({ status: reply.statusCode ?? 502, body: Buffer.concat(parts).toString() }));
    })
      .once('error', () => resolve(dead))
      .end(body ?? undefined);
  });
}

/** As proxies say it of a node that is down: its clients ask again. */
const dead = { status: 503, body: '{"error":"The node does not answer."}' } as const;
