import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { hex } from '@scure/base';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../../engine/sandbox/wire/lnd/certificate.ts';
import { text, type Json } from '../stories/client/http.ts';
import { eventually, startWireNode, type WireNode } from '../stories/wire-node.ts';
import { startSocksServer, type SocksServer } from '../support/socks-server.ts';

/* A whole node calls an address of the internet, as far as it can tell: by its name, over TLS and through a proxy. */

const patience = { timeout: 120_000 };
const host = 'told.example';
const publicKey = hex.encode(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()));
const calls: { readonly at: string; readonly body: Json }[] = [];
/** What the address answers, the first first; 200 after them. */
const answers: number[] = [];
const certificate = makeCertificate(host);
const listener = createServer(certificate, (request, reply) => {
  let json = '';
  request.setEncoding('utf8').on('data', (part: string) => (json += part));
  request.on('end', () => {
    calls.push({ at: `${request.method} ${request.headers.host}${request.url}`, body: JSON.parse(json) as Json });
    reply.writeHead(answers.shift() ?? 200).end();
  });
});
const folder = mkdtempSync(join(tmpdir(), 'sluice-told-'));
let proxy: SocksServer;
let node: WireNode;

beforeAll(async () => {
  writeFileSync(join(folder, 'ca.pem'), certificate.cert);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  proxy = await startSocksServer({ [`${host}:443`]: (listener.address() as AddressInfo).port });
  node = await startWireNode({ environment: { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') } });
  await node.owner('PATCH', '/owner/settings', { boltz: { enabled: true }, socks: proxy.url });
}, 120_000);
afterAll(async () => {
  await node?.stop();
  await proxy?.stop();
  listener.close().closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

/** A swap from Bitcoin to Lightning, paid for and paid, with what is told of it. */
async function paid(webhook: Json): Promise<string> {
  const { bolt11 } = await node.invoice(40_000);
  const { body } = await node.raw('POST', '/v2/swap/submarine', {
    ...{ from: 'BTC', to: 'BTC', invoice: bolt11, refundPublicKey: publicKey },
    webhook: { url: `https://${host}/hook?key=1`, ...webhook },
  });
  const id = text(body, 'id');
  await eventually(
    () => Promise.resolve(calls.length > 0 || webhook['status'] !== undefined),
    (isTold) => isTold,
  );
  const { address, expectedAmount: amount } = body;
  await node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount });
  await eventually(
    async () => (await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 }), node.get(`/v2/swap/${id}`)),
    ({ status }) => status === 'transaction.claimed',
  );
  return id;
}

test('each status of its swap once, in its order, as JSON, until the last', patience, async () => {
  calls.length = 0;
  const id = await paid({});
  await expect.poll(() => calls.at(-1)?.body['data'], patience).toEqual({ id, status: 'transaction.claimed' });
  expect(new Set(calls.map(({ at }) => at))).toEqual(new Set([`POST ${host}/hook?key=1`]));
  expect(new Set(calls.map(({ body }) => body['event']))).toEqual(new Set(['swap.update']));
  const order = [
    ...['invoice.set', 'transaction.mempool', 'transaction.confirmed', 'invoice.pending', 'invoice.paid'],
    ...['transaction.claim.pending', 'transaction.claimed'],
  ];
  const places = calls.map(({ body }) => order.indexOf(text(body['data'] as Json, 'status')));
  expect([places[0], places]).toEqual([0, [...new Set(places)].toSorted((a, b) => a - b)]);
  expect(new Set(proxy.destinations)).toContain(`${host}:443`);
});

test('by the hash of its id, of the statuses that it named, and once more where it failed', patience, async () => {
  calls.length = 0;
  answers.push(503);
  const id = await paid({ hashSwapId: true, status: ['transaction.claimed'] });
  const shown = createHash('sha256').update(id).digest('hex');
  const body = { event: 'swap.update', data: { id: shown, status: 'transaction.claimed' } };
  await expect.poll(() => calls.map((call) => call.body), patience).toEqual([body, body]);
});
