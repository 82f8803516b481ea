import { createHash } from 'node:crypto';
import { bech32, hex } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/sandbox/world/lightning/bolt11.ts';
import type { Client, Swap } from './client/client.ts';
import { text, type Json } from './client/http.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

let node: WireNode;
let client: Client;
let payee: { lnurl: string; lightningAddress: string };

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
  payee = (await node.owner('GET', '/sandbox'))['lightning'] as typeof payee;
});

afterAll(() => node.stop());

const create = (destination: Json) =>
  node.raw('POST', '/swap/arkade/lightning', {
    arkade_htlc_script_version: 1,
    refund_pk: client.arkade.publicKey,
    user_id: 'story',
    ...destination,
  });
const quote = (query: Record<string, string>) => node.raw('GET', `/quote/lightning-send?${new URLSearchParams(query)}`);

function encodeLnurl(url: string): string {
  return bech32.encode('lnurl', bech32.toWords(new TextEncoder().encode(url)), false);
}

/** What the payee showed before it gave out an invoice. */
async function metadata(): Promise<string> {
  const [user = '', host = ''] = payee.lightningAddress.split('@');
  const shown = (await fetch(`http://${host}/.well-known/lnurlp/${user}`).then((reply) => reply.json())) as {
    metadata: string;
  };
  return shown.metadata;
}

test('an address and an LNURL are quoted, asked for an invoice over their details, and paid', async () => {
  const committed = hex.encode(
    createHash('sha256')
      .update(await metadata())
      .digest(),
  );
  for (const destination of [{ lightning_address: payee.lightningAddress }, { lnurl: payee.lnurl }]) {
    const quoted = await quote({ ...destination, target_amount_sats: '25000' });
    const created = await create({ ...destination, target_amount_sats: 25_000 });
    const invoice = decodeInvoice(text(created.body, 'client_lightning_invoice'));
    expect([
      quoted.status,
      quoted.body['source_amount'],
      quoted.body['target_amount_sats'],
      invoice.descriptionHash,
      invoice.amountMsat,
    ]).toEqual([200, created.body['source_amount'], 25_000, committed, 25_000_000n]);
    await node.faucet(text(created.body, 'arkade_vhtlc_address'), Number(text(created.body, 'source_amount')));
    await node.until({ id: text(created.body, 'id') } as Swap, 'serverredeemed');
    expect(await node.payment(invoice.hash)).toBe('settled');
  }
});

test('a payee that is not there, or is another place of this machine, is refused', async () => {
  const [, host = ''] = payee.lightningAddress.split('@');
  const port = host.split(':')[1] ?? '';
  const api = new URL(node.url).host;
  const destinations = [
    `nobody@${host}`,
    `outside@localhost:${port}`,
    `outside@127.0.0.2:${port}`,
    `outside@${api}`,
  ].map((lightning_address) => ({ lightning_address, target_amount_sats: 25_000 }));
  const answers = await Promise.all(
    destinations.flatMap((destination) => [
      create(destination),
      quote({ ...destination, target_amount_sats: '25000' }),
    ]),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
});

test("a payee where nobody answers as LNURL-pay asks is the caller's to change", async () => {
  const [user = '', host = ''] = payee.lightningAddress.split('@');
  const dead = `${user}@nowhere.invalid`;
  const destinations = [
    { lightning_address: dead, target_amount_sats: 25_000 },
    { lnurl: encodeLnurl(`http://${host}/no-such-thing`), target_amount_sats: 25_000 },
  ];
  const answers = await Promise.all(
    destinations.flatMap((destination) => [
      create(destination),
      quote({ ...destination, target_amount_sats: '25000' }),
    ]),
  );
  expect(answers.map(({ status, body }) => [status, String(body['error']).slice(0, 9)])).toEqual(
    answers.map(() => [400, 'The payee']),
  );
});

test('the operator of the sandbox keeps delays that wallets with a floor of 1200 seconds accept', async () => {
  const { arkade } = (await node.owner('GET', '/sandbox')) as { arkade: { url: string } };
  const info = (await fetch(`${arkade.url}/v1/info`).then((reply) => reply.json())) as Record<string, string>;
  const { body } = await create({ lightning_invoice: (await node.invoice(20_000)).bolt11 });
  expect([
    info['unilateralExitDelay'],
    info['boardingExitDelay'],
    info['checkpointTapscript']?.slice(0, 12),
    body['unilateral_claim_delay'],
    body['unilateral_refund_delay'],
  ]).toEqual(['1536', '3072', '03030040b275', 1_536, 3_072]);
});
