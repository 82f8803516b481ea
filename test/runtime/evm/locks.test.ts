import { expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage, asSha256 } from '../../../engine/domain/hash.ts';
import type { SeenLock } from '../../../engine/legs/evm/events.ts';
import { approveCall, claimCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmCall, EvmPort } from '../../../engine/legs/evm/port.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { alertName } from '../../../engine/runtime/alert-names.ts';
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
  secret,
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

async function send(chain: EvmChain, of: Uint8Array, call: EvmCall): Promise<void> {
  const port = chain.port(of);
  const { pending } = await port.nonces();
  const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;
  const { bytes } = port.sign({ ...call, nonce: pending, gas: 200_000n, fees });
  expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
}

const timelock = 1_770_000_000n;

/** The client's lock for us. */
async function lockBy(scene: EvmScene, amount = 1_000n, change: Partial<ReturnType<EvmScene['lock']>> = {}) {
  const { chain, contracts } = scene;
  const lock = scene.lock({ refundAddress: client, claimAddress: ours, timelock, amount, ...change });
  await send(chain, clientSecret, approveCall(chain.token, chain.htlc, amount));
  await send(chain, clientSecret, lockCall(contracts, lock));
  chain.mine();
  return lock;
}

const silence = 'This needs the word of two RPCs, and b.example cannot be asked.';

/** One of two RPCs is silent: what both must say is not known, the other's word is. */
const withoutSecond = (honest: EvmPort): Partial<EvmPort> => ({
  receipt: async (txid, how) => {
    if (how?.agreed === true) throw evmFailure('evm-away', 'safe', silence);
    return honest.receipt(txid);
  },
});

function watchOf(scene: EvmScene, since = 0) {
  const { amount: least, ...lock } = scene.lock({ refundAddress: client, claimAddress: ours, timelock });
  const byClient = { are: 'agreed', lock, least, by: client } as const;
  return { on: 'evm-lock', network, htlc: scene.chain.htlc, hash, wanted: byClient, since } as const;
}

function last(scene: EvmScene, id: string): readonly SeenLock[] | null {
  const event = scene.heard(id, 'evm.seen').at(-1);
  return event?.is === 'evm.seen' ? event.locks : null;
}

it('a first look says what is there, also where that is nothing', async () => {
  const scene = await evmScene({ chain: fundedChain() });
  const id = scene.open([], [watchOf(scene)]);
  expect(await until(() => last(scene, id))).toEqual([]);
});

it('a lock is heard of with each block that stands on it, and with its amount', async () => {
  const scene = await evmScene({ chain: fundedChain() });
  const id = scene.open([], [watchOf(scene)]);
  const lock = await lockBy(scene, 1_234n);
  scene.chain.mine(2);
  const [one] = await until(() => last(scene, id)?.[0]?.confirmations === 3 && last(scene, id));
  expect(one).toMatchObject({ terms: lock, state: { is: 'active' }, depositor: 'nobody' });
});

it('a lock that a reorganisation takes back is not there any more', async () => {
  const scene = await evmScene({ chain: fundedChain() });
  const id = scene.open([], [watchOf(scene)]);
  await lockBy(scene);
  await until(() => last(scene, id)?.length === 1);
  scene.chain.reorg(1, { drop: true });
  await until(() => last(scene, id)?.length === 0);
  scene.chain.mine(1);
  await aWhile(60);
  expect(last(scene, id)).toHaveLength(0);
});

it('what happened while the node was down is read at its next start', async () => {
  const chain = fundedChain();
  const before = await evmScene({ chain });
  const watch = watchOf(before);
  const id = before.open([], [watch]);
  await until(() => last(before, id));
  await before.stop();
  const lock = await lockBy(before);
  await send(chain, secret, claimCall(before.contracts, lock, preimage));
  chain.mine(40);
  const scene = await evmScene({ chain, folder: before.folder });
  const [one] = await until(() => last(scene, id)?.length === 1 && last(scene, id));
  expect(one).toMatchObject({ terms: lock, state: { is: 'redeemed', preimage } });
});

it('a hash that is watched late is read from its own height on', async () => {
  const scene = await evmScene({ chain: fundedChain() });
  const other = asSha256(new Uint8Array(32).fill(9));
  const first = scene.open([], [{ ...watchOf(scene), hash: other, wanted: { are: 'one', key: other } }]);
  await until(() => last(scene, first));
  await lockBy(scene);
  scene.chain.mine(60);
  await aWhile(100);
  const id = scene.open([], [watchOf(scene, 1)]);
  await until(() => last(scene, id)?.length === 1);
});

it('fault 10, evm: locks of other terms than the agreed ones are not told of', async () => {
  const scene = await evmScene({ chain: fundedChain() });
  const id = scene.open([], [watchOf(scene)]);
  await lockBy(scene, 2_000n, { claimAddress: asEvmAddress(new Uint8Array(20).fill(8)) });
  await lockBy(scene, 2_000n, { timelock: timelock + 1n });
  await lockBy(scene, 999n);
  const right = await lockBy(scene, 1_001n);
  const locks = await until(() => (last(scene, id)?.length ?? 0) > 0 && last(scene, id));
  expect(locks.map(({ terms }) => terms)).toEqual([right]);
});

it('a swap that wants something else of a watched hash hears of what was made before it came', async () => {
  const scene = await evmScene({ chain: fundedChain() });
  const first = scene.open([], [watchOf(scene)]);
  const odd = await lockBy(scene, 5n);
  scene.chain.mine(60);
  await until(() => last(scene, first)?.length === 0);
  await aWhile(100);
  const id = scene.open([], [{ ...watchOf(scene, 1), wanted: { are: 'one', key: swapKey(odd) } }]);
  const [one] = await until(() => last(scene, id)?.length === 1 && last(scene, id));
  expect(one?.terms).toEqual(odd);
  expect(last(scene, first)).toEqual([]);
});

it('fault 36, evm: a lock of which two RPCs do not say the same has no confirmations', async () => {
  let apart = true;
  const scene = await evmScene({
    chain: fundedChain(),
    lying: (honest: EvmPort) => ({
      receipt: async (txid: string) => {
        if (apart) throw evmFailure('evm-disagreement', 'safe', 'they do not agree');
        return honest.receipt(txid);
      },
    }),
  });
  const id = scene.open([], [watchOf(scene)]);
  await lockBy(scene);
  scene.chain.mine(5);
  const [one] = await until(() => last(scene, id)?.length === 1 && last(scene, id));
  expect(one?.confirmations).toBe(0);
  apart = false;
  scene.chain.mine();
  await until(() => last(scene, id)?.[0]?.confirmations === 7);
});

it('fault 49, evm: while one of two RPCs is silent little is begun by one word, much waits and says why', async () => {
  const scene = await evmScene({ chain: fundedChain(), lying: withoutSecond });
  const [little, much] = [false, true].map((agreed) => scene.open([], [{ ...watchOf(scene), agreed }]));
  const lock = await lockBy(scene);
  scene.chain.mine(2);
  await until(() => last(scene, little ?? '')?.[0]?.confirmations === 3);
  const [one] = await until(() => last(scene, much ?? '')?.length === 1 && last(scene, much ?? ''));
  expect([one?.confirmations, one?.doubt]).toEqual([0, silence]);
  await send(scene.chain, secret, claimCall(scene.contracts, lock, preimage));
  scene.chain.mine(3);
  const states = await until(
    () =>
      last(scene, little ?? '')?.[0]?.state.is === 'redeemed' &&
      last(scene, much ?? '')?.[0]?.state.is === 'redeemed' &&
      [little, much].map((id) => last(scene, id ?? '')?.[0]?.state),
  );
  // Its preimage is learned from one; that a lock is over for good takes both, whatever it is worth.
  expect(states).toEqual(
    [0, 0].map((confirmations) => expect.objectContaining({ preimage, confirmations }) as unknown),
  );
});

it('fault 36, evm: an RPC that lags behind what was read says nothing', async () => {
  let lag = 0;
  const scene = await evmScene({
    chain: fundedChain(),
    lying: (honest: EvmPort) => ({
      heads: async () => {
        const { rpcs, ...heads } = await honest.heads();
        return { ...heads, rpcs: rpcs.map((rpc) => ({ ...rpc, tip: { ...rpc.tip, height: rpc.tip.height - lag } })) };
      },
    }),
  });
  const id = scene.open([], [watchOf(scene)]);
  await lockBy(scene);
  scene.chain.mine(2);
  await until(() => last(scene, id)?.[0]?.confirmations === 3);
  lag = 3;
  const count = scene.heard(id, 'evm.seen').length;
  await aWhile(120);
  expect(scene.heard(id, 'evm.seen')).toHaveLength(count);
});

it('locks that many swaps are told of in one block are answered for sixteen swaps at a time', async () => {
  const chain = fundedChain();
  const batches: number[] = [];
  let isOpen = false;
  const together = (honest: EvmPort): Partial<EvmPort> => ({
    async receipt(...of) {
      if (!isOpen) setImmediate(() => (isOpen = false));
      if (isOpen) batches.push((batches.pop() ?? 0) + 1);
      else batches.push(1);
      isOpen = true;
      await new Promise((resolve) => setTimeout(resolve, 1));
      return honest.receipt(...of);
    },
  });
  const scene = await evmScene({ chain, lying: together });
  const swaps = Array.from({ length: 20 }, (_, i) => {
    const preimageHash = sha256Of(asPreimage(new Uint8Array(32).fill(i + 1)));
    const { amount: least, ...lock } = scene.lock({
      refundAddress: client,
      claimAddress: ours,
      timelock,
      preimageHash,
    });
    const terms = { are: 'agreed', lock, least, by: client } as const;
    const watch = { on: 'evm-lock', network, htlc: chain.htlc, hash: preimageHash, wanted: terms, since: 0 } as const;
    return { id: scene.open([], [watch]), lock: { ...lock, amount: least } };
  });
  await until(() => swaps.every(({ id }) => last(scene, id) !== null));
  await send(chain, clientSecret, approveCall(chain.token, chain.htlc, 100_000n));
  for (const { lock } of swaps) await send(chain, clientSecret, lockCall(scene.contracts, lock));
  chain.mine();
  await until(() => swaps.every(({ id }) => last(scene, id)?.length === 1));
  expect(batches).toEqual([16, 4]);
});

it('fault 228, evm: the owner is told of a lock that may have been claimed where no RPC has the logs', async () => {
  const chain = fundedChain();
  const first = await evmScene({ chain });
  const lock = await lockBy(first);
  const one = { are: 'one', key: swapKey(lock) } as const;
  const watch = { on: 'evm-lock', network, htlc: chain.htlc, hash, wanted: one, since: 1 } as const;
  const id = first.open([], [watch]);
  await until(() => first.heard(id, 'evm.seen').length > 0);
  await first.stop();
  await send(chain, secret, claimCall(first.contracts, lock, preimage));
  chain.mine(1_000);
  const beginning = chain.blocks.length - 100;
  const pruned = evmFailure('evm-pruned', 'safe', 'It keeps no logs of so long ago.');
  const second = await evmScene({
    ...{ chain, folder: first.folder },
    lying: (honest) => ({
      async events(range) {
        if (range.from < beginning) throw pruned;
        return honest.events(range);
      },
    }),
  });
  const alerts: (readonly [string, string | null, string])[] = [];
  second.runtime.onAlert(({ swap, sentence }) => alerts.push([alertName(swap, sentence), swap, sentence]));
  await until(() => alerts.length > 0);
  const sentence = expect.stringMatching(
    /^Too few RPCs of evm:137 that answer keep the logs of blocks before \d+/,
  ) as string;
  expect(alerts[0]).toEqual(['evm-logs-missing', id, sentence]);
  expect(second.heard(id, 'evm.seen').length).toBe(first.heard(id, 'evm.seen').length);
});
