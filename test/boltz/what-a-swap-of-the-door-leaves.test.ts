import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { hex } from '@scure/base';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { Json } from '../stories/client/http.ts';
import type { WireNode } from '../stories/wire-node.ts';
import { createReverse } from './core-kit.ts';
import { startDoorNode } from './kit.ts';

const patience = { timeout: 240_000 };
const publicKey = hex.encode(secp256k1.getPublicKey(secp256k1.utils.randomSecretKey()));
let node: WireNode;

beforeAll(async () => {
  node = await startDoorNode();
}, 120_000);
afterAll(() => node?.stop());

test('the owner sees by which door a swap came, whatever its client calls it', patience, async () => {
  const { id } = await createReverse(node.url, { onchainAmount: 60_000 });
  const { status, body } = await node.raw('POST', '/swap/arkade/lightning', {
    arkade_htlc_script_version: 1,
    ...{ lightning_invoice: (await node.invoice(40_000)).bolt11, refund_pk: publicKey },
    user_id: `boltz:${id}`,
  });
  expect(status).toBe(200);
  const { swaps } = (await node.owner('GET', `/owner/swaps?q=boltz:${id}`)) as unknown as { swaps: Json[] };
  expect(new Set(swaps.map((line) => [line['id'] === body['id'], line['boltz_id']].join()))).toEqual(
    new Set([`false,${id}`, 'true,']),
  );
});

test('an address to be told at is one of https, and none of this machine is ever called', patience, async () => {
  let calls = 0;
  const nobody = createServer(() => (calls += 1)).listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const at = `127.0.0.1:${(nobody.address() as AddressInfo).port}/`;
  const create = async (url: string) => {
    const { bolt11 } = await node.invoice(40_000);
    const { status, body } = await node.raw('POST', '/v2/swap/submarine', {
      ...{ from: 'BTC', to: 'BTC', invoice: bolt11, refundPublicKey: publicKey },
      webhook: { url, hashSwapId: true, status: ['invoice.set'] },
    });
    return `${status} ${String(body['error'])}`;
  };
  expect(await create(`http://${at}`)).toBe('400 webhook.url: it takes an address of https');
  expect(await create('told')).toBe('400 webhook.url: it takes an address of https');
  expect([await create(`https://${at}`), await create(`https://localhost:${at.split(':')[1]}`)]).toEqual([
    '201 undefined',
    '201 undefined',
  ]);
  await pause(3_000);
  nobody.close();
  expect(calls).toBe(0);
});

test('an invoice carries the hash of a description where its client gives one, else the text', patience, async () => {
  const textOf = async (more: Json) => {
    const { reply } = await createReverse(node.url, { onchainAmount: 60_000, ...more });
    const invoice = decodeInvoice(String(reply['invoice']));
    if (isRefusal(invoice)) throw new Error(invoice.sentence);
    return [invoice.description, invoice.descriptionHash === null ? null : hex.encode(invoice.descriptionHash)];
  };
  const descriptionHash = 'Ab'.repeat(32);
  expect(await textOf({ description: 'tea' })).toEqual(['tea', null]);
  expect(await textOf({ descriptionHash })).toEqual([null, 'ab'.repeat(32)]);
  expect(await textOf({ description: 'tea', descriptionHash })).toEqual([null, 'ab'.repeat(32)]);
  await expect(textOf({ descriptionHash: 'ab' })).rejects.toThrow(/^400 descriptionHash: it takes 64 hex digits/m);
});
