import { processTable } from './secrets.ts';
import type { Journal } from './world/journal.ts';

export interface PortBook {
  /** Serves at `asked`, or when that is 0 at the port of the last start, or when that is taken at any. */
  serve<Server>(
    name: string,
    wantedPort: number,
    serve: (port: number) => Promise<Server>,
    portOf: (server: Server) => number,
  ): Promise<Server>;
}

export function openPortBook(journal: Journal): PortBook {
  const lastPorts = new Map(journal.rows(processTable));
  return {
    async serve(name, wantedPort, serve, portOf) {
      const key = `port:${name}`;
      const last = lastPorts.get(key);
      const server = await (wantedPort !== 0 || typeof last !== 'number'
        ? serve(wantedPort)
        : serve(last).catch((error: unknown) => (isTaken(error) ? serve(0) : Promise.reject(error as Error))));
      lastPorts.set(key, portOf(server));
      journal.put(processTable, key, portOf(server));
      return server;
    },
  };
}

/** Whether a server failed because its port is in use. gRPC tells the system's code only inside its sentence. */
export function isTaken(error: unknown): boolean {
  return (
    error instanceof Error &&
    ((error as NodeJS.ErrnoException).code === 'EADDRINUSE' || error.message.includes('EADDRINUSE'))
  );
}
