import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRefusal, refuse } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { readHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { notesName } from '../../engine/store/partial-notes.ts';
import type { ClaimToSign } from '../../engine/taker/joint.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import type { BitcoinLeg, Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { openScene } from '../support/scene.ts';
import { loseDatabase, only } from './lost.ts';
import { silence, type Pair } from './pair.ts';
import { amount, startTogether, type Together } from './together.ts';

/*
 * A client signs its provider's claim of the coin that it paid: for the payee's secret alone, and once. From then on it
 * takes the coin back never more, whatever the provider does with the signature.
 */

vi.setConfig({ testTimeout: 120_000 });

let swaps: Together;
let pair: Pair;
/** Halves of ours that the provider was given. */
let halves: number;

beforeEach(async () => {
  swaps = await startTogether();
  ({ pair } = swaps);
  halves = 0;
  pair.tampered.signClaim = (...args) => {
    halves += 1;
    return honest().signClaim(...args);
  };
});

afterEach(() => pair?.stop());

type Shown = Parameters<ProviderPort['claimToSign']>;
const honest = () => pair.provider.asProvider('');

/** The provider shows its claim, but for what is changed of it. */
function showing(of: (claim: ClaimToSign) => ClaimToSign): void {
  pair.tampered.claimToSign = async (...args: Shown) => {
    const claim = await honest().claimToSign(...args);
    return isRefusal(claim) ? claim : of(claim);
  };
}

function changed(of: (tx: Transaction) => void): (claim: ClaimToSign) => ClaimToSign {
  return (claim) => {
    const tx = Transaction.fromBuffer(claim.transaction);
    of(tx);
    return { ...claim, transaction: tx.toBuffer() };
  };
}

/** Its payment settles. */
async function sold(): Promise<{ id: string; coin: Outpoint }> {
  const { id, coin, release } = await swaps.sell();
  await swaps.minedUntil(id, 'funded');
  release('settles');
  return { id, coin };
}

const notes = (coin: Outpoint) => pair.taker.store.partials.of(coin).map(({ purpose, own }) => ({ purpose, own }));
const given = [{ purpose: 'claim', own: false }];
const refundHeight = (id: string) => (swaps.htlcOf(id).htlc as MusigHtlcTerms).refundHeight;

test('it is taken by the key of both, and the secret of the payee is kept', async () => {
  const { id, coin } = await sold();
  await swaps.minedUntil(id, 'claimed');
  await expect.poll(() => swaps.spentBy(id, coin), { timeout: 30_000 }).toBe('key');
  expect([halves, notes(coin)]).toEqual([1, given]);
  const { hash } = swaps.htlcOf(id).htlc;
  expect(pair.taker.store.preimages.find(hash)).toEqual(pair.provider.store.preimages.find(hash));
  await expect
    .poll(() => pair.taker.taker.swap(id), { timeout: 30_000 })
    .toMatchObject({
      outcome: 'finished',
      refund: { state: 'none', why: 'spent' },
      transactions: [
        { what: 'fund', txid: coin.txid },
        { what: 'claim', whose: 'provider', txid: pair.world.bitcoin.spend(coin)?.txid },
      ],
    });
  const { swapId } = swaps.dealOf(id);
  await swaps.mined(() => pair.provider.at(swapId) === 'claimed');
  expect(pair.taker.store.swaps.byId(id)?.flag ?? null).toBeNull();
});

test('fault 149, bitcoin: shown what takes a coin beside ours it signs nothing: the script takes the coin', async () => {
  showing(changed((tx) => void tx.addInput(randomBytes(32), 0)));
  const { id, coin } = await sold();
  await swaps.minedUntil(id, 'claimed');
  expect([await swaps.spentBy(id, coin), halves, notes(coin)]).toEqual(['claim', 0, []]);
});

test('fault 149, bitcoin: asked before anything was paid it signs nothing, and has its coin back', async () => {
  let asks = 0;
  pair.tampered.status = () => Promise.resolve({ status: 'clientredeemed' } as const);
  pair.tampered.claimToSign = async () => {
    asks += 1;
    return refuse('forbidden', 'not now');
  };
  const { id, coin, release } = await swaps.sell();
  await swaps.minedUntil(id, 'funded');
  await expect.poll(() => asks, { timeout: 90_000 }).toBe(16);
  release('fails');
  delete pair.tampered.status;
  await swaps.minedUntil(id, 'done');
  expect([await swaps.spentBy(id, coin), halves, notes(coin).filter(({ own }) => !own)]).toEqual(['key', 0, []]);
});

test('asked once more, with another transaction, it signs that no more', async () => {
  const claims: ClaimToSign[] = [];
  showing((claim) => {
    claims.push(claim);
    return claims.length === 1 ? claim : changed((tx) => (tx.outs[0]!.value -= 500n))(claim);
  });
  pair.tampered.signClaim = async () => {
    halves += 1;
    return refuse('forbidden', 'give another');
  };
  const { id, coin } = await sold();
  await swaps.minedUntil(id, 'claimed');
  await expect.poll(() => swaps.spentBy(id, coin), { timeout: 60_000 }).toBe('claim');
  expect([claims.length, halves, notes(coin)]).toEqual([1, 1, given]);
});

test('fault 149, bitcoin: what nobody claims, once it was signed for, is never taken back', async () => {
  pair.tampered.signClaim = async () => {
    halves += 1;
    await pair.provider.kill();
    return silence();
  };
  const { id, coin } = await sold();
  await pair.taker.until(id, 'claimed');
  await expect.poll(() => halves, { timeout: 30_000 }).toBe(1);
  await pair.world.mine(refundHeight(id) - pair.world.bitcoin.clock.height() + 8);
  await expect.poll(() => pair.taker.store.swaps.byId(id)?.open, { timeout: 60_000 }).toBe(false);
  expect(await pair.taker.taker.refund(id)).toBeDefined();
  await pair.world.mine(8);
  expect([pair.taker.at(id), pair.world.bitcoin.spend(coin)]).toEqual(['claimed', undefined]);
  expect(pair.taker.taker.swap(id)).toMatchObject({ outcome: 'finished', refund: { state: 'none' } });
  await pair.restartProvider();
});

describe('a client that dies', () => {
  /** Around the note, which is written in every place or in none. */
  async function dyingAt(moment: 'before' | 'after'): Promise<{ id: string; coin: Outpoint }> {
    const { partials } = pair.taker.store;
    const note = partials.note.bind(partials);
    const deaths: Promise<void>[] = [];
    vi.spyOn(partials, 'note').mockImplementation((one) => {
      if (moment === 'after') void note(one);
      deaths.push(pair.taker.kill());
      throw new Error('the node is dead');
    });
    const { id, coin } = await sold();
    await expect.poll(() => deaths.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await Promise.all(deaths);
    return { id, coin };
  }

  test('before it noted the signature gave none, and the provider claims by its script', async () => {
    const { id, coin } = await dyingAt('before');
    pair.tampered.claimToSign = silence;
    await pair.restartTaker();
    await swaps.minedUntil(id, 'claimed');
    expect([await swaps.spentBy(id, coin), halves, notes(coin)]).toEqual(['claim', 0, []]);
  });

  test('with it noted has given the coin up, and knows the secret', async () => {
    const { id, coin } = await dyingAt('after');
    await pair.provider.kill();
    await pair.restartTaker();
    await pair.taker.until(id, 'claimed');
    expect([halves, notes(coin)]).toEqual([0, given]);
    expect(pair.taker.store.preimages.find(swaps.htlcOf(id).htlc.hash)).not.toBeNull();
    await pair.world.mine(refundHeight(id) - pair.world.bitcoin.clock.height() + 8);
    await expect.poll(() => pair.taker.store.swaps.byId(id)?.open, { timeout: 60_000 }).toBe(false);
    expect(pair.world.bitcoin.spend(coin)).toBeUndefined();
    await pair.restartProvider();
  });
});

test('found again by its words alone it is finished, and nobody is alarmed', async () => {
  const { id, coin } = await sold();
  await swaps.minedUntil(id, 'claimed');
  const { swapId } = swaps.dealOf(id);
  await swaps.mined(() => pair.provider.at(swapId) === 'claimed');
  expect(await swaps.spentBy(id, coin)).toBe('key');
  await loseDatabase(pair, async () => rmSync(join(pair.taker.nextFolder, notesName), { force: true }));
  const again = await only(pair);
  await pair.taker.until(again, 'claimed');
  expect([pair.taker.taker.swap(again), pair.taker.store.swaps.byId(again)?.flag ?? null]).toMatchObject([
    { outcome: 'finished', refund: { state: 'none' } },
    null,
  ]);
});

test('a node that is its own provider signs its own claim, and a copy from before that knows it', async () => {
  const scene = await openScene({ bitcoinWallet: true });
  const { world } = scene;
  const { bolt11 } = world.invoice(amount);
  const order = { direction: 'bitcoin-lightning', amount: sats(amount), invoice: bolt11, provider: '' } as const;
  const created = await scene.node.taker.create(order);
  if (isRefusal(created)) throw new Error(created.sentence);
  const { id } = created;
  await scene.node.until(id, 'waiting');
  const { deal } = scene.node.store.swaps.byId(id)?.progress as unknown as { deal: Deal<BitcoinLeg, LightningLeg> };
  const { source, swapId } = deal;
  const coin = world.bitcoin.faucet(source.script, source.amount);
  if (coin === null) throw new Error('the faucet is empty');
  await scene.node.until(id, 'funded');
  scene.backUp();
  const states = () => [scene.node.at(id), scene.node.at(swapId)];
  await expect
    .poll(async () => (await world.mine(1), states()), { timeout: 60_000, interval: 200 })
    .toEqual(['claimed', 'claimed']);
  const tx = readRawTx((await scene.node.ports.bitcoin?.transaction(world.bitcoin.spend(coin)?.txid ?? ''))!.bytes);
  expect(tx === null ? null : readHtlcSpend(source.htlc, coin, tx)?.by).toBe('key');
  await scene.restore();
  await scene.node.until(id, 'claimed');
  const { flag } = scene.node.store.swaps.byId(id) ?? {};
  expect([flag ?? null, scene.node.store.preimages.find(source.htlc.hash) !== null]).toEqual([null, true]);
  await scene.end();
});
