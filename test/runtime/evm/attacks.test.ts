import { expect, it } from 'vitest';
import { nativeCoin } from '../../../engine/domain/evm.ts';
import { sameBytes } from '../../../engine/domain/hash.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, evmScene, network, ours, secret, until, type EvmScene } from './scene.ts';

const coin = 10n ** 18n;

function richChain(): EvmChain {
  const chain = createEvmChain(network);
  chain.give(null, ours, 1_000n * coin);
  chain.give(chain.token, ours, 1_000_000n);
  return chain;
}

function payOf(scene: EvmScene, amount = 5n, value = sats(1_000_000)) {
  return scene.effectOf({ is: 'pay', token: scene.chain.token, to: client, amount }, { value });
}

/** A swap whose payment is signed, and that hears of it. */
async function signedPay(scene: EvmScene, value = sats(1_000_000)): Promise<{ id: string; txid: string }> {
  const id = scene.open([payOf(scene, 5n, value)]);
  const prepared = await until(() => scene.heard(id, 'evm.prepared')[0]);
  if (prepared.is !== 'evm.prepared') throw new Error('it was not prepared');
  return { id, txid: prepared.txid };
}

function paid(chain: EvmChain): bigint {
  return chain.replay().state.balances.get(`${toHex(chain.token)} ${toHex(client)}`) ?? 0n;
}

async function mineUntil(chain: EvmChain, test: () => boolean, everyMs = 30): Promise<void> {
  while (!test()) {
    chain.mine();
    await aWhile(everyMs);
  }
}

/** A transaction of somebody else who has our key. */
async function byStranger(chain: EvmChain, nonce: number): Promise<void> {
  const port = chain.port(secret);
  const call = { to: client, value: 1n, data: new Uint8Array() };
  const fees = { is: 'dynamic', most: 10n ** 12n, tip: 10n ** 11n } as const;
  expect(await port.broadcast(port.sign({ ...call, nonce, gas: 21_000n, fees }).bytes)).toEqual({ is: 'accepted' });
}

const watchOf = (txid: string) => ({ on: 'evm-sent', network, purpose: 'pay', txid }) as const;

it('fault 1, evm: signed and never sent, it is sent by the next start with its own nonce, once', async () => {
  const chain = richChain();
  const broken = await evmScene({
    chain,
    lying: () => ({ broadcast: () => Promise.reject(evmFailure('evm-away', 'safe', 'away')) }),
  });
  const { txid } = await signedPay(broken);
  await broken.stop();
  expect(chain.pool.size).toBe(0);
  await evmScene({ chain, folder: broken.folder });
  await until(() => chain.pool.has(txid));
  chain.mine();
  expect([paid(chain), chain.replay().state.nonces.get(toHex(ours))]).toEqual([5n, 1]);
});

it('what a node dropped is sent again', async () => {
  const chain = richChain();
  const scene = await evmScene({ chain });
  const { txid } = await signedPay(scene);
  await until(() => chain.pool.has(txid));
  chain.pool.clear();
  chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 60);
  chain.mine();
  await until(() => chain.pool.has(txid));
});

it('fault 14, evm: a reorganisation that takes a block back has it mined once more', async () => {
  const chain = richChain();
  const scene = await evmScene({ chain });
  const { txid } = await signedPay(scene);
  await until(() => chain.pool.has(txid));
  chain.mine(2);
  await until(() => scene.store.nonces.ofTransaction(txid)?.mined);
  chain.reorg(2, { drop: true });
  chain.mine(1);
  await until(() => scene.store.nonces.ofTransaction(txid)?.mined === null);
  chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 60);
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  expect(paid(chain)).toBe(5n);
});

it('fault 34, evm: one that is mined and reverts is told so, with what it cost', async () => {
  const chain = richChain();
  const scene = await evmScene({
    chain,
    lying: (honest) => ({
      simulate: async () => ({ is: 'passes', gas: 100_000n }),
      balance: async (token, of) => (sameBytes(token, nativeCoin) ? honest.balance(token, of) : 10n ** 9n),
    }),
  });
  const id = scene.open([payOf(scene, 5_000_000n)]);
  const prepared = await until(() => scene.heard(id, 'evm.prepared')[0]);
  const txid = prepared.is === 'evm.prepared' ? prepared.txid : '';
  const listening = scene.open([], [watchOf(txid)]);
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  await until(() =>
    scene.heard(listening, 'evm.sent').some((event) => event.is === 'evm.sent' && event.state.is === 'mined'),
  );
  const cost = chain.replay().receipts.get(txid)?.cost ?? 0n;
  expect(scene.heard(listening, 'evm.sent')).toContainEqual(
    expect.objectContaining({ state: expect.objectContaining({ is: 'mined', by: txid, ok: false, cost }) }),
  );
  expect(cost).toBeGreaterThan(0n);
});

it('fault 31, evm: one whose price is too low by now is replaced at its nonce, for more of both fees', async () => {
  const chain = richChain();
  const scene = await evmScene({ chain });
  const { id, txid } = await signedPay(scene);
  const first = await until(() => chain.pool.get(txid));
  chain.setBaseFee(5n * 10n ** 9n);
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  const rows = scene.store.transactions.of(id);
  const by = scene.store.nonces.ofTransaction(txid)?.mined?.by;
  expect([paid(chain), rows.length, rows.find((row) => row.txid === by)?.state]).toEqual([5n, 2, 'final']);
  expect(by).not.toBe(txid);
  expect(first.nonce).toBe(scene.store.nonces.ofTransaction(by ?? '')?.nonce);
});

it('fault 33, evm: a small one that is stuck is raised for the sake of a large one behind it', async () => {
  const chain = richChain();
  const scene = await evmScene({ chain });
  // Of what it is worth gas may take a quarter.
  const small = await signedPay(scene, sats(200_000));
  await until(() => chain.pool.has(small.txid));
  chain.setBaseFee(60n * 10n ** 9n);
  chain.mine(6);
  await aWhile(300);
  expect(scene.store.transactions.of(small.id)).toHaveLength(1);
  const large = await signedPay(scene, sats(100_000_000));
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  expect([
    paid(chain),
    scene.store.transactions.of(small.id).length > 1,
    scene.store.transactions.of(large.id).length,
  ]).toEqual([10n, true, 1]);
});

it('an account that somebody else used too loses one transaction, and says so when that is buried', async () => {
  const chain = richChain();
  const scene = await evmScene({ chain, lying: () => ({ broadcast: async () => ({ is: 'nonce-used' }) }) });
  const { txid } = await signedPay(scene);
  const listening = scene.open([], [watchOf(txid)]);
  await byStranger(chain, 0);
  chain.mine();
  await aWhile(150);
  expect(scene.store.nonces.ofTransaction(txid)?.state).toBe('open');
  await mineUntil(chain, () => scene.store.nonces.ofTransaction(txid)?.state === 'gone');
  await until(() =>
    scene.heard(listening, 'evm.sent').some((event) => event.is === 'evm.sent' && event.state.is === 'gone'),
  );
  expect(paid(chain)).toBe(0n);
});

it('fault 36, evm: a count of nonces that is a lie for a while gives nothing up', async () => {
  const chain = richChain();
  let lie = true;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      nonces: async () => {
        const { mined, pending } = await honest.nonces();
        return lie && pending > 0 ? { mined: pending, pending } : { mined, pending };
      },
    }),
  });
  const { txid } = await signedPay(scene);
  await until(() => chain.pool.has(txid));
  chain.mine(3, () => false);
  await aWhile(150);
  lie = false;
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  expect([paid(chain), scene.store.nonces.ofTransaction(txid)?.state]).toEqual([5n, 'settled']);
});

it('RPCs that do not agree on receipts end nothing, and everything is sent all the same', async () => {
  const chain = richChain();
  let apart = true;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      receipt: async (txid: string) => {
        if (apart) throw evmFailure('evm-disagreement', 'safe', 'they do not agree');
        return honest.receipt(txid);
      },
    }),
  });
  const first = await signedPay(scene);
  await until(() => chain.pool.has(first.txid));
  chain.mine(9);
  const second = await signedPay(scene);
  await until(() => chain.pool.has(second.txid));
  chain.mine(9);
  await aWhile(150);
  expect(scene.store.nonces.open(network).map(({ mined, state }) => [mined, state])).toEqual([
    [null, 'open'],
    [null, 'open'],
  ]);
  apart = false;
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  expect(paid(chain)).toBe(10n);
});

it('a database that is older than the chain goes on after what the chain has', async () => {
  const chain = richChain();
  const before = await evmScene({ chain });
  for (let i = 0; i < 3; i++) await signedPay(before);
  await mineUntil(chain, () => before.store.nonces.open(network).length === 0);
  await before.stop();
  const scene = await evmScene({ chain });
  await signedPay(scene);
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  expect([paid(chain), chain.replay().state.nonces.get(toHex(ours))]).toEqual([20n, 4]);
});

it('fault 33, evm: a gap that a count left is filled, and what is behind it is mined', async () => {
  const chain = richChain();
  let lie = 2;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      nonces: async () => {
        const { mined, pending } = await honest.nonces();
        return { mined, pending: pending + lie };
      },
    }),
  });
  const { txid } = await signedPay(scene);
  expect(scene.store.nonces.ofTransaction(txid)?.nonce).toBe(2);
  lie = 0;
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  const { state, receipts } = chain.replay();
  expect([paid(chain), state.nonces.get(toHex(ours)), receipts.size]).toEqual([5n, 3, 3]);
});

it('one that nobody wants any more and nobody was handed makes way for nothing, and is gone', async () => {
  const chain = richChain();
  let away = true;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      tip: () => (away ? Promise.reject(evmFailure('evm-away', 'safe', 'away')) : honest.tip()),
    }),
  });
  const { id, txid } = await signedPay(scene);
  const listening = scene.open([], [watchOf(txid)]);
  scene.runtime.commits.deliver(id, { is: 'abandoned', reason: 'nobody knows it' });
  const behind = await signedPay(scene);
  away = false;
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  await until(() =>
    scene.heard(listening, 'evm.sent').some((event) => event.is === 'evm.sent' && event.state.is === 'gone'),
  );
  expect([paid(chain), chain.replay().receipts.get(behind.txid)?.ok, chain.replay().receipts.has(txid)]).toEqual([
    5n,
    true,
    false,
  ]);
});

it('fault 59, evm: nobody pays ten thousand times the price to fill a nonce that is in the way', async () => {
  const chain = richChain();
  let away = true;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      tip: () => (away ? Promise.reject(evmFailure('evm-away', 'safe', 'away')) : honest.tip()),
    }),
  });
  const { id, txid } = await signedPay(scene);
  scene.runtime.commits.deliver(id, { is: 'abandoned', reason: 'nobody knows it' });
  const behind = await signedPay(scene);
  chain.setBaseFee(10n ** 13n);
  away = false;
  await until(() => chain.pool.has(behind.txid));
  await aWhile(300);
  expect(scene.store.transactions.of(id).map((row) => row.txid)).toEqual([txid]);
  chain.setBaseFee(10n ** 9n);
  await mineUntil(chain, () => scene.store.nonces.open(network).length === 0);
  expect([paid(chain), chain.replay().receipts.get(behind.txid)?.ok]).toEqual([5n, true]);
});

it('fault 48, evm: a price ten thousand times too high signs nothing that is not lost otherwise', async () => {
  const chain = richChain();
  chain.setBaseFee(10n ** 13n);
  const scene = await evmScene({ chain });
  scene.open([payOf(scene, 5n, sats(1_000_000))]);
  await aWhile(300);
  expect(scene.store.nonces.open(network)).toEqual([]);
  chain.setBaseFee(10n ** 9n);
  await until(() => scene.store.nonces.open(network).length === 1);
});
