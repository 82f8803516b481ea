import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from './client/client.ts';
import { sendBitcoin } from './client/esplora.ts';
import { text, whole, type Json } from './client/http.ts';
import { arkadeToBitcoin, claimedBy, claimHtlc, claimTogether } from './client/to-bitcoin.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

/*
 * A client that knows what the guide says and nothing of the node's code: it derives both legs with the libraries of
 * published wallets, and claims by the key of both, or alone by the script.
 */

const patience = { timeout: 240_000 };
let node: WireNode;
let client: Client;
let esplora: string;

beforeAll(async () => {
  node = await startWireNode();
  client = await node.client();
  esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
}, 120_000);

afterAll(() => node.stop());

const mine = (blocks = 1) => node.owner('POST', '/sandbox/bitcoin/mine', { blocks });
const tip = async () => whole((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'height');

type Amount = { target_amount_sats: number } | { source_amount_sats: number };

async function funded(amount: Amount) {
  const swap = await arkadeToBitcoin(node.url, client, { amount });
  await node.faucet(swap.vhtlc.address, swap.price);
  return { swap, record: await node.until(swap, 'serverfunded', 60_000) };
}

/** What the service answers to whoever wants its half of a refund: its coin is its own, and ours is on Arkade. */
const refundTogether = async (id: string) => (await node.raw('POST', `/swap/${id}/cooperative-refund`, {})).status;

/** Blocks until it has the status: what is taken on the chain counts once it is buried. */
const mineUntil = (id: string, status: string) =>
  eventually(
    async () => {
      await mine();
      return node.get(`/swap/${id}`);
    },
    (record) => record['status'] === status,
    120_000,
  );

describe('from Arkade to Bitcoin', () => {
  test('the answer to a claim is the claim: the VHTLC is taken, and no chain shows the secret', patience, async () => {
    const { swap, record } = await funded({ target_amount_sats: 60_000 });
    expect(record).toMatchObject({ target_amount: '60000', btc_fund_vout: 0, direction: 'arkade_to_bitcoin' });
    expect(await refundTogether(swap.id)).toBe(403);
    const { raw } = await claimTogether(node.url, esplora, { swap, record });
    expect(raw).not.toContain(Buffer.from(swap.secret).toString('hex'));
    await node.until(swap, 'serverredeemed', 60_000);
    expect(await client.arkade.unspent(swap.vhtlc)).toEqual([]);
    const txid = await sendBitcoin(esplora, raw);
    await mine(6);
    await eventually(
      () => claimedBy(esplora, swap),
      (sum) => sum === 60_000 - 400,
    );
    await eventually(
      () => node.get(`/swap/${swap.id}`),
      (now) => now['btc_claim_txid'] === txid && typeof now['arkade_claim_txid'] === 'string',
    );
  });

  test('a claim by the script, in the mempool, opens the VHTLC, whatever lies beside the coin', patience, async () => {
    const { swap, record } = await funded({ source_amount_sats: 90_000 });
    const dust = { address: text(record, 'btc_htlc_address'), amount: 1_000 };
    await node.owner('POST', '/sandbox/bitcoin/faucet', dust);
    expect(text(record, 'source_amount')).toBe('90000');
    expect(whole(record, 'btc_refund_locktime') - (await tip())).toBeGreaterThan(60);
    const claim = await claimHtlc(esplora, swap, record);
    expect(await node.until(swap, 'serverredeemed', 60_000)).toMatchObject({ btc_claim_txid: claim });
    expect(await client.arkade.unspent(swap.vhtlc)).toEqual([]);
  });

  test('a coin that nobody claims comes back first, and only then the VHTLC is refunded', patience, async () => {
    const { swap, record } = await funded({ target_amount_sats: 60_000 });
    await mine(6);
    await mine(whole(record, 'btc_refund_locktime') - (await tip()) - 1);
    await expect(client.cosigned(swap)).rejects.toThrow(/403/);
    await mineUntil(swap.id, 'clientfundedserverrefunded');
    await expect(claimHtlc(esplora, swap, record)).rejects.toThrow();
    await expect(claimTogether(node.url, esplora, { swap, record })).rejects.toThrow(/403/);
    expect(await refundTogether(swap.id)).toBe(403);
    const balance = await client.arkade.balance();
    await client.collabRefund(swap);
    await node.until(swap, 'clientrefundedserverrefunded');
    expect((await client.arkade.balance()) - balance).toBe(swap.price);
  });

  test('a short payment is given back, and one that comes too late', patience, async () => {
    const swap = await arkadeToBitcoin(node.url, client, { amount: { target_amount_sats: 60_000 } });
    await node.faucet(swap.vhtlc.address, swap.price - 1);
    await node.until(swap, 'clientinvalidfunded');
    await client.collabRefund(swap);
    await node.until(swap, 'clientrefunded');

    const late = await arkadeToBitcoin(node.url, client, { amount: { target_amount_sats: 60_000 } });
    await node.advance(3_600);
    await node.until(late, 'expired', 60_000);
    await node.faucet(late.vhtlc.address, late.price);
    await node.until(late, 'clientfundedtoolate');
    await client.collabRefund(late);
    await node.until(late, 'clientrefunded');
  });

  test('what cannot be served is refused with a sentence, before anything is opened', patience, async () => {
    const refused = (amount: Amount) => arkadeToBitcoin(node.url, client, { amount });
    await expect(refused({ target_amount_sats: 400 })).rejects.toThrow(/400 Min amount/);
    await expect(refused({ source_amount_sats: 400, target_amount_sats: 300 } as never)).rejects.toThrow(/400 /);
  });
});
