import { expect, it } from 'vitest';
import { nativeCoin, type EvmAddress } from '../../../engine/domain/evm.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { lockedBy } from '../../../engine/legs/evm/calls.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { aWhile, evmScene, hash, network, ours, preimage, until } from './scene.ts';

const coin = 10n ** 18n;
const hour = 3_600;

/** A lock of ours that was handed out and that no block takes. */
async function lockedScene({
  of,
  lying = () => ({}),
}: { of?: EvmAddress; lying?: (honest: EvmPort) => Partial<EvmPort> } = {}) {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n * coin);
  chain.give(chain.token, ours, 10n ** 9n);
  const scene = await evmScene({ chain, lying });
  const begun = chain.blocks.at(-1)?.time ?? 0;
  const timelock = begun + 12 * hour;
  const lock = scene.lock({ timelock: BigInt(timelock), ...(of === undefined ? {} : { token: of }) });
  const contracts = { ...scene.contracts, kind: of === undefined ? 'erc20' : 'native' } as const;
  const more = { deadline: unix(timelock - 2 * hour), value: sats(1_000_000), contracts };
  const id = scene.open([scene.effectOf({ is: 'lock', lock }, more)]);
  const isLock = (one: { readonly call: { readonly data: Uint8Array } }): boolean => lockedBy(one.call) !== null;
  await until(() => {
    // What approves it first.
    chain.mine(1, (one) => !isLock(one));
    return [...chain.pool.values()].some(isLock);
  });
  return {
    ...{ scene, chain, id, timelock },
    /** What waits to be mined: the lock, or nothing in its place. */
    waiting: () => [...chain.pool.values()].map(({ call }) => (lockedBy(call) === null ? 'nothing' : 'lock')),
    stands: () => chain.replay().state.locks.get(toHex(swapKey(lock)))?.state === 1,
    /** Blocks come that take nothing. */
    async pass(to: number): Promise<void> {
      chain.setTime(to);
      chain.mine(1, () => false);
      await aWhile(300);
    },
  };
}

it('fault 329, evm: a lock that no block took is taken back once its timelock is over', async () => {
  const { scene, chain, id, timelock, waiting, pass, stands } = await lockedScene();
  await pass(timelock - 10);
  expect(waiting()).toEqual(['lock']);
  await pass(timelock + 10);
  await until(() => waiting().includes('nothing'));
  expect(waiting()).toEqual(['nothing']);
  // Gas becomes dearer than that: it is raised.
  const before = [...chain.pool.values()][0]?.most ?? 0n;
  chain.setBaseFee(10n * 10n ** 9n);
  for (let i = 0; i < 6; i++) await pass(timelock + 20 + i);
  await until(() => ([...chain.pool.values()][0]?.most ?? 0n) > before);
  chain.mine(5);
  await until(() => scene.store.nonces.open(network).length === 0);
  expect(stands()).toBe(false);
  const rows = scene.store.transactions.of(id);
  expect(rows.filter(({ state }) => state === 'final').map(({ purpose }) => purpose)).toEqual(['approve', 'cancel']);
  expect(rows.filter(({ state }) => state === 'prepared' || state === 'accepted')).toEqual([]);
});

it('fault 329, evm: a lock that a reorganisation took is not put back after its timelock', async () => {
  const { chain, timelock, waiting, stands } = await lockedScene();
  chain.mine();
  await aWhile(100);
  expect(stands()).toBe(true);
  chain.setTime(timelock + 10);
  chain.reorg(1, { drop: true });
  chain.mine(1, () => false);
  await until(() => waiting().length > 0);
  expect(waiting()).toEqual(['nothing']);
});

it('fault 342, evm: a secret that was only told leaves no lock of ours to be mined', async () => {
  const { scene, timelock, waiting, pass } = await lockedScene();
  // For a relay of a claim that never was in a block.
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  await pass(timelock + 10);
  await until(() => waiting().includes('nothing'));
  expect(waiting()).toEqual(['nothing']);
});

it('fault 342, evm: nor is such a lock sent again while no disk takes what takes its place', async () => {
  const { scene, chain, timelock, waiting, pass } = await lockedScene();
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  scene.store.atomically = () => {
    throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  };
  chain.pool.clear();
  await pass(timelock + 10);
  await pass(timelock + 60);
  expect(waiting()).toEqual([]);
});

it('fault 329, evm: one that the client claimed in a block is the client’s, and is put back', async () => {
  const { scene, chain, id, timelock, waiting, pass } = await lockedScene();
  scene.store.swaps.update({ ...scene.store.swaps.byId(id)!, status: 'clientredeemed' });
  await pass(timelock + 10);
  chain.pool.clear();
  await pass(timelock + 60);
  await until(() => waiting().length > 0);
  expect([waiting(), lockedBy([...chain.pool.values()][0]!.call)]).toEqual([
    ['lock'],
    { hash, timelock: unix(timelock) },
  ]);
});

it('fault 329, evm: one that the client claimed while its own leg went back to it is taken back', async () => {
  const { scene, id, timelock, waiting, pass } = await lockedScene();
  scene.store.swaps.update({ ...scene.store.swaps.byId(id)!, status: 'clientredeemedandclientrefunded' });
  await pass(timelock + 10);
  await until(() => waiting().includes('nothing'));
  expect(waiting()).toEqual(['nothing']);
});

it('fault 329, evm: while nobody says what gas costs it is not sent again', async () => {
  let isDown = false;
  const { chain, timelock, waiting, pass } = await lockedScene({
    lying: (honest) => ({
      gasFees: () => (isDown ? Promise.reject(evmFailure('evm-away', 'safe', 'nobody answers')) : honest.gasFees()),
    }),
  });
  isDown = true;
  chain.pool.clear();
  await pass(timelock + 10);
  await pass(timelock + 60);
  expect(waiting()).toEqual([]);
  isDown = false;
  await pass(timelock + 120);
  await until(() => waiting().length > 0);
  expect(waiting()).toEqual(['nothing']);
});

it('fault 330, evm: the books hold the coin of a lock whose place was used for nothing', async () => {
  const { scene, chain, id, timelock, waiting, pass } = await lockedScene({ of: nativeCoin });
  await pass(timelock + 10);
  await until(() => waiting().includes('nothing'));
  chain.mine(5);
  await until(() => scene.store.nonces.open(network).length === 0);
  const txid = scene.store.transactions.of(id).at(-1)?.txid ?? '';
  expect(scene.store.nonces.ofTransaction(txid)?.mined).toMatchObject({ ok: true });
  expect(scene.store.nonces.ofTransaction(txid)?.mined?.moved).toEqual({});
});
