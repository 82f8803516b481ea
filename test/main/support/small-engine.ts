import { createServer } from 'node:http';
import type { Engine, EngineOptions } from '../../../engine/index.ts';

/**
 * The face of the engine over an HTTP server that answers 404: enough to see what a host hands over and when it stops.
 */
export function smallEngine(calls: { options: EngineOptions[]; log: string[] }) {
  return async (options: EngineOptions): Promise<Engine> => {
    calls.options.push({ ...options, seed: Uint8Array.from(options.seed) });
    const server = createServer((_, reply) => reply.writeHead(404).end());
    return {
      listen: (port) =>
        new Promise((resolve, reject) => {
          server.once('error', reject);
          server.listen(port, '127.0.0.1', () =>
            resolve({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }),
          );
        }),
      dispatch: async () => ({}),
      events: { on: () => () => {} },
      wake: async () => {},
      stop: async () => {
        const networks = options.sandbox?.endpoints.pid;
        calls.log.push(
          networks === undefined || isAlive(networks) ? 'engine stopped' : 'engine stopped after its networks',
        );
        if (server.listening) await new Promise((resolve) => server.close(resolve));
      },
    };
  };
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
