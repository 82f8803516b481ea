import { expect, test } from 'vitest';
import { text, whole, type Json } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { coinOf, createChainToArk, refundTx, signTogether } from './core-kit.ts';
import { openDoorScene } from './door-scene.ts';
import { atRisk, startLooseNode } from './kit.ts';

/* A chain swap from Bitcoin is quoted anew for what its client locked, within what the owner agreed to lose. */

const patience = { timeout: 240_000 };
const scene = openDoorScene(() => startLooseNode({ maxSwapSats: 60_000, maxLossSats: 400_000 }));
const { mine, fund, becomes, becomesByBlocks } = scene;

const pairNow = async () => ((await scene.node.get('/v2/swap/chain'))['BTC'] as Json)['ARK'] as Json;

async function quote(id: string): Promise<string> {
  const { status, body } = await scene.node.raw('GET', `/v2/swap/chain/${id}/quote`);
  return `${status} ${String(body['error'] ?? body['amount'])}`;
}

async function accept(id: string, amount: number): Promise<string> {
  const { status, body } = await scene.node.raw('POST', `/v2/swap/chain/${id}/quote`, { amount });
  return `${status} ${String(body['error'] ?? JSON.stringify(body))}`;
}

/** What the node owes for so much, by the pair as it is told. */
async function quoted(locked: number): Promise<number> {
  const { percentage, minerFees } = (await pairNow())['fees'] as { percentage: number; minerFees: { server: number } };
  return locked - Math.ceil((locked * percentage) / 100) - minerFees.server;
}

/** A swap that we would lock so much for, whose client locks this. */
async function mislocked(serverLockAmount: number, locked: number) {
  const { pendingSwap, btcAddress } = await scene.client.swaps.btcToArk({ receiverLockAmount: serverLockAmount });
  await fund(btcAddress, locked);
  await mine();
  const { failureDetails } = await becomes(pendingSwap.id, 'transaction.lockupFailed');
  expect(failureDetails).toEqual({ expected: pendingSwap.response.lockupDetails.amount, actual: locked });
  return pendingSwap;
}

test(
  'fault 18, quotes: what is agreed to counts in full, and what is above the caps is not quoted',
  patience,
  async () => {
    const swap = await mislocked(30_000, 40_000);
    const amount = await quoted(40_000);
    expect([await quote(swap.id), await atRisk(scene.node)]).toEqual([`200 ${amount}`, 30_000]);
    const other = await mislocked(20_000, 65_000);
    // By one swap the owner loses 60,000 sats at most.
    expect(await quote(other.id)).toMatch(/^400 65000 exceeds maximal of /);
    expect(await accept(swap.id, amount + 1)).toBe('400 invalid quote');
    expect(await accept(swap.id, amount)).toBe('202 {}');
    expect(await atRisk(scene.node)).toBe(amount + 20_000);
    expect(await quote(swap.id)).toBe('400 lockup transaction was not rejected because of the amount');
    await becomes(swap.id, 'transaction.server.confirmed');
    const { txid } = await scene.client.swaps.claimArk({ ...swap, acceptedQuoteAmount: amount });
    expect(txid).toMatch(/^[0-9a-f]{64}$/);
    await eventually(
      () => scene.client.wallet.getBalance(),
      ({ available }) => available === amount,
    );
    await becomesByBlocks(swap.id, 'transaction.claimed');
    // The other is not seen to have ended well.
    await eventually(
      async () => (await mine(), atRisk(scene.node)),
      (most) => most === 20_000,
    );
  },
);

test('the published client agrees to more by itself, and its reservation outlives a kill', patience, async () => {
  const swap = await mislocked(10_000, 30_000);
  const amount = await quoted(30_000);
  expect(await scene.client.swaps.quoteSwap(swap.id)).toBe(amount);
  expect(await atRisk(scene.node)).toBe(20_000 + amount);
  await becomes(swap.id, 'transaction.server.confirmed');
  await scene.node.restart('SIGKILL');
  expect(await atRisk(scene.node)).toBe(20_000 + amount);
  const { swaps } = (await scene.node.owner('GET', `/owner/swaps?q=boltz:${swap.id}`)) as unknown as { swaps: Json[] };
  const { record } = await scene.node.owner('GET', `/owner/swaps/${text(swaps[0] ?? {}, 'id')}`);
  expect(record).toMatchObject({ source_amount: '30000', target_amount: String(amount) });
});

test('fault 133, chain: nothing is quoted once a refund is signed, also before that is sent', patience, async () => {
  const amount = { serverLockAmount: 20_000 };
  const swap = await createChainToArk(scene.node.url, { claimPublicKey: scene.client.publicKey, amount });
  const lock = swap.reply['lockupDetails'] as Json;
  await fund(text(lock, 'lockupAddress'), whole(lock, 'amount') + 10_000);
  await mine();
  const shown = await becomes(swap.id, 'transaction.lockupFailed');
  const best = Number((await quote(swap.id)).slice(4));
  const coin = coinOf(swap, text(shown['transaction'] as Json, 'hex'), 'both');
  const tx = refundTx(coin, 0);
  await signTogether(scene.node.url, `/v2/swap/chain/${swap.id}/refund`, { swap, tx, coins: [coin] });
  const signed = '409 a refund for this swap was signed already';
  expect([await quote(swap.id), await accept(swap.id, best)]).toEqual([signed, signed]);
});

test('what was locked is said of the one coin that is quoted, and not of all together', patience, async () => {
  const amount = { serverLockAmount: 20_000 };
  const swap = await createChainToArk(scene.node.url, { claimPublicKey: scene.client.publicKey, amount });
  const lock = swap.reply['lockupDetails'] as Json;
  const [address, expected] = [text(lock, 'lockupAddress'), whole(lock, 'amount')];
  await fund(address, expected + 10_000);
  await fund(address, expected + 5_000);
  await mine();
  const { failureDetails } = await becomes(swap.id, 'transaction.lockupFailed');
  expect(failureDetails).toEqual({ expected, actual: expected + 10_000 });
  expect(await quote(swap.id)).toBe(`200 ${await quoted(expected + 10_000)}`);
  // In no block yet it is not quoted either.
  await fund(address, expected + 15_000);
  const seenBeside = async () => {
    const { swaps } = (await scene.node.owner('GET', `/owner/swaps?q=boltz:${swap.id}`)) as unknown as {
      swaps: Json[];
    };
    const { strays } = await scene.node.owner('GET', `/owner/swaps/${text(swaps[0] ?? {}, 'id')}`);
    return (strays as Json[]).length;
  };
  await eventually(seenBeside, (coins) => coins === 3);
  expect(await scene.node.get(`/v2/swap/${swap.id}`)).toMatchObject({ failureDetails: { actual: expected + 10_000 } });
});
