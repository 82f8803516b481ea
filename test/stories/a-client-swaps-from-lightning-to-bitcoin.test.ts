import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { text, whole, type Json } from './client/http.ts';
import { claimedBy, claimHtlc, lightningToBitcoin, type ToHtlcByLightning } from './client/to-bitcoin.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

/*
 * A client that knows what the guide says and nothing of the node's code: it derives the HTLC with the library of
 * published wallets, and claims alone, by the script.
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
const payment = async (swap: ToHtlcByLightning) =>
  (await node.owner('GET', `/sandbox/lightning/payments/${text(swap.record, 'hash_lock').slice(2)}`))['state'];

async function funded(amount: { target_amount_sats: number } | { source_amount_sats: number }) {
  const swap = await lightningToBitcoin(node.url, { amount });
  await node.pay(swap.bolt11);
  return { swap, record: await node.until(swap, 'serverfunded', 60_000) };
}

describe('from Lightning to Bitcoin', () => {
  test('a payment that is held is settled by a claim that waits for its block', patience, async () => {
    const { swap, record } = await funded({ target_amount_sats: 60_000 });
    expect(record).toMatchObject({ target_amount: '60000', btc_fund_vout: 0, direction: 'lightning_to_bitcoin' });
    expect(whole(record, 'btc_refund_locktime') - (await tip())).toBeGreaterThan(60);
    expect(BigInt(text(record, 'source_amount'))).toBe(
      60_000n + BigInt(whole(record, 'fee_sats')) + BigInt(whole(record, 'network_fee_sats')),
    );
    // In the mempool, as the funding may be.
    const claim = await claimHtlc(esplora, swap, record);
    const done = await node.until(swap, 'serverredeemed', 60_000);
    expect(done).toMatchObject({ btc_claim_txid: claim });
    expect(await payment(swap)).toBe('settled');
    await mine(6);
    await eventually(
      () => claimedBy(esplora, swap),
      (sum) => sum === 60_000 - 400,
    );
  });

  test(
    'a coin that nobody claims is taken back at its height, and only then the payment goes back',
    patience,
    async () => {
      const { swap, record } = await funded({ source_amount_sats: 90_000 });
      await mine(6);
      const height = whole(record, 'btc_refund_locktime');
      await mine(height - (await tip()) - 1);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(await node.until(swap, 'serverfunded', 5_000)).toMatchObject({ status: 'serverfunded' });
      await mine(1);
      await eventually(
        async () => {
          await mine(1);
          return (await node.owner('GET', `/swap/${swap.id}`))['status'];
        },
        (status) => status === 'clientrefundedserverrefunded',
        120_000,
      );
      expect(await payment(swap)).toBe('failed');
      await expect(claimHtlc(esplora, swap, record)).rejects.toThrow();
    },
  );

  test('an invoice that nobody pays expires, and a dust amount is refused with a sentence', patience, async () => {
    const swap = await lightningToBitcoin(node.url, { amount: { target_amount_sats: 60_000 } });
    await node.advance(3_600);
    await node.until(swap, 'expired', 60_000);
    await expect(lightningToBitcoin(node.url, { amount: { target_amount_sats: 400 } })).rejects.toThrow(/min/i);
  });
});
