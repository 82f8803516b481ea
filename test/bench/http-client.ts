import { Agent, request } from 'node:http';

export interface HttpClient {
  get(path: string): Promise<Record<string, unknown>>;
  post(path: string, body: object): Promise<Record<string, unknown>>;
  close(): void;
}

/** Keep-alive connections, as many as asked; throws on any answer but 200. */
export function httpClient(url: string, connections: number, token?: string): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  function send(method: string, path: string, body?: string): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      request(url + path, { method, agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response
          .on('data', (part: Buffer) => parts.push(part))
          .on('end', () => {
            const text = Buffer.concat(parts).toString();
            if (response.statusCode === 200) resolve(JSON.parse(text) as Record<string, unknown>);
            else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text}`));
          });
      })
        .once('error', reject)
        .end(body);
    });
  }
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, JSON.stringify(body)),
    close: () => agent.destroy(),
  };
}
