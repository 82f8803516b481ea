import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Answer } from './answers.ts';

type Open = { -readonly [K in keyof Answer]: Answer[K] };

/** What is named in a path is one of many. */
function nameOf(path: string): string {
  return path.replace(/\?.*/, '').replace(/\/[0-9a-z-]{16,}/g, '/*');
}

/** Notes each request that comes to one of these ports, by the name of its network, and when it was answered. */
export function watchDoors(names: ReadonlyMap<number, string>, now: () => number) {
  let answers: Open[] = [];
  const under = new WeakMap<object, Open>();

  function begin(key: object, port: number | undefined, what: string): void {
    const network = names.get(port ?? 0);
    if (network === undefined) return;
    const one: Open = { network, what, begun: now(), ended: null };
    under.set(key, one);
    answers.push(one);
  }

  function end(key: object): void {
    const one = under.get(key);
    if (one !== undefined) one.ended ??= now();
  }

  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    begin(request, request.socket.localPort, `${request.method} ${nameOf(request.url ?? '/')}`);
  });
  subscribe('http.server.response.finish', (message) => {
    end((message as { request: IncomingMessage; response: ServerResponse }).request);
  });
  subscribe('http2.server.stream.start', (message) => {
    const { stream, headers } = message as { stream: ServerHttp2Stream; headers: IncomingHttpHeaders };
    begin(stream, stream.session?.socket.localPort, String(headers[':path']));
  });
  subscribe('http2.server.stream.finish', (message) => {
    end((message as { stream: ServerHttp2Stream }).stream);
  });

  return {
    /** What there was since the last time. */
    take(): readonly Answer[] {
      const all = answers;
      answers = [];
      return all;
    },
  };
}
