import { createClient, httpTransport, type Fetch } from '../../engine/contract/client.ts';
import { streams } from '../../engine/contract/routes.ts';
import type { Connection } from './connection.ts';

const patienceMs = 20_000;

/** The node that served this page, asked with the owner's token. */
export function browserConnection(token: string): Connection {
  const patiently: Fetch = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
  return {
    client: createClient(httpTransport('', patiently, { token })),
    listen(onEvent, down) {
      const address = new URL(streams.owner, location.href);
      address.protocol = address.protocol.replace('http', 'ws');
      const socket = new WebSocket(address, [token]);
      socket.addEventListener('message', onEvent);
      socket.addEventListener('close', down);
      return () => {
        socket.removeEventListener('close', down);
        socket.close();
      };
    },
  };
}
