import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendBitcoin } from './client/esplora.ts';
import { text, whole, type Json } from './client/http.ts';
import { claimedBy, claimTogether, lightningToBitcoin } from './client/to-bitcoin.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

/*
 * A client that knows what the guide says and nothing of the node's code claims together with the service: the chain
 * never sees the secret, and the service has settled the payment before the claim is even sent.
 */

const parts = ['sluice.db', 'sluice.db-wal'] as const;
const patience = { timeout: 240_000 };
let node: WireNode;
let esplora: string;

beforeAll(async () => {
  node = await startWireNode();
  esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
}, 120_000);

afterAll(() => node.stop());

test(
  'the answer to a claim is the claim: the payment is settled, and any of its transactions is taken',
  patience,
  async () => {
    const swap = await lightningToBitcoin(node.url, { amount: { target_amount_sats: 60_000 } });
    await node.pay(swap.bolt11);
    const record = await node.until(swap, 'serverfunded', 60_000);
    await expect(
      claimTogether(node.url, esplora, { swap: { ...swap, secret: new Uint8Array(32) }, record }),
    ).rejects.toThrow();
    const first = await claimTogether(node.url, esplora, { swap, record });
    const second = await claimTogether(node.url, esplora, { swap, record, fee: 700n });
    expect(text(second.answer, 'pub_nonce')).not.toBe(text(first.answer, 'pub_nonce'));
    const paid = async () =>
      (await node.owner('GET', `/sandbox/lightning/payments/${text(swap.record, 'hash_lock').slice(2)}`))['state'];
    await eventually(paid, (state) => state === 'settled');
    const txid = await sendBitcoin(esplora, second.raw);
    expect(second.raw).not.toContain(Buffer.from(swap.secret).toString('hex'));
    const done = await node.until(swap, 'serverredeemed', 60_000);
    expect(done['status']).toBe('serverredeemed');
    await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 6 });
    await eventually(
      () => claimedBy(esplora, swap),
      (sum) => sum === 60_000 - 700,
    );
    await eventually(
      async () => (await node.owner('GET', `/swap/${swap.id}`))['btc_claim_txid'],
      (claim) => claim === txid,
    );
  },
);

test.each([31, 33])(
  'fault 18, bitcoin: no claim by a secret of %i bytes, though the hash is its own',
  patience,
  async (length) => {
    const swap = await lightningToBitcoin(node.url, { amount: { target_amount_sats: 60_000 }, length });
    const hash = await node.pay(swap.bolt11);
    const record = await node.until(swap, 'serverfunded', 60_000);
    await expect(claimTogether(node.url, esplora, { swap, record })).rejects.toThrow(/400 .*preimage/);
    expect([(await node.get(`/swap/${swap.id}`))['status'], await node.payment(hash)]).toEqual([
      'serverfunded',
      expect.not.stringMatching(/settled/) as string,
    ]);
  },
);

test(
  'put back to before its answer, it settles by the secret of its note, and takes nothing back',
  patience,
  async () => {
    const swap = await lightningToBitcoin(node.url, { amount: { target_amount_sats: 60_000 } });
    await node.pay(swap.bolt11);
    const record = await node.until(swap, 'serverfunded', 60_000);
    const copies = mkdtempSync(join(tmpdir(), 'sluice-copy-'));
    for (const part of parts) copyFileSync(join(node.folder, part), join(copies, part));
    const { raw } = await claimTogether(node.url, esplora, { swap, record });
    await node.kill('SIGKILL');
    rmSync(join(node.folder, 'sluice.db-shm'), { force: true });
    for (const part of parts) copyFileSync(join(copies, part), join(node.folder, part));
    rmSync(copies, { recursive: true, force: true });
    await node.start();
    esplora = text((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'esploraUrl');
    // No chain shows the secret: all that this copy has of it is the note.
    await node.until(swap, 'serverredeemed', 60_000);
    const height = async () => whole((await node.owner('GET', '/sandbox'))['bitcoin'] as Json, 'height');
    const open = whole(record, 'btc_refund_locktime') - (await height());
    await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: open + 2 });
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const before = await claimedBy(esplora, swap);
    await sendBitcoin(esplora, raw);
    await node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 6 });
    await eventually(
      () => claimedBy(esplora, swap),
      (sum) => sum === before + 60_000 - 400,
    );
  },
);
