import { connect } from 'node:net';
import { NoAnswer, probed, type Answer } from '../probe/answer.ts';

/** RFC 1928: version 5, one method offered, "no authentication". */
const greeting = Uint8Array.of(5, 1, 0);

/** Greets a SOCKS5 proxy and asks it for nothing. */
export function probeProxy(url: string, limitMs: number): Promise<Answer<{ latencyMs: number }>> {
  return probed(limitMs, (signal) => {
    const { hostname, port } = new URL(url);
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname.replace(/^\[|\]$/g, ''),
        port: Number(port === '' ? 1080 : port),
        signal,
      });
      socket.on('connect', () => socket.write(greeting));
      socket.on('data', (bytes) => {
        socket.destroy();
        if (bytes[0] !== 5) reject(new NoAnswer('not-it', 'it does not answer as SOCKS5 does'));
        else if (bytes[1] !== 0) reject(new NoAnswer('credentials', 'it wants a user name and a password'));
        else resolve({ latencyMs: performance.now() - started });
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new NoAnswer('not-it', 'it closed the connection without a word')));
    });
  });
}
