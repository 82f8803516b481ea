import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { unix } from '../domain/time.ts';
import type { BitcoinClockPort } from '../legs/onchain/port.ts';

export interface RealNode {
  /** `http(s)://user:password@host:port` of a Core-style JSON-RPC. */
  readonly url: string;
  /** The PEM certificate that the node's own is judged by; the machine's authorities without one. */
  readonly ca?: string;
}

const limitMs = 5_000;
const mostBytes = 1_000_000;
const medianOf = 11;

/** What the clock of a chain needs from a Core-style node: two or three calls, none of which changes anything. */
export function realNode({ url, ca }: RealNode): BitcoinClockPort {
  const { protocol, username, password, hostname, port, pathname } = new URL(url);
  const auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const options = { method: 'POST', hostname, port, path: pathname, auth, timeout: limitMs, ...(ca === undefined ? {} : { ca }) };

  async function call(method: string, ...params: unknown[]): Promise<unknown> {
    const { status, text } = await post(JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }));
    if (status === 401 || status === 403) throw new Error('it refused the user and password');
    const answer = parse(text);
    if (answer.error !== null && answer.error !== undefined) throw new Error(`it answered ${method} with: ${answer.error.message ?? JSON.stringify(answer.error)}`);
    if (status !== 200 || answer.result === undefined) throw new Error(`it answered ${method} with HTTP ${status} and no result`);
    return answer.result;
  }

  function post(body: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = (protocol === 'https:' ? secure : plain)(options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > mostBytes) request.destroy(new Error(`it answered more than ${mostBytes} characters`));
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.once('error', reject);
      });
      request.once('timeout', () => request.destroy(new Error(`it did not answer within ${limitMs / 1_000} s`)));
      request.once('error', reject);
      request.end(body);
    });
  }

  /** BIP-113 from the headers, for a node that does not tell it. */
  async function medianTime(tip: string): Promise<number> {
    const times: number[] = [];
    for (let hash: unknown = tip; typeof hash === 'string' && times.length < medianOf; ) {
      const header = asRecord(await call('getblockheader', hash, true));
      times.push(header.time as number);
      hash = header.previousblockhash;
    }
    return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  }

  return {
    genesis: async () => String(await call('getblockhash', 0)),
    async tip() {
      const { bestblockhash, blocks, mediantime } = asRecord(await call('getblockchaininfo'));
      const hash = String(bestblockhash);
      const header = asRecord(await call('getblockheader', hash, true));
      const mtp = typeof mediantime === 'number' ? mediantime : await medianTime(hash);
      return { hash, height: blocks as number, time: unix(header.time as number), mtp: unix(mtp) };
    },
  };
}

function parse(text: string): { result?: unknown; error?: { message?: string } | null } {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    throw new Error('it answered no JSON');
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('it answered no object');
  return value as Record<string, unknown>;
}
