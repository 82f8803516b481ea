import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { EvmAct } from '../../../engine/legs/evm/acts.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, clientSecret, evmScene, network, ours, preimage, until, type EvmScene } from './scene.ts';

const coin = 10n ** 18n;
const gwei = 10n ** 9n;
const day = 86_400;
const value = sats(10_000_000);
/** In sats, so that 400,000 are the most: a lock takes 157,500 units of gas, and is made while one costs 25 gwei. */
const charged = sats(200_000);

/** Our account has tokens and coins; each act is a swap's that was charged so much. */
async function richScene(allowance = 1_000_000n) {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n * coin);
  chain.give(chain.token, ours, 10n ** 9n);
  const scene = await evmScene({
    chain,
    unpaid: { charged: () => charged },
    // The chain of the test knows no funding of a client's.
    lying: () => ({ allowance: async () => allowance, simulate: async () => ({ is: 'passes', gas: 110_000n }) }),
  });
  return { chain, scene };
}

/** The chain goes on for so many seconds, or until something is so: what waits is tried again after growing pauses. */
async function pass(scene: EvmScene, seconds: number, isOver?: () => boolean): Promise<void> {
  const from = scene.chain.blocks.at(-1)?.time ?? 0;
  const steps = isOver === undefined ? 20 : 80;
  for (let i = 1; i <= steps && isOver?.() !== true; i++) {
    scene.chain.setTime(from + Math.floor((i * seconds) / steps));
    scene.chain.mine(isOver === undefined ? 3 : 1);
    await aWhile(40);
  }
  // A busy machine gets to it late: time stands still meanwhile.
  for (let i = 0; i < 250 && isOver?.() === false; i++) await aWhile(40);
}

function lockOf(scene: EvmScene): EvmAct {
  return { is: 'lock', lock: scene.lock() };
}

function fundingOf(scene: EvmScene): EvmAct {
  const { amount: _, ...lock } = scene.lock({ claimAddress: ours, refundAddress: scene.contracts.coordinator });
  const permit = {
    depositor: client,
    token: scene.chain.token,
    amount: 1_000n,
    nonce: 1n,
    deadline: 2_000_000_000n,
    signature: new Uint8Array(65).fill(1),
  };
  return { is: 'relay-fund', lock, permit, calls: [] };
}

const acts = [
  ['a lock', lockOf, 1_000_000n],
  ['an approval of a lock', lockOf, 0n],
  ['a funding', fundingOf, 1_000_000n],
] as const;

it.each(acts)('fault 263, evm: %s waits while it costs twice what its swap was charged', async (_, act, allowance) => {
  const { chain, scene } = await richScene(allowance);
  chain.setBaseFee(20n * gwei);
  const id = scene.open([scene.effectOf(act(scene), { value, deadline: unix(1_760_000_000 + day) })]);
  await pass(scene, 3_600);
  const signed = () => scene.store.transactions.of(id).length;
  expect([scene.events(id), signed()]).toEqual([[], 0]);
  chain.setBaseFee(12n * gwei);
  await pass(scene, 3_600, () => signed() > 0);
  expect(signed()).toBeGreaterThan(0);
});

it('fault 263, evm: a lock that waited for cheaper gas until its time is over is refused', async () => {
  const { chain, scene } = await richScene();
  chain.setBaseFee(20n * gwei);
  const id = scene.open([scene.effectOf(lockOf(scene), { value, deadline: unix(1_760_000_000 + 3_600) })]);
  await pass(scene, 7_200, () => scene.heard(id, 'evm.refused').length > 0);
  expect(scene.events(id)).toMatchObject([{ is: 'evm.refused', purpose: 'lock', reason: 'Too little time is left.' }]);
  expect(scene.store.nonces.open(network)).toEqual([]);
});

it('fault 263, evm: a signed lock is raised to twice what was charged, and above that once late', async () => {
  const { chain, scene } = await richScene();
  const id = scene.open([scene.effectOf(lockOf(scene), { value, deadline: unix(1_760_000_000 + day) })]);
  await until(() => chain.pool.size === 1);
  const prices = () => scene.store.transactions.of(id).length;
  chain.setBaseFee(40n * gwei);
  await pass(scene, day / 2);
  expect(prices()).toBe(1);
  await pass(scene, day / 3, () => chain.pool.size === 0);
  expect([prices(), chain.pool.size]).toEqual([2, 0]);
});

/** Gas that is too dear before that quarter, for a claim that takes 157,500 units and saves two million sats. */
const quarters = [
  ['an eighth in its first quarter, and a quarter in its second', 13n, [0.2, 0.45]],
  ['half in its third quarter', 20n, [0.45, 0.7]],
  ['all that it saves in its last quarter', 40n, [0.7, 0.95]],
] as const;

it.each(quarters)('fault 263, evm: our claim costs at most %s', async (_, dear, [before, to]) => {
  const { chain, scene } = await richScene();
  chain.give(null, client, coin);
  chain.give(chain.token, client, 10n ** 9n);
  const lock = scene.lock({ refundAddress: client, claimAddress: ours });
  const port = chain.port(clientSecret);
  const fees = { is: 'dynamic', most: 100n * gwei, tip: gwei } as const;
  for (const [nonce, call] of [approveCall(chain.token, chain.htlc, 1_000n), lockCall(scene.contracts, lock)].entries())
    await port.broadcast(port.sign({ ...call, nonce, gas: 200_000n, fees }).bytes);
  chain.mine(2);
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const isClaimed = () => chain.replay().state.locks.get(toHex(swapKey(lock)))?.state !== 1;

  chain.setBaseFee(dear * gwei);
  const begun = chain.blocks.at(-1)?.time ?? 0;
  const more = { value: sats(2_000_000), deadline: unix(begun + day) };
  scene.open([scene.effectOf({ is: 'claim', lock }, more)]);
  await pass(scene, before * day);
  expect(isClaimed()).toBe(false);
  await pass(scene, (to - before) * day, isClaimed);
  expect(isClaimed()).toBe(true);
});
