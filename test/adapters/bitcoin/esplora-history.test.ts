import { afterEach, expect, test } from 'vitest';
import { esplora } from '../../../engine/adapters/bitcoin/esplora.ts';
import { readTransaction } from '../../../engine/adapters/bitcoin/raw.ts';
import { serveEsplora } from '../../../engine/sandbox/wire/esplora.ts';
import type { HttpServer } from '../../../engine/sandbox/wire/http.ts';
import { openBitcoinWorld } from '../../ports/bitcoin-controls.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

const htlc = openPayer('an HTLC');
const elsewhere = openPayer('elsewhere').script;
const amount = 50_000n;

let server: HttpServer | undefined;
afterEach(() => server?.stop());

/** An HTLC whose coin was paid and taken, and then so many payments of dust by a stranger. */
async function dusted(payments: number) {
  const { world, controls } = openBitcoinWorld();
  const since = world.tip().height;
  const coin = await controls.faucet(htlc.script, amount);
  await controls.mine(1);
  world.submit(htlc.pay({ from: [{ outpoint: coin, amount }], to: [{ script: elsewhere, amount: amount - 1_000n }] }));
  await controls.mine(1);
  for (let i = 0; i < payments; i++) {
    await controls.faucet(htlc.script, 330n + BigInt(i));
    if (i % 20 === 19) await controls.mine(1);
  }
  server = await serveEsplora(world, 0);
  return { world, controls, since, coin, source: esplora({ url: server.url }) };
}

test('fault 127, bitcoin: a payment behind a stranger’s dust is found, a part of the history at a time', async () => {
  const { source, since, coin, controls } = await dusted(300);
  const search = {};
  const parts = [await source.payments?.(htlc.script, since, search)];
  expect(parts[0]).toMatchObject({ over: false });
  // More of it in between moves nothing.
  await controls.faucet(htlc.script, 330n);
  await controls.mine(1);
  parts.push(await source.payments?.(htlc.script, since, search));
  expect(parts[1]).toMatchObject({ over: true });
  const spent = parts.flatMap((part) => part?.payments ?? []).filter((payment) => payment.spent);
  expect(spent).toEqual([{ txid: coin.txid, amount, spent: true }]);
});

test('a search of the history ends below the height from which the script was known', async () => {
  const { source, world, controls } = await dusted(300);
  await controls.mine(1);
  const part = await source.payments?.(htlc.script, world.tip().height, {});
  expect(part).toMatchObject({ over: true, payments: expect.objectContaining({ length: 25 }) });
});

test('a coin that is spent in the mempool alone is told as spent', async () => {
  const { source, world, since, controls } = await dusted(0);
  const next = await controls.faucet(htlc.script, amount);
  const spend = htlc.pay({ from: [{ outpoint: next, amount }], to: [{ script: elsewhere, amount: amount - 1_000n }] });
  world.submit(spend);
  const part = await source.payments?.(htlc.script, since, {});
  expect(part?.payments).toContainEqual({ txid: next.txid, amount, spent: true });
  expect(readTransaction(spend).inputs[0]?.txid).toBe(next.txid);
});
