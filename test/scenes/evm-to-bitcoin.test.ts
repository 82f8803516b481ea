import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint, Txid } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import { bitcoinWalletOf } from '../../engine/runtime/ports.ts';
import type { OrderTerms } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { anyFailure } from '../support/failure.ts';
import { seedOf } from '../support/node.ts';
import { eventually } from '../support/scene.ts';
import { startWorld, type World } from '../support/world.ts';
import { startPair, takerSeed, type Pair } from '../taker/pair.ts';
import type { TakeEvmBitcoinProgress } from '../taker/taken.ts';

/*
 * The provider funded an HTLC on the Bitcoin chain. Its client claims that by its own hand here, and sends nothing a
 * second time: whoever learned the secret has to see to it that the claim stands.
 */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const amount = 50_000n;
const coin = `0x${'00'.repeat(20)}`;

let pair: Pair;
let chain: EvmWorld;
let world: World;

beforeAll(async () => {
  world = startWorld();
  chain = await startEvmWorld(() => world.now());
  const node = { evm: chain, bitcoinWallet: true, untilMs: 150_000 } as const;
  pair = await startPair({
    world,
    provider: node,
    taker: {
      ...node,
      onBoundary(what, moment) {
        if (what.startsWith('bitcoin.broadcast') && moment === 'before')
          throw anyFailure('away', 'safe', 'nobody hears it');
      },
    },
  });
  await deposit({ world, node: pair.provider }, ...Array.from({ length: 8 }, () => 200_000));
});

afterAll(async () => {
  await pair.stop();
  await chain.stop();
});

interface Claim {
  readonly txid: Txid;
  readonly bytes: Uint8Array;
}

interface Funded {
  /** Of the provider. */
  readonly id: string;
  readonly coin: Outpoint;
  readonly refundLocktime: number;
  /** Two claims of it: the second one pays more. */
  readonly claims: readonly [Claim, Claim];
}

/** Our coin is out, in the mempool. */
async function funded(): Promise<Funded> {
  const { taker, provider } = pair;
  const created = await taker.taker.create({
    direction: 'evm-bitcoin',
    amount: sats(amount),
    invoice: null,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  await taker.until(created.id, 'waiting');
  const swap = taker.taker.swap(created.id);
  if (swap === null || isRefusal(swap)) throw new Error('the swap is not listed');
  const { provider_swap_id: id, pay } = swap;
  if (id === null || pay === null) throw new Error('there is nothing to pay');
  await chain.give(pay.text, coin, 10n ** 18n);
  await chain.give(pay.text, chain.endpoints.tokens[0]?.address ?? '', BigInt(pay.amount));
  await provider.until(id, 'locked');
  const row = taker.runtime.workingSet.find(created.id)?.row;
  const { keyIndex } = row?.terms as OrderTerms;
  const { deal } = row?.progress as TakeEvmBitcoinProgress & { readonly at: 'funded' };
  const { htlc: terms, script } = deal.target;
  const [listed] = world.bitcoin.coinsOf(script);
  if (listed === undefined) throw new Error('the coin is not listed');
  const { outpoint } = listed;
  const preimage = createKeys(seedOf(takerSeed), 'regtest').takerSecret(keyIndex);
  const signed = async (feeRate: number) => {
    const key = { branch: 'taker', index: keyIndex } as const;
    const of = { terms, key, coin: { ...outpoint, amount: sats(amount) }, preimage, feeRate, mostFee: sats(20_000) };
    const spend = await bitcoinWalletOf(taker.runtime.ports).prepareHtlcSpend(of);
    return spend ?? Promise.reject(new Error('it is not worth its fee'));
  };
  return {
    id,
    coin: outpoint,
    refundLocktime: locktimeOf(terms),
    claims: [await signed(2), await signed(40)],
  };
}

const waits = (txid: string) => world.bitcoin.waiting(txid) !== undefined;

/** Buried, and the lock on the EVM chain is ours with it. */
async function stands({ id, coin: claimable, claims }: Funded): Promise<void> {
  await world.mine(6);
  await pair.provider.until(id, 'claimed');
  expect(claims.map(({ txid }) => txid)).toContain(world.bitcoin.spend(claimable)?.txid);
}

/** The secret was read from the mempool, and is on the disk with what showed it. */
async function learned({ id }: Funded): Promise<void> {
  await eventually(() => ['claiming', 'claimed'].includes(pair.provider.at(id)), 'the claim is seen');
}

test('fault 16, bitcoin: a claim that was in the mempool alone, and evicted, is sent on', async () => {
  const swap = await funded();
  const [claim] = swap.claims;
  world.bitcoin.submit(claim.bytes);
  await learned(swap);
  world.bitcoin.evict(claim.txid);
  await eventually(() => waits(claim.txid), 'it is sent again');
  await stands(swap);
});

test('fault 16, bitcoin: of a claim that its client replaced one of the two stands', async () => {
  const swap = await funded();
  const [first, dearer] = swap.claims;
  world.bitcoin.submit(first.bytes);
  await learned(swap);
  world.bitcoin.submit(dearer.bytes);
  expect(waits(first.txid)).toBe(false);
  world.bitcoin.evict(dearer.txid);
  await eventually(() => waits(first.txid) || waits(dearer.txid), 'one is sent again');
  await stands(swap);
});

test.each(['the claim', 'the claim and what it spends'])(
  'fault 15, bitcoin: reorganisations of each depth take %s',
  async (what) => {
    const swap = await funded();
    const [claim] = swap.claims;
    world.bitcoin.submit(claim.bytes);
    await learned(swap);
    for (const depth of [1, 3, 5]) {
      await world.mine(depth);
      world.bitcoin.reorg(depth, what === 'the claim' ? [claim.txid] : [swap.coin.txid, claim.txid]);
      await eventually(() => waits(claim.txid), `it is sent again, ${depth} deep`);
    }
    await stands(swap);
  },
);

describe('fault 17, bitcoin: at the last moment', () => {
  test('a claim in the last block before our refund opens, and one that outruns the refund', async () => {
    const [early, late] = [await funded(), await funded()];
    await world.mine(2);
    while (world.bitcoin.tip().mtp < early.refundLocktime - 600)
      await world.advance(Math.max(600, Math.floor((early.refundLocktime - world.bitcoin.tip().mtp) / 2)));
    expect(unix(world.bitcoin.tip().mtp)).toBeLessThanOrEqual(early.refundLocktime);
    world.bitcoin.include([early.claims[1].bytes]);
    await world.mine(1);
    await learned(early);
    while (world.bitcoin.tip().mtp <= late.refundLocktime) await world.advance(600);
    await eventually(() => world.bitcoin.spend(late.coin) !== undefined, 'our refund is on its way');
    expect(world.bitcoin.spend(late.coin)?.height).toBeNull();
    world.bitcoin.include([late.claims[1].bytes]);
    await world.mine(1);
    await stands(early);
    await stands(late);
  });
});
