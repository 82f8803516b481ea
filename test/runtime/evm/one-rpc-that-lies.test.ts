import { bytesToHex, encodeErrorResult, hexToBytes } from 'viem';
import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { errors } from '../../../engine/legs/evm/abi.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import type { EvmPort, Simulation } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { claimFromMemory } from '../../../engine/runtime/networks/evm/from-memory.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import {
  aWhile,
  client,
  clientSecret,
  evmScene,
  memoryClaim,
  minedOf,
  network,
  ours,
  preimage,
  until,
  type EvmScene,
} from './scene.ts';

/** What one RPC says while no other answers, for a while. */
interface Lie {
  simulation?: Simulation;
  nonces?: number;
}

async function claimScene(lie: Lie): Promise<{ chain: EvmChain; scene: EvmScene; lock: LockTerms }> {
  const chain = createEvmChain(network);
  for (const who of [ours, client]) {
    chain.give(null, who, 10n ** 18n);
    chain.give(chain.token, who, 10n ** 9n);
  }
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      simulate: async (call) => lie.simulation ?? honest.simulate(call),
      nonces: async () =>
        lie.nonces === undefined ? honest.nonces() : { mined: lie.nonces, pending: lie.nonces, alone: true },
    }),
  });
  const lock = scene.lock({ refundAddress: client, claimAddress: ours });
  const port = chain.port(clientSecret);
  const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;
  const calls = [approveCall(chain.token, chain.htlc, lock.amount), lockCall(scene.contracts, lock)];
  for (const [nonce, call] of calls.entries())
    await port.broadcast(port.sign({ ...call, nonce, gas: 200_000n, fees }).bytes);
  chain.mine(2);
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  return { chain, scene, lock };
}

/** Blocks come until the lock is not there any more. */
async function mineUntilTaken({ chain, lock }: { chain: EvmChain; lock: LockTerms }): Promise<void> {
  while (chain.replay().state.locks.get(toHex(swapKey(lock)))?.state === 1) {
    chain.mine();
    await aWhile(30);
  }
}

it('fault 84, evm: a lock that one RPC calls claimed already is claimed once another one answers', async () => {
  const lie: Lie = {};
  const scene = await claimScene(lie);
  const args = [bytesToHex(swapKey(scene.lock)), 2] as const;
  const data = hexToBytes(encodeErrorResult({ abi: errors, errorName: 'SwapNotActive', args }));
  lie.simulation = { is: 'reverts', reason: 'SwapNotActive', data };
  const id = scene.scene.open([scene.scene.effectOf({ is: 'claim', lock: scene.lock })]);
  await aWhile(300);
  expect(scene.scene.events(id)).toEqual([]);
  delete lie.simulation;
  await mineUntilTaken(scene);
});

it('fault 85, evm: a claim whose gas one RPC alone estimates far too low has what a claim takes', async () => {
  const { chain, scene, lock } = await claimScene({ simulation: { is: 'passes', gas: 1n } });
  scene.open([scene.effectOf({ is: 'claim', lock })]);
  const [claim] = await until(() => chain.pool.size > 0 && [...chain.pool.values()]);
  expect(claim?.gas).toBeGreaterThanOrEqual(130_000n);
});

it('fault 85, evm: neither has a client’s own refund less than it takes', async () => {
  const { chain, scene, lock } = await claimScene({ simulation: { is: 'passes', gas: 1n } });
  scene.open([scene.effectOf({ is: 'taker-refund', lock })]);
  const [refund] = await until(() => chain.pool.size > 0 && [...chain.pool.values()]);
  expect(refund?.gas).toBeGreaterThanOrEqual(100_000n);
});

it('fault 86, evm: a count of nonces that one RPC alone names opens no gap above our own', async () => {
  const lie: Lie = {};
  const scene = await claimScene(lie);
  const { chain } = scene;
  scene.scene.open([scene.scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })]);
  await until(() => chain.pool.size > 0);
  chain.mine(3);
  lie.nonces = 1_000_000;
  scene.scene.open([scene.scene.effectOf({ is: 'claim', lock: scene.lock })]);
  await aWhile(300);
  delete lie.nonces;
  await mineUntilTaken(scene);
  expect(minedOf(chain)).toBe(2);
});

it('fault 86, evm: before anything was ever signed such a count is waited out', async () => {
  const lie: Lie = { nonces: 1_000_000 };
  const scene = await claimScene(lie);
  scene.scene.open([scene.scene.effectOf({ is: 'claim', lock: scene.lock })]);
  await aWhile(300);
  delete lie.nonces;
  await mineUntilTaken(scene);
  expect(minedOf(scene.chain)).toBe(1);
});

it('fault 86, evm: a claim from memory whose nonce one RPC alone names is signed anew for the others', async () => {
  const lie: Lie = { nonces: 1_000_000 };
  const { chain, scene, lock } = await claimScene(lie);
  const claim = memoryClaim(scene);
  const effect = scene.effectOf({ is: 'claim', lock });
  const early = await claimFromMemory(effect, claim);
  delete lie.nonces;
  const later = await claimFromMemory(effect, claim);
  chain.mine();
  expect([early, later, await claimFromMemory(effect, claim), minedOf(chain)]).toEqual([false, false, true, 1]);
});

it('a claim from memory is over once the lock is not there any more, whoever took it', async () => {
  const { chain, scene, lock } = await claimScene({});
  const claim = memoryClaim(scene);
  const effect = scene.effectOf({ is: 'claim', lock });
  await claimFromMemory(effect, { ...claim });
  chain.mine();
  expect(await claimFromMemory(effect, claim)).toBe(true);
});

it('fault 86, evm: a payment is not given up because one RPC alone says that its nonce was used', async () => {
  const lie: Lie = {};
  const { chain, scene } = await claimScene(lie);
  const id = scene.open([scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })], []);
  await until(() => chain.pool.size > 0);
  lie.nonces = 1_000_000;
  for (let i = 0; i < 12; i++) {
    chain.pool.clear();
    chain.mine();
    await aWhile(40);
  }
  expect([scene.events(id).length, scene.store.nonces.open(network).map(({ state }) => state)]).toEqual([1, ['open']]);
});
