import { expect, test, vi } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import type { MemoryClaim } from '../../../engine/runtime/networks/act.ts';
import { claimFromMemory } from '../../../engine/runtime/networks/onchain/from-memory.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import { testConfig } from '../../support/node.ts';
import { bitcoinScene, newWorld, ours, swapKey, type SceneOptions } from './scene.ts';
import { clientPublic, clientSpend, scriptOf, secret, termsOf } from './support.ts';
import { patience } from './patience.ts';

vi.setConfig(patience);

const hour = 3_600;

/** A coin of the client's whose secret no disk takes, `left` seconds before it may take it back. */
async function claiming(left: number, held = 60_000, options: SceneOptions = {}) {
  const world = newWorld();
  const terms = termsOf(ours, clientPublic, world.tip().mtp + left);
  const coin = world.faucet(scriptOf(terms), sats(held));
  if (coin === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const scene = await bitcoinScene({ ...options, world });
  const { runtime, store, wallet } = scene;
  const effect: Effect & { do: 'htlc.spend' } = {
    ...{ do: 'htlc.spend', purpose: 'claim', terms, script: scriptOf(terms), key: swapKey, coin, leastRate: 0 },
    deadline: terms.refundLocktime,
  };
  const claim: MemoryClaim = {
    ...{ swap: 'a swap', ports: { ...runtime.ports, bitcoinWallet: wallet }, clock: runtime.clock, store },
    evm: () => {
      throw new Error('nothing of an EVM chain');
    },
    ...{ ceilings: () => testConfig().ceilings, preimage: secret, half: null, since: null },
  };
  const feeNow = () => world.waiting(world.spend(coin)?.txid ?? '')?.fee ?? 0n;
  return { world, coin, terms, feeNow, look: () => claimFromMemory(effect, claim) };
}

test('fault 249, bitcoin: a claim from memory may cost all of its coin once that is lost otherwise', async () => {
  const { world, look, feeNow } = await claiming(hour / 2, 20_000);
  world.advance(hour / 3);
  world.setFeeRate(100);
  await look();
  expect(feeNow()).toBeGreaterThan(10_000n);
});

test('fault 249, bitcoin: far from its deadline a claim from memory costs an eighth at most', async () => {
  const { world, look, feeNow } = await claiming(24 * hour, 20_000);
  world.setFeeRate(100);
  await look();
  expect(feeNow()).toBe(2_500n);
});

test('fault 249, bitcoin: late, a claim from memory pays a quarter more where blocks ask it', async () => {
  const { world, look, feeNow } = await claiming(2 * hour);
  world.setFeeRate(10);
  await look();
  const first = feeNow();
  world.setFeeRate(13);
  await look();
  expect(Number(feeNow()) / Number(first)).toBeCloseTo(1.3, 1);
});

test('fault 249, bitcoin: a claim from memory that blocks leave out pays more, whatever estimates say', async () => {
  const { world, look, feeNow } = await claiming(2 * hour, 60_000, { estimates: { first: 1 } });
  await look();
  const first = feeNow();
  world.setFeeRate(20);
  world.advance(hour / 3);
  await look();
  expect(Number(feeNow()) / Number(first)).toBeCloseTo(2, 1);
});

test("fault 249, bitcoin: a claim from memory takes the place of the client's refund that pays more", async () => {
  const { world, look, coin, terms } = await claiming(-100);
  await look();
  const theirs = clientSpend(terms, { ...coin, amount: sats(60_000) }, { claim: false, rate: 20 });
  world.submit(theirs.bytes);
  expect(world.spend(coin)?.txid).toBe(theirs.txid);
  await look();
  expect([undefined, theirs.txid]).not.toContain(world.spend(coin)?.txid);
});
