import { Refused, routes, type Transport } from './call.ts';

const patienceMs = 20_000;

/** The node that served this page, asked with the owner's token. */
export function httpTransport(token: string): Transport {
  return {
    async call(route, args = {}) {
      const { method, path } = routes[route];
      const query = args.query === undefined ? '' : `?${new URLSearchParams(args.query).toString()}`;
      const reply = await fetch(`${path}${query}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
        ...(method === 'POST' ? { body: JSON.stringify(args.body ?? {}) } : {}),
        signal: AbortSignal.timeout(patienceMs),
      });
      const answer: unknown = await reply.json().catch(() => null);
      if (!reply.ok) throw new Refused(reply.status, sentenceIn(answer) ?? `The node answered ${reply.status}.`);
      return answer;
    },
    listen(heard, down) {
      const address = new URL('/owner/events', location.href);
      address.protocol = address.protocol.replace('http', 'ws');
      const socket = new WebSocket(address, [token]);
      socket.addEventListener('message', (message: MessageEvent<string>) => heard(JSON.parse(message.data)));
      socket.addEventListener('close', down);
      return () => {
        socket.removeEventListener('close', down);
        socket.close();
      };
    },
  };
}

function sentenceIn(answer: unknown): string | null {
  const error = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : null;
  return typeof error === 'string' ? error : null;
}
