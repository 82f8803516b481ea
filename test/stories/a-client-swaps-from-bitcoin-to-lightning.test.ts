import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bitcoinToLightning, takeHtlcBack, type FromHtlc } from './client/from-bitcoin.ts';
import { text, whole, type Json } from './client/http.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

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

async function pay(swap: FromHtlc, amount = swap.price) {
  const paid = { address: text(swap.record, 'btc_htlc_address'), amount };
  const { txid, vout } = await node.owner('POST', '/sandbox/bitcoin/faucet', paid);
  return { txid: String(txid), vout: Number(vout), amount: BigInt(amount) };
}

/** Blocks come until the swap is there. */
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

describe('from Bitcoin to Lightning', () => {
  test(
    'an invoice is paid once the coin is in a block, and the coin is claimed with what that shows',
    patience,
    async () => {
      const swap = await bitcoinToLightning(node.url, await node.invoice(70_000));
      expect(swap.record).toMatchObject({ target_amount: '70000', btc_funding_confirmations: 1 });
      expect(whole(swap.record, 'btc_refund_locktime') - (await tip())).toBeGreaterThanOrEqual(144);
      expect(swap.price).toBe(70_000 + whole(swap.record, 'fee_sats') + whole(swap.record, 'network_fee_sats'));
      await pay(swap);
      await mined(swap, 'serverredeemed');
      const record = await node.owner('GET', `/swap/${swap.id}`);
      expect(record).toMatchObject({ direction: 'bitcoin_to_lightning', btc_claim_txid: expect.any(String) });
      expect(
        await node.owner('GET', `/sandbox/lightning/payments/${text(record, 'hash_lock').slice(2)}`),
      ).toMatchObject({
        state: 'settled',
      });
    },
  );

  test(
    'one sat too little is paid for by nobody, and taken back alone at the height and no block sooner',
    patience,
    async () => {
      const swap = await bitcoinToLightning(node.url, await node.invoice(70_000));
      const coin = await pay(swap, swap.price - 1);
      await mined(swap, 'clientinvalidfunded');
      await mine(whole(swap.record, 'btc_refund_locktime') - (await tip()) - 1);
      await expect(takeHtlcBack(esplora, swap, coin)).rejects.toThrow();
      await mine(1);
      await takeHtlcBack(esplora, swap, coin);
      await mined(swap, 'clientrefunded');
    },
  );

  test('a payment that fails leaves the coin to its client', patience, async () => {
    const swap = await bitcoinToLightning(node.url, await node.invoice(70_000));
    await node.owner('POST', '/sandbox/lightning/fault', { next_payment: 'fails' });
    const coin = await pay(swap);
    await mined(swap, 'serverwontfund');
    await mine(Math.max(0, whole(swap.record, 'btc_refund_locktime') - (await tip())));
    await takeHtlcBack(esplora, swap, coin);
    await mined(swap, 'clientrefunded');
  });
});
