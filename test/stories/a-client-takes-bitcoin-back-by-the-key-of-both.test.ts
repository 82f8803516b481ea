import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bitcoinToLightning, refundTogether, type BitcoinCoin, type FromHtlc } from './client/from-bitcoin.ts';
import { text, whole, type Json } from './client/http.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

/*
 * A client that knows what the guide says and nothing of the node's code takes its coin back together with the service,
 * long before its height; nobody else ends its swap, and nobody has both the coin and the payment.
 */

const patience = { timeout: 240_000 };
let node: WireNode;
let esplora: string;

beforeAll(async () => {
  node = await startWireNode();
  esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
}, 120_000);

afterAll(() => node.stop());

const mine = (blocks = 1) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
const tip = async () => whole((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'height');
const status = async ({ id }: FromHtlc) => (await node.owner('GET', `/swap/${id}`))['status'];

async function pay(swap: FromHtlc): Promise<BitcoinCoin> {
  const paid = { address: text(swap.record, 'btc_htlc_address'), amount: swap.price };
  const { txid, vout } = await node.owner('POST', '/sandbox/bitcoin/faucet', paid);
  return { txid: String(txid), vout: Number(vout), amount: BigInt(swap.price) };
}

async function mined(swap: FromHtlc, end: string): Promise<void> {
  await eventually(
    async () => {
      await mine();
      return status(swap);
    },
    (now) => now === end,
    120_000,
  );
}

test("a payment that fails: the coin is its client's again at once, and not at its height", patience, async () => {
  const swap = await bitcoinToLightning(node.url, await node.invoice(70_000));
  await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'fails' });
  const coin = await pay(swap);
  await mined(swap, 'serverwontfund');
  await refundTogether(node.url, esplora, { swap, coin });
  await mined(swap, 'clientrefunded');
  expect(await tip()).toBeLessThan(whole(swap.record, 'btc_refund_locktime'));
});

test('whoever knows the id alone ends no swap: the invoice is paid', patience, async () => {
  const swap = await bitcoinToLightning(node.url, await node.invoice(70_000));
  const coin = await pay(swap);
  await expect(refundTogether(node.url, esplora, { swap, coin, asks: randomBytes(32) })).rejects.toThrow(
    /signature is none of the swap's client/,
  );
  await mined(swap, 'serverredeemed');
});

test('asked for before anything is paid it ends the swap; once it is paid it is refused', patience, async () => {
  const early = await bitcoinToLightning(node.url, await node.invoice(70_000));
  const coin = await pay(early);
  await refundTogether(node.url, esplora, { swap: early, coin });
  await mined(early, 'clientrefunded');
  expect(
    await node.owner('GET', `/sandbox/lightning/payments/${text(early.record, 'hash_lock').slice(2)}`).catch(String),
  ).not.toMatchObject({ state: 'settled' });
  const paid = await bitcoinToLightning(node.url, await node.invoice(70_000));
  const second = await pay(paid);
  await mined(paid, 'serverredeemed');
  await expect(refundTogether(node.url, esplora, { swap: paid, coin: second })).rejects.toThrow(/403/);
});
