import { afterEach, expect, test, vi } from 'vitest';
import { tokenProof } from '../../engine/domain/token-proof.ts';
import { browserConnection } from '../../renderer/client/browser.ts';
import type { Connection } from '../../renderer/client/connection.ts';

/* The page asks the node that served it, and whoever has its port afterwards. */

const origin = 'http://127.0.0.1:7733';
const token = 'f'.repeat(64);

afterEach(() => void vi.unstubAllGlobals());

class Socket extends EventTarget {
  close(): void {}
}

/** Who answers at the origin, what came there with the token, and the sockets that were opened with it. */
function answering() {
  const own = { node: true, away: false, withToken: [] as string[], proofs: 0, sockets: [] as Socket[] };
  vi.stubGlobal('location', new URL(`${origin}/#/swap`));
  vi.stubGlobal('fetch', async (target: string, init: { headers: Record<string, string> }) => {
    if (own.away) throw new TypeError('nobody is there');
    if (init.headers['authorization'] === `Bearer ${token}`) own.withToken.push(target);
    const url = new URL(target, origin);
    if (url.pathname !== '/proof') return new Response('{}');
    own.proofs += 1;
    const [nonce, of] = [url.searchParams.get('nonce') ?? '', url.searchParams.get('origin') ?? ''];
    return Response.json({ proof: tokenProof(own.node ? token : 'e'.repeat(64), nonce, of) });
  });
  vi.stubGlobal(
    'WebSocket',
    class extends Socket {
      constructor(_: URL, protocols: string[]) {
        super();
        expect(protocols).toEqual([token]);
        own.sockets.push(this);
      }
    },
  );
  return own;
}

function nothing(): void {}
function status({ client }: Connection) {
  return client.call('ownerStatus');
}

test('fault 242: the token goes to who has shown that it has it, and each socket asks for that', async () => {
  const own = answering();
  const connection = browserConnection(token);
  await Promise.all([status(connection), status(connection)]);
  expect([own.withToken, own.proofs]).toEqual([['/owner/status', '/owner/status'], 1]);
  connection.listen(nothing, nothing);
  await vi.waitFor(() => expect(own.sockets.length).toBe(1));
  own.sockets[0]?.dispatchEvent(new Event('open'));
  await status(connection);
  expect([own.withToken.length, own.proofs]).toEqual([3, 2]);
});

test('fault 242: whoever takes the port after the connection was lost gets no token', async () => {
  const own = answering();
  const connection = browserConnection(token);
  let downs = 0;
  const listen = () => connection.listen(nothing, () => (downs += 1));
  listen();
  await vi.waitFor(() => expect(own.sockets.length).toBe(1));
  own.sockets[0]?.dispatchEvent(new Event('open'));
  await status(connection);
  own.node = false;
  own.sockets[0]?.dispatchEvent(new Event('close'));
  await expect(status(connection)).rejects.toMatchObject({ status: 401 });
  listen();
  await vi.waitFor(() => expect(downs).toBe(2));
  expect([own.withToken, own.sockets.length]).toEqual([['/owner/status'], 1]);
  own.node = true;
  await status(connection);
  expect(own.withToken.length).toBe(2);
});

test('fault 242: nor who takes it where the socket is still taken for open after a request failed', async () => {
  const own = answering();
  const connection = browserConnection(token);
  connection.listen(nothing, nothing);
  await vi.waitFor(() => expect(own.sockets.length).toBe(1));
  own.sockets[0]?.dispatchEvent(new Event('open'));
  own.away = true;
  await expect(status(connection)).rejects.toThrow('nobody is there');
  Object.assign(own, { away: false, node: false });
  await expect(status(connection)).rejects.toMatchObject({ status: 401 });
  expect(own.withToken).toEqual([]);
});

test('a listener that leaves before who answers has shown anything opens no socket', async () => {
  const own = answering();
  const connection = browserConnection(token);
  connection.listen(nothing, nothing)();
  await status(connection);
  expect(own.sockets).toEqual([]);
});
