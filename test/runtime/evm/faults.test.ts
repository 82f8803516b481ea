import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmCall, EvmPort } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import {
  aWhile,
  client,
  clientSecret,
  evmScene,
  hash,
  network,
  ours,
  preimage,
  until,
  type EvmScene,
} from './scene.ts';

function fundedChain(): EvmChain {
  const chain = createEvmChain(network);
  for (const who of [ours, client]) {
    chain.give(null, who, 10n ** 18n);
    chain.give(chain.token, who, 1_000_000n);
  }
  return chain;
}

async function byClient(chain: EvmChain, call: EvmCall): Promise<void> {
  const port = chain.port(clientSecret);
  const { pending } = await port.nonces();
  const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;
  const { bytes } = port.sign({ ...call, nonce: pending, gas: 200_000n, fees });
  expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
}

async function clientLocks(scene: EvmScene) {
  const { chain, contracts } = scene;
  const lock = scene.lock({ refundAddress: client, claimAddress: ours });
  await byClient(chain, approveCall(chain.token, chain.htlc, lock.amount));
  await byClient(chain, lockCall(contracts, lock));
  chain.mine();
  return lock;
}

const away = () => Promise.reject(evmFailure('evm-away', 'safe', 'away'));
const ourNonce = (chain: EvmChain) => chain.replay().state.nonces.get(toHex(ours)) ?? 0;
const held = (chain: EvmChain, of: Uint8Array) =>
  chain.replay().state.balances.get(`${toHex(chain.token)} ${toHex(of)}`);
const watchOf = (scene: EvmScene, lock: LockTerms) =>
  ({
    on: 'evm-lock',
    network,
    htlc: scene.chain.htlc,
    hash,
    wanted: { are: 'one', key: swapKey(lock) },
    since: 0,
  }) as const;

interface Death {
  readonly lying?: (honest: EvmPort) => Partial<EvmPort>;
  readonly inPool?: true;
  readonly mined?: true;
  readonly isKnown?: true;
  readonly reorg?: true;
}

/** Moments at which a node dies over its claim, and how far the chain has come by then. */
const deaths: Readonly<Record<string, Death>> = {
  'signed, and nobody was handed it': { lying: () => ({ broadcast: away }) },
  'handed over, and no answer came': {
    lying: (honest) => ({ broadcast: (bytes) => honest.broadcast(bytes).then(away) }),
    inPool: true,
  },
  'in the pool': { inPool: true },
  'mined, and nobody looked': { inPool: true, mined: true, lying: () => ({ receipt: away }) },
  'mined and heard of': { inPool: true, mined: true, isKnown: true },
  'mined, and taken back by a reorganisation': { inPool: true, mined: true, isKnown: true, reorg: true },
};

it('fault 291, evm: a claim that is signed names the lock that it takes', async () => {
  const scene = await evmScene({ chain: fundedChain() });
  const lock = await clientLocks(scene);
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const id = scene.open([scene.effectOf({ is: 'claim', lock })], [watchOf(scene, lock)]);
  expect(await until(() => scene.heard(id, 'evm.prepared')[0])).toMatchObject({ lock: swapKey(lock) });
});

it('fault 306, evm: a refund of a client that is not signed names its lock', async () => {
  const scene = await evmScene({ chain: fundedChain() });
  const lock = await clientLocks(scene);
  const signature = { v: 27, r: new Uint8Array(32).fill(1), s: new Uint8Array(32).fill(1) };
  const id = scene.open([scene.effectOf({ is: 'relay-refund', lock, depositor: client, signature })]);
  expect(await until(() => scene.heard(id, 'evm.refused')[0])).toMatchObject({ lock: swapKey(lock) });
});

it.each(Object.entries(deaths))('fault 2, evm: killed with its claim %s, it is made once', async (_, death) => {
  const { lying, inPool, mined, isKnown, reorg } = death;
  const chain = fundedChain();
  const before = await evmScene({ chain, ...(lying === undefined ? {} : { lying }) });
  const lock = await clientLocks(before);
  before.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const id = before.open([before.effectOf({ is: 'claim', lock })], [watchOf(before, lock)]);
  await until(() => before.heard(id, 'evm.prepared')[0]);
  if (inPool === true) await until(() => chain.pool.size === 1);
  if (mined === true) chain.mine();
  if (isKnown === true) await until(() => before.store.nonces.open(network)[0]?.mined);
  await before.stop();
  if (reorg === true) chain.reorg(1, { drop: true });
  if (reorg === true) chain.mine(2, () => false);
  const scene = await evmScene({ chain, folder: before.folder });
  while (scene.store.nonces.open(network).length > 0) {
    chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 30);
    chain.mine();
    await aWhile(30);
  }
  await until(() =>
    scene.heard(id, 'evm.seen').some((event) => event.is === 'evm.seen' && event.locks[0]?.state.is === 'redeemed'),
  );
  expect([ourNonce(chain), held(chain, ours), scene.store.transactions.of(id).length]).toEqual([1, 1_001_000n, 1]);
});

it('fault 37, evm: after an hour without any RPC nothing was missed, and what waited is sent', async () => {
  const chain = fundedChain();
  let isAway = false;
  const scene = await evmScene({
    chain,
    lying: (honest) => {
      const unless =
        <A extends readonly unknown[], R>(ask: (...of: A) => Promise<R>) =>
        (...of: A): Promise<R> =>
          isAway ? away() : ask(...of);
      return {
        tip: unless(honest.tip),
        events: unless(honest.events),
        receipt: unless(honest.receipt),
        nonces: unless(honest.nonces),
        simulate: unless(honest.simulate),
        gasFees: unless(honest.gasFees),
        broadcast: unless(honest.broadcast),
        isActive: unless(honest.isActive),
      };
    },
  });
  const terms = scene.lock({ refundAddress: client, claimAddress: ours });
  const id = scene.open([], [watchOf(scene, terms)]);
  await until(() => scene.heard(id, 'evm.seen').length > 0);
  isAway = true;
  const lock = await clientLocks(scene);
  const now = chain.blocks.at(-1)?.time ?? 0;
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const claims = scene.open([scene.effectOf({ is: 'claim', lock })]);
  for (let i = 1; i <= 1_800; i++) {
    chain.setTime(now + 2 * i);
    chain.mine();
  }
  await aWhile(100);
  // A clock that was silent for so long is none: no timelock opens or closes by it.
  expect([scene.runtime.clock.now()[network]?.mtp, scene.heard(claims, 'evm.prepared').length]).toEqual([null, 0]);
  isAway = false;
  await until(() => chain.pool.size === 1);
  chain.mine();
  const lockNow = await until(() =>
    scene
      .heard(id, 'evm.seen')
      .flatMap((event) => (event.is === 'evm.seen' ? event.locks : []))
      .find(({ state }) => state.is === 'redeemed'),
  );
  expect(lockNow.terms).toEqual(lock);
  await until(() => scene.runtime.clock.now()[network]?.mtp === chain.blocks.at(-1)?.time);
});

it('fault 50, evm: what a node refuses is handed to it again after a pause, not at every look', async () => {
  const chain = fundedChain();
  let handed = 0;
  const scene = await evmScene({
    chain,
    lying: () => ({
      broadcast: async () => {
        handed += 1;
        return { is: 'refused', reason: 'busy' };
      },
    }),
  });
  const id = scene.open([scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })]);
  await until(() => scene.heard(id, 'evm.prepared')[0] && handed > 0);
  for (let i = 0; i < 20; i++) {
    chain.mine();
    await aWhile(20);
  }
  expect(handed).toBeLessThanOrEqual(3);
});

it('fault 50, evm: a contract that refuses our claim is not asked at every look', async () => {
  const chain = fundedChain();
  let simulations = 0;
  const scene = await evmScene({
    chain,
    lying: () => ({
      simulate: async () => {
        simulations += 1;
        return { is: 'reverts', reason: 'paused', data: new Uint8Array() };
      },
    }),
  });
  const lock = await clientLocks(scene);
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  scene.open([scene.effectOf({ is: 'claim', lock })]);
  for (let i = 0; i < 40; i++) {
    chain.mine();
    await aWhile(15);
  }
  expect(simulations).toBeLessThanOrEqual(10);
  expect(scene.store.effects.waiting(() => undefined)).toHaveLength(1);
});

it('fault 14, evm: a claim whose block goes is sent again, though its swap is over', async () => {
  const chain = fundedChain();
  const before = await evmScene({ chain });
  const lock = await clientLocks(before);
  before.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const id = before.open([before.effectOf({ is: 'claim', lock })]);
  const prepared = await until(() => before.heard(id, 'evm.prepared')[0]);
  const txid = prepared.is === 'evm.prepared' ? prepared.txid : '';
  await until(() => chain.pool.has(txid));
  chain.mine();
  await until(() => before.store.nonces.ofTransaction(txid)?.mined);
  before.runtime.commits.deliver(id, { is: 'abandoned', reason: 'it is over' });
  chain.reorg(1, { drop: true });
  chain.mine(2, () => false);
  chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 60);
  chain.mine(1, () => false);
  await until(() => chain.pool.has(txid));
  chain.mine();
  expect(chain.replay().receipts.get(txid)?.ok).toBe(true);
});

it('fault 17, evm: a claim of the last moment pays all that it may rather than come late', async () => {
  const chain = fundedChain();
  const scene = await evmScene({ chain });
  const lock = await clientLocks(scene);
  const now = chain.blocks.at(-1)?.time ?? 0;
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  chain.setBaseFee(200n * 10n ** 9n);
  chain.setTime(now + 980);
  chain.mine();
  await until(() => scene.runtime.clock.now()[network]?.mtp === now + 982);
  // Half of it, all that a claim pays before its last quarter, would be too little for the price of these blocks.
  const id = scene.open([scene.effectOf({ is: 'claim', lock }, { deadline: unix(now + 982), value: sats(3_500_000) })]);
  await until(() => scene.heard(id, 'evm.prepared')[0] && chain.pool.size === 1);
  chain.mine();
  expect(held(chain, ours)).toBe(1_001_000n);
});

it('two locks of one swap are claimed by two transactions, and the same one by one', async () => {
  const chain = fundedChain();
  const scene = await evmScene({ chain });
  const first = await clientLocks(scene);
  const second = { ...first, amount: 700n };
  await byClient(chain, approveCall(chain.token, chain.htlc, second.amount));
  await byClient(chain, lockCall(scene.contracts, second));
  chain.mine();
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const claims = [first, second, first].map((lock) => scene.effectOf({ is: 'claim', lock }));
  const id = scene.open(claims);
  await until(() => scene.heard(id, 'evm.prepared').length === 3 && chain.pool.size === 2);
  chain.mine();
  expect([held(chain, ours), ourNonce(chain)]).toEqual([1_001_700n, 2]);
});
