import { httpTransport, type Answered, type Fetch } from '../../engine/contract/client.ts';
import { streams } from '../../engine/contract/routes.ts';
import { connectionOver, type Connection, type TakerCall } from './connection.ts';

const patienceMs = 20_000;
const takerPath = '/owner/taker/swaps';

/** The node that served this page, asked with the owner's token. */
export function browserConnection(token: string): Connection {
  const patiently: Fetch = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
  return connectionOver(httpTransport('', patiently, { token }), (name, body) => takerCall(token, name, body), (heard, down) => {
    const address = new URL(streams.owner, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = new WebSocket(address, [token]);
    socket.addEventListener('message', heard);
    socket.addEventListener('close', down);
    return () => {
      socket.removeEventListener('close', down);
      socket.close();
    };
  });
}

async function takerCall(token: string, name: TakerCall, body?: object): Promise<Answered> {
  const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const reply = await fetch(takerPath, {
    method: name === 'takerSwaps' ? 'GET' : 'POST',
    headers,
    signal: AbortSignal.timeout(patienceMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as unknown };
}
