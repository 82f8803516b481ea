import { createClient, httpTransport, type Fetch, type Transport } from '../../engine/contract/client.ts';
import { proveNode } from '../../engine/contract/node-proof.ts';
import { streams } from '../../engine/contract/routes.ts';
import { toHex } from '../../engine/domain/hex.ts';
import type { Connection } from './connection.ts';

const patienceMs = 20_000;

/**
 * The node that served this page, asked with the owner's token. While the node is down any program of its machine may
 * answer in its place (facts/faults.md 242): the token goes out only over an open connection for events, or once who
 * answers has shown that it has the token too.
 */
export function browserConnection(token: string): Connection {
  const patiently: Fetch = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
  const withToken = httpTransport('', patiently, { token });
  const stranger = createClient(httpTransport('', patiently));
  let proof: Promise<void> | null = null;
  /** Those who ask at the same moment wait for one answer. */
  const prove = (): Promise<void> => {
    const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)));
    proof ??= proveNode(stranger, token, { nonce, origin: location.origin }).finally(() => (proof = null));
    return proof;
  };
  /** Open since who answers showed the token, and nothing failed since. */
  let events: WebSocket | null = null;
  const proven: Transport = async (name, args) => {
    if (events === null) await prove();
    try {
      return await withToken(name, args);
    } catch (error) {
      events = null;
      throw error;
    }
  };

  function open(onEvent: () => void, down: () => void): () => void {
    const address = new URL(streams.owner, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = new WebSocket(address, [token]);
    const lost = (): void => {
      if (events === socket) events = null;
    };
    socket.addEventListener('open', () => (events = socket));
    socket.addEventListener('message', onEvent);
    socket.addEventListener('close', lost);
    socket.addEventListener('close', down);
    return () => {
      lost();
      socket.removeEventListener('close', down);
      socket.close();
    };
  }

  return {
    client: createClient(proven),
    listen(onEvent, down) {
      let stopped = false;
      let close = (): void => {};
      void prove().then(
        () => {
          if (!stopped) close = open(onEvent, down);
        },
        () => void (stopped || down()),
      );
      return () => {
        stopped = true;
        close();
      };
    },
  };
}
