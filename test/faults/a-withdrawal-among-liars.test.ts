import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import type { SavedSend } from '../../engine/legs/onchain/wallet-port.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { serveCore } from '../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import { openPayer } from '../ports/bitcoin-payer.ts';
import { lyingEsplora, type Lie } from '../support/lying-esplora.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { bookedFor, costOf, payee, scriptOf } from '../support/bitcoin-wallet.ts';

const patience = { timeout: 60_000, interval: 50 };
const credentials = { user: 'owner', password: 'of the tests' };
const stranger = openPayer('a stranger');

/** The payment on its way, null while coins are chosen. */
function paymentOf(node: TestNode, id: string): SavedSend | null {
  return (node.runtime.workingSet.find(id)?.row.progress as unknown as { payment?: SavedSend }).payment ?? null;
}

/** A stranger's transaction that spends this coin and was never mined, and what a liar says of it. */
function invented(world: World, coin: Outpoint): { txid: string; bytes: Uint8Array; status: object; height: number } {
  const bytes = stranger.pay({
    from: [{ outpoint: coin, amount: 10_000n }],
    to: [{ script: stranger.script, amount: 9_000n }],
  });
  const height = world.bitcoin.tip().height - 8;
  return {
    txid: readTransaction(bytes).txid,
    bytes,
    height,
    status: { confirmed: true, block_height: height, block_hash: world.bitcoin.at(height)?.hash, block_time: 0 },
  };
}

/**
 * Coins that are said to be spent and buried, all others unspent, and whatever else is asked of by the dice unknown.
 */
function saysSpent(world: World, coins: () => readonly Outpoint[], unknown: () => boolean): Lie {
  return (path) => {
    const lies = coins().map((coin) => ({ coin, ...invented(world, coin) }));
    for (const { coin, txid, bytes, status, height } of lies) {
      if (path === `/tx/${coin.txid}/outspend/${coin.vout}`)
        return { status: 200, body: { spent: true, txid, vin: 0, status } };
      if (path === `/tx/${txid}/status`) return { status: 200, body: status };
      if (path === `/tx/${txid}/hex`) return { status: 200, body: toHex(bytes) };
      if (path === `/tx/${txid}/merkle-proof`)
        return { status: 200, body: { block_height: height, merkle: [], pos: 0 } };
    }
    if (path.includes('/outspend/') && unknown()) return { status: 200, body: { spent: false } };
    return path.startsWith('/tx/') && path !== '/tx' && unknown()
      ? { status: 404, body: 'Transaction not found' }
      : undefined;
  };
}

type Sources =
  | 'a single one that lies'
  | 'own node before a liar'
  | 'a liar before an honest one'
  | 'own server before an honest one';

/** A node whose wallet holds these coins, over such sources. */
async function open(sources: Sources, amounts: readonly number[], lie: Lie | null = null) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-liars-'));
  const world = startWorld();
  const truth = await serveEsplora(world.bitcoin, 0);
  const liar = await lyingEsplora(truth.url);
  liar.lie(lie);
  const core = await serveCore({ world: world.bitcoin, port: 0, ...credentials, txindex: true, errorsAreOk: false });
  const bitcoin = connectBitcoin({
    network: 'regtest',
    core: sources === 'own node before a liar' ? { url: core.url, ...credentials, ca: null } : null,
    esplora: [
      liar.url,
      ...(sources === 'a liar before an honest one' || sources === 'own server before an honest one'
        ? [truth.url]
        : []),
    ],
    wall: world.now,
    isOwn: ({ href }) => sources === 'own server before an honest one' && href.startsWith(liar.url),
  });
  if (bitcoin === null) throw new Error('nothing is connected');
  const node = await startNodeOn(world, folder, { bitcoinWallet: true, pollMs: 25, bitcoin });
  for (const amount of amounts) {
    // Its first look at the wallet may take a while.
    const answer = await vi.waitFor(async () => {
      const given = await node.service.owner.walletAddress('bitcoin', { asset: null, amount: null });
      if (isRefusal(given)) throw new Error(given.sentence);
      return given;
    }, patience);
    world.bitcoin.faucet(scriptOf(answer.address), sats(amount));
  }
  await world.mine(1);
  const answer = await vi.waitFor(async () => {
    const withdrawal = await node.service.owner.withdraw('bitcoin', {
      address: payee,
      amount: tokenAmount(100_000),
      asset: null,
    });
    if (isRefusal(withdrawal)) throw new Error(withdrawal.sentence);
    return withdrawal;
  }, patience);
  return {
    world,
    liar,
    node,
    id: answer.id,
    paid: async () =>
      (await createBitcoinPort(world.bitcoin).coins([scriptOf(payee)]))
        .filter(({ height }) => height !== null)
        .map(({ amount }) => amount),
    async end() {
      await node.stop();
      world.stop();
      for (const server of [liar, truth, core]) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('fault 49: coins chosen because others are said to be spent leave no room for the first payment', async () => {
  const scene = await open('a single one that lies', [60_000, 50_000, 58_000, 55_000]);
  try {
    const { world, liar, node, id } = scene;
    const first = paymentOf(node, id);
    const [lost, left] = first?.coins.map(({ outpoint }) => outpoint) ?? [];
    if (first === null || lost === undefined || left === undefined) throw new Error('the payment takes no two coins');
    const firstBytes = node.store.transactions.bytes(first.txid);
    for (let blocks = 0; blocks < 9; blocks++) world.bitcoin.include([]);
    liar.lie(
      saysSpent(
        world,
        () => [lost],
        () => false,
      ),
    );
    const second = await vi.waitFor(() => {
      const payment = paymentOf(node, id);
      if (payment === null || payment.coins.some(({ outpoint }) => outpointKey(outpoint) === outpointKey(lost)))
        throw new Error('no second payment');
      return payment;
    }, patience);
    liar.lie(null);
    // Both are in the hands of the network: a miner takes whichever it wants, and the other one if it still can.
    world.bitcoin.include([firstBytes ?? new Uint8Array()]);
    await world.mine(7);
    expect(await scene.paid()).toEqual([100_000n]);
    await node.until(id, 'sent');
    expect(bookedFor(node, id)).toBe(costOf(world, node, id));
    expect([
      second.txid === first.txid,
      (node.runtime.workingSet.find(id)?.row.progress ??
        (node.store.swaps.byId(id)?.progress as { txid?: string })) as unknown,
    ]).toEqual([false, { at: 'sent', txid: first.txid }]);
  } finally {
    await scene.end();
  }
});

test('fault 49: a payment that one server refuses and another took is not made again', async () => {
  const dust: Lie = (path) =>
    path === '/tx' ? { status: 400, body: 'sendrawtransaction RPC error: {"code":-26,"message":"dust"}' } : undefined;
  const scene = await open('own server before an honest one', [110_000, 120_000, 130_000], dust);
  try {
    const { world, node, id } = scene;
    const { txid } = node.store.transactions.of(id)[0] ?? { txid: '' };
    await vi.waitFor(() => expect(world.bitcoin.transaction(txid)).toBeDefined(), patience);
    await world.mine(7);
    await node.until(id, 'sent');
    expect(await scene.paid()).toEqual([100_000n]);
  } finally {
    await scene.end();
  }
});

test('fault 49: whatever one of the sources lies about, and whenever, the payee is paid once', async () => {
  const moment = fc.record({
    spent: fc.subarray([0, 1, 2, 3]),
    unknown: fc.boolean(),
    blocks: fc.nat(2),
    ms: fc.integer({ min: 50, max: 700 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Sources[]>('own node before a liar', 'a liar before an honest one'),
      fc.array(moment, { minLength: 2, maxLength: 4 }),
      async (sources, moments) => {
        const scene = await open(sources, [60_000, 50_000, 58_000, 55_000]);
        try {
          const { world, liar, node, id } = scene;
          const coins = (paymentOf(node, id)?.coins ?? []).map(({ outpoint }) => outpoint);
          const all = [...coins, ...coins].slice(0, 4);
          for (const { spent, unknown, blocks, ms } of moments) {
            liar.lie(
              saysSpent(
                world,
                () => spent.flatMap((i) => all[i] ?? []),
                () => unknown,
              ),
            );
            if (blocks > 0) await world.mine(blocks);
            await new Promise((resolve) => setTimeout(resolve, ms));
          }
          liar.lie(null);
          // A payment that was chosen anew is broadcast whenever the node gets to it: there is a next block for it too.
          await vi.waitFor(
            async () => {
              await world.mine(1);
              expect(node.store.swaps.byId(id)?.progress).toMatchObject({ at: 'sent' });
            },
            { ...patience, interval: 250 },
          );
          await world.mine(8);
          expect(await scene.paid()).toEqual([100_000n]);
        } finally {
          await scene.end();
        }
      },
    ),
    { numRuns: 5, endOnFailure: true },
  );
}, 120_000);
