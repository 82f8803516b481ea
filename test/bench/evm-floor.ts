import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { payCall } from '../../engine/legs/evm/calls.ts';
import { networksFrom, type Bench, type Used } from './bench-node.ts';
import { signCall, type Depositor } from './evm-swaps.ts';
import { pooled } from './swaps.ts';

/** Questions in one request, and requests at once: what the node does. */
const inBatch = 32;
const atOnce = 4;

/** What a client takes that does nothing else; processor of the networks. */
export interface Bare {
  readonly lastBroadcast: number;
  readonly processor: Used;
  readonly of: string;
}

/**
 * What a burst of so many costs without a node: a bare client has as many transfers of a token carried out by the
 * chain's RPC and sends them, signed before the stopwatch runs. Milliseconds to the last answer, and processor time of
 * the networks beside it.
 */
export async function bareClient(bench: Bench, depositor: Depositor, count: number): Promise<Bare> {
  const calls = Array.from({ length: count }, () =>
    payCall({ token: depositor.token, to: asEvmAddress(randomBytes(20)), amount: 1n }),
  );
  const raws = calls.map((call) => signCall(depositor, call));
  const from = `0x${toHex(depositor.address)}`;
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const batches = Array.from({ length: Math.ceil(count / inBatch) }, (_, i) => i * inBatch);
  const used = networksFrom(bench);
  const begun = performance.now();
  // In the order of their nonces.
  await pooled(batches.toReversed(), atOnce, async (first) => {
    const some = calls.slice(first, first + inBatch);
    const simulations = some.map(({ to, data }) => [
      'eth_estimateGas',
      { from, to: hex(to), data: hex(data) },
      'latest',
    ]);
    await batch(depositor.rpcUrl, agent, simulations);
    await batch(
      depositor.rpcUrl,
      agent,
      raws.slice(first, first + inBatch).map((raw) => ['eth_sendRawTransaction', raw]),
    );
  });
  const lastBroadcast = Math.round(performance.now() - begun);
  const processor = used();
  agent.destroy();
  return {
    lastBroadcast,
    processor,
    of: `${count} simulations and ${count} sends of a bare client`,
  };
}

function hex(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

function batch(url: string, agent: Agent, calls: readonly (readonly unknown[])[]): Promise<void> {
  const body = JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })));
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => (text += part));
      reply.on('end', () => {
        const wrong = (JSON.parse(text) as { error?: { message: string } }[]).find(({ error }) => error !== undefined);
        if (wrong === undefined) resolve();
        else reject(new Error(wrong.error?.message));
      });
    })
      .once('error', reject)
      .end(body);
  });
}
