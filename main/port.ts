import { createServer } from 'node:net';
import { refuse, type Refusal } from '../engine/domain/errors.ts';

/**
 * Why a start cannot listen on the port, null where it can. Asked before anything is made: what cannot run leaves
 * nothing behind.
 */
export async function takenPort(port: number): Promise<Refusal | null> {
  if (port === 0) return null;
  const code = await codeOfListening(port);
  return code === null ? null : portRefusal(port, code);
}

/** The sentence for what the system answers to listening on the port; null for what no port is the cause of. */
export function portRefusal(port: number, code: string | undefined): Refusal | null {
  if (code === 'EADDRINUSE')
    return refuse(
      'unavailable',
      `Port ${port} on 127.0.0.1 is taken by another program: choose another with --port, 0 takes a free one.`,
    );
  if (code === 'EACCES')
    return refuse(
      'unavailable',
      `Port ${port} on 127.0.0.1 is not allowed for this user: choose one above 1023 with --port.`,
    );
  return null;
}

function codeOfListening(port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? null));
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(null)));
  });
}
