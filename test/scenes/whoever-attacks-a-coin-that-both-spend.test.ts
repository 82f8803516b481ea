import { hex } from '@scure/base';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import type { OrderTerms } from '../../engine/taker/terms.ts';
import { payee, scriptOf } from '../support/bitcoin-wallet.ts';
import { seedOf } from '../support/node.ts';
import { amount, startTogether, type Together } from '../taker/together.ts';
import { silence, takerSeed, type Pair } from '../taker/pair.ts';

/*
 * Fees that rise, blocks that go away, a provider that leaves half way, and a client that asks for what is not its own,
 * around coins of HTLCs with the key of both.
 */

vi.setConfig({ testTimeout: 120_000 });

let swaps: Together;
let pair: Pair;

beforeEach(async () => {
  swaps = await startTogether();
  ({ pair } = swaps);
});

afterEach(() => pair.stop());

/** What waits and takes the coin. */
async function waiting(coin: Outpoint, other: string | null = null): Promise<string> {
  const { bitcoin } = pair.world;
  const spender = () => bitcoin.spend(coin)?.txid ?? null;
  await expect.poll(() => spender() !== null && spender() !== other, { timeout: 60_000 }).toBe(true);
  return spender() ?? '';
}

function feesRise(to: number): void {
  pair.world.bitcoin.setFeeRate(to);
  pair.world.bitcoin.setMempoolMinimum(to);
}

describe('a claim by the key of both', () => {
  test('that no mempool keeps any more is made again, dearer, by its script', async () => {
    const id = await swaps.buy();
    const coin = await swaps.coinOf(id);
    const first = await waiting(coin);
    expect(await swaps.spentBy(id, coin)).toBe('key');
    feesRise(30);
    const second = await waiting(coin, first);
    expect([second === first, await swaps.spentBy(id, coin)]).toEqual([false, 'claim']);
    await swaps.minedUntil(id, 'claimed');
    expect(pair.world.bitcoin.spend(coin)?.txid).toBe(second);
  });

  test('whose blocks go away with the coin itself comes again, and nobody has both', async () => {
    const id = await swaps.buy();
    const coin = await swaps.coinOf(id);
    const claim = await waiting(coin);
    await pair.world.mine(1);
    const { bitcoin } = pair.world;
    const { height = null } = bitcoin.transaction(coin.txid) ?? {};
    bitcoin.reorg(bitcoin.clock.height() - (height ?? 0) + 1, [coin.txid, claim]);
    await waiting(coin);
    await swaps.minedUntil(id, 'claimed');
    const { swapId } = swaps.dealOf(id);
    await expect.poll(() => pair.provider.status(swapId), { timeout: 60_000 }).toBe('serverredeemed');
    expect(await swaps.bitcoins()).toBeGreaterThan(amount - 2_000n);
  });

  test('is made of the very coin of the swap: of dust beside it nothing is signed or noted', async () => {
    pair.tampered.claimTogether = silence;
    const id = await swaps.buy();
    const { swapId } = swaps.dealOf(id);
    await pair.provider.until(swapId, 'locked');
    const { script } = swaps.htlcOf(id);
    const dust = pair.world.bitcoin.faucet(script, sats(1_000));
    if (dust === null) throw new Error('the faucet is empty');
    const { keyIndex } = pair.taker.store.swaps.byId(id)?.terms as OrderTerms;
    const preimage = createKeys(seedOf(takerSeed), 'regtest').takerSecret(keyIndex);
    const tx = new Transaction();
    tx.version = 2;
    tx.addInput(hex.decode(dust.txid).reverse(), dust.vout);
    tx.addOutput(scriptOf(payee), 600n);
    const answer = await pair.provider
      .asProvider('')
      .claimTogether(
        swapId,
        { publicNonce: generators, transaction: tx.toBuffer(), preimage },
        AbortSignal.timeout(9_000),
      );
    expect([isRefusal(answer), pair.provider.store.partials.all(), pair.provider.at(swapId)]).toEqual([
      true,
      [],
      'locked',
    ]);
  });
});

describe('a refund by the key of both', () => {
  test('that no mempool keeps any more is signed again, dearer, by both', async () => {
    const { id, coin, release } = await swaps.sell();
    release('fails');
    await expect.poll(() => pair.taker.at(id), { timeout: 60_000 }).toBe('refunding');
    const first = await waiting(coin);
    feesRise(30);
    await waiting(coin, first);
    expect(await swaps.spentBy(id, coin)).toBe('key');
    await swaps.minedUntil(id, 'done');
  });

  test('whose provider is gone when it gets dearer comes by the height, and by nobody sooner', async () => {
    const { id, coin, release } = await swaps.sell();
    release('fails');
    await expect.poll(() => pair.taker.at(id), { timeout: 60_000 }).toBe('refunding');
    await waiting(coin);
    pair.tampered.refundTogether = silence;
    feesRise(30);
    await expect.poll(() => pair.world.bitcoin.spend(coin), { timeout: 30_000 }).toBeUndefined();
    const { htlc } = swaps.htlcOf(id);
    if (htlc.form !== 'musig') throw new Error('it has the key of both');
    await pair.world.mine(htlc.refundHeight - pair.world.bitcoin.clock.height() + 1);
    await swaps.minedUntil(id, 'done');
    expect(await swaps.spentBy(id, coin)).toBe('refund');
  });

  test('in whose place the provider takes the coin, for a payment that settled after all, ends well', async () => {
    const { id, coin, release } = await swaps.sell();
    // It says that it gives nothing, while it pays.
    pair.tampered.status = async () => ({ status: 'serverwontfund' });
    const asks: string[] = [];
    pair.tampered.refundTogether = (async () => {
      asks.push('asks');
      return silence();
    }) as ProviderPort['refundTogether'];
    await expect.poll(() => asks.length, { timeout: 60_000 }).toBeGreaterThan(0);
    release('settles');
    await swaps.minedUntil(id, 'claimed');
    expect(await swaps.spentBy(id, coin)).toBe('claim');
  });
});

const generators = Uint8Array.from([
  2,
  ...hex.decode('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'),
  3,
  ...hex.decode('c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'),
]);
