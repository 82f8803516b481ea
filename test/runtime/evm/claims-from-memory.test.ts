import { describe, expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { approveCall, claimCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import type { RunningCore } from '../../../engine/runtime/core.ts';
import { unknownActs } from '../../../engine/service/reconciliation/unknown-acts.ts';
import { claimFromMemory } from '../../../engine/runtime/networks/evm/from-memory.ts';
import { priceOf } from '../../../engine/runtime/networks/evm/gas.ts';
import { readTransaction } from '../../../engine/runtime/networks/evm/variants.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import {
  aWhile,
  client,
  clientSecret,
  evmScene,
  firstSwap,
  memoryClaim,
  minedOf,
  network,
  ours,
  preimage,
  secret,
  until,
  type EvmScene,
  type SceneOptions,
} from './scene.ts';

const coin = 10n ** 18n;
const gwei = 10n ** 9n;
const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;

async function clientLocks({ chain, contracts }: EvmScene, lock: LockTerms, legacy = false): Promise<void> {
  const port = chain.port(clientSecret);
  const paying = legacy ? ({ is: 'legacy', price: fees.most } as const) : fees;
  for (const [nonce, call] of [approveCall(chain.token, chain.htlc, 1_000n), lockCall(contracts, lock)].entries())
    await port.broadcast(port.sign({ ...call, nonce, gas: 200_000n, fees: paying }).bytes);
  chain.mine();
}

/** The client's lock for us is on the chain, and its secret is ours. */
async function locked(lying: SceneOptions['lying'] = () => ({}), legacy = false) {
  const chain = createEvmChain(network, { legacy });
  chain.give(null, ours, 10n * coin);
  chain.give(null, client, coin);
  chain.give(chain.token, client, 1_000_000n);
  const scene = await evmScene({ chain, lying });
  const lock = scene.lock({ refundAddress: client, claimAddress: ours });
  await clientLocks(scene, lock, legacy);
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  return { scene, chain, lock, effect: scene.effectOf({ is: 'claim', lock }) };
}

type Locked = Awaited<ReturnType<typeof locked>>;

/** What the swap made of the secret could not be saved. */
function diskFails({ scene, effect }: Pick<Locked, 'scene' | 'effect'>, key = 'the secret'): void {
  const step = { progress: {}, effects: [effect], learned: preimage };
  const { saveFailures } = scene.runtime as unknown as RunningCore;
  saveFailures.tell({
    cause: new Error('the disk is full'),
    what: { swap: firstSwap, key, retry: () => undefined, step },
  });
}

async function unsaved(): Promise<Locked> {
  const on = await locked();
  diskFails(on);
  await until(() => on.chain.pool.size === 1);
  return on;
}

/** What our account sent, as the chain has it. */
function ownOf({ chain, scene }: Locked) {
  const { state, receipts } = chain.replay();
  const gas = scene.store.ledger.of(firstSwap).map(({ kind, amount }) => [kind, amount]);
  const own = scene.store.transactions.of(firstSwap).map(({ txid }) => receipts.get(txid));
  return { sent: state.nonces.get(toHex(ours)), own, gas };
}

it.each([
  ['waits for its block', false],
  ['is mined', true],
])(
  'fault 3, evm: sent from memory, a claim that %s is saved with its nonce, and not made again',
  async (_, isMined) => {
    const on = await unsaved();
    const { scene, chain, effect } = on;
    if (isMined) chain.mine();
    const id = scene.open([effect]);
    expect(id).toBe(firstSwap);
    await until(() => scene.heard(id, 'evm.prepared').length === 1);
    const timer = setInterval(() => chain.mine(), 25);
    await until(() => scene.store.nonces.open(network).length === 0).finally(() => clearInterval(timer));
    const { sent, own, gas } = ownOf(on);
    expect({ sent, ok: own.map((one) => one?.ok) }).toEqual({ sent: 1, ok: [true] });
    expect(gas).toEqual([['gas-paid', -(own[0]?.cost ?? 0n)]]);
  },
);

it('fault 3, evm: whatever news could not be saved, a swap is claimed from memory by one transaction', async () => {
  const on = await unsaved();
  diskFails(on, 'the same secret, by another look');
  await aWhile(500);
  expect(on.chain.pool.size).toBe(1);
});

it('fault 3, evm: a claim that was saved before the disk failed is sent for all that', async () => {
  const { scene, chain, effect } = await locked();
  scene.store.transactions.sent = () => {
    throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  };
  scene.open([effect]);
  await until(() => chain.pool.size === 1);
});

it('fault 165, evm: a claim that was sent from memory before the process died is waited for', async () => {
  const { scene, chain, lock, effect } = await locked();
  const port = chain.port(secret);
  const call = claimCall(scene.contracts, lock, preimage);
  await port.broadcast(port.sign({ ...call, nonce: 0, gas: 200_000n, fees }).bytes);
  const id = scene.open([effect]);
  await aWhile(600);
  expect([scene.heard(id, 'evm.prepared'), chain.pool.size]).toEqual([[], 1]);
  chain.mine();
  await aWhile(1_200);
  expect([scene.heard(id, 'evm.prepared'), minedOf(chain), chain.pool.size]).toEqual([[], 1, 0]);
});

it.each([
  ['waits for its block', false],
  ['is mined', true],
])('fault 182, evm: a claim from memory that %s is that of the process that died', async (_, isMined) => {
  const on = await unsaved();
  const { chain, effect } = on;
  const { folder } = on.scene;
  await on.scene.stop();
  if (isMined) chain.mine();
  const scene = await evmScene({ chain, folder });
  const id = scene.open([effect]);
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
  const timer = setInterval(() => chain.mine(), 25);
  await until(() => scene.store.nonces.open(network).length === 0).finally(() => clearInterval(timer));
  const { sent, own, gas } = ownOf({ ...on, scene });
  expect({ sent, ok: own.map((one) => one?.ok) }).toEqual({ sent: 1, ok: [true] });
  expect(gas).toEqual([['gas-paid', -(own[0]?.cost ?? 0n)]]);
  expect(scene.store.spareClaims.all()).toEqual([]);
});

it('fault 182, evm: a claim from memory is no act of another copy of the folder, another transaction is', async () => {
  const on = await locked();
  const { chain } = on;
  const { folder } = on.scene;
  const port = chain.port(secret);
  const pay = { to: client, value: 1n, data: new Uint8Array() };
  const shownBy = async (scene: EvmScene) => (await unknownActs(scene.runtime)).map((act) => act.shown);
  chain.give(chain.token, ours, 5n);
  on.scene.open([on.scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })]);
  await until(() => chain.pool.size === 1);
  chain.mine();
  diskFails(on);
  await until(() => chain.pool.size === 1);
  await on.scene.stop();
  chain.mine();
  const scene = await evmScene({ chain, folder });
  const own = await shownBy(scene);
  await port.broadcast(port.sign({ ...pay, nonce: 2, gas: 21_000n, fees }).bytes);
  chain.mine();
  expect([own, await shownBy(scene)]).toEqual([[], [`the node's account on ${network} made its transaction 2`]]);
});

it('fault 165, evm: a stuck transaction of our account that no row names holds no claim up for long', async () => {
  const { scene, chain, effect } = await locked();
  const port = chain.port(secret);
  const call = { to: client, value: 1n, data: new Uint8Array() };
  await port.broadcast(port.sign({ ...call, nonce: 0, gas: 21_000n, fees }).bytes);
  const now = chain.blocks.at(-1)?.time ?? 0;
  const soon = scene.effectOf(effect.act, { deadline: unix(now + 1_000) });
  const id = scene.open([soon]);
  await aWhile(300);
  expect(scene.heard(id, 'evm.prepared')).toEqual([]);
  chain.setTime(now + 900);
  chain.mine(1, () => false);
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
});

it('fault 165, evm: a claim from memory whose nonce one RPC names alone is signed once if it is right', async () => {
  const { scene, chain, effect } = await locked((honest) => ({
    nonces: async () => ({ ...(await honest.nonces()), alone: true }),
  }));
  const claim = memoryClaim(scene);
  for (let i = 0; i < 3; i++) await claimFromMemory(effect, claim);
  expect(chain.pool.size).toBe(1);
});

it('fault 165, evm: a claim from memory that is mined is not made again for an RPC that is behind', async () => {
  const behind: { of: Uint8Array | null } = { of: null };
  const { scene, chain, effect } = await locked((honest) => ({
    isActive: async (...lock) => behind.of !== null || (await honest.isActive(...lock)),
    simulate: async (call) => (behind.of === null ? honest.simulate(call) : { is: 'passes', gas: 90_000n }),
    // In the words of a real node for what it has mined.
    broadcast: async (bytes) => (bytes === behind.of ? { is: 'nonce-used' } : honest.broadcast(bytes)),
  }));
  const claim = memoryClaim(scene);
  await claimFromMemory(effect, claim);
  behind.of = claim.half;
  chain.mine();
  for (let i = 0; i < 3; i++) await claimFromMemory(effect, claim);
  expect(chain.pool.size).toBe(0);
  behind.of = null;
  expect(await claimFromMemory(effect, claim)).toBe(true);
});

it('fault 165, evm: a claim that its queue sends already is not made from memory as well', async () => {
  const { scene, chain, effect } = await locked();
  scene.open([effect]);
  await until(() => chain.pool.size === 1);
  await claimFromMemory(effect, memoryClaim(scene));
  expect(chain.pool.size).toBe(1);
});

it('fault 165, evm: a claim is not saved beside one that went out from memory meanwhile', async () => {
  const meanwhile: { act: (() => Promise<void>) | null } = { act: null };
  const on = await locked((honest) => ({
    async nonces() {
      const { act } = meanwhile;
      meanwhile.act = null;
      await act?.();
      return honest.nonces();
    },
    simulate: (call) =>
      on.chain.pool.size > 0 ? Promise.resolve({ is: 'passes', gas: 90_000n }) : honest.simulate(call),
  }));
  const { scene, chain, effect } = on;
  meanwhile.act = async () => {
    diskFails(on);
    await until(() => chain.pool.size === 1);
  };
  const id = scene.open([effect]);
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
  expect([chain.pool.size, scene.store.nonces.open(network).length]).toEqual([1, 1]);
});

describe.each([
  ['a base fee', false],
  ['one price', true],
])('on a chain of %s', (_, legacy) => {
  it('fault 285, evm: a claim from memory is mined once gas costs ten times as much, and once', async () => {
    const { scene, chain, lock } = await locked(() => ({}), legacy);
    const effect = scene.effectOf({ is: 'claim', lock }, { value: sats(10_000_000) });
    const claim = memoryClaim(scene);
    chain.setBaseFee(10n * gwei);
    await claimFromMemory(effect, claim);
    chain.setBaseFee(100n * gwei);
    await claimFromMemory(effect, claim);
    expect(chain.pool.size).toBe(1);
    chain.mine();
    expect([minedOf(chain), chain.pool.size, await claimFromMemory(effect, claim)]).toEqual([1, 0, true]);
  });

  it('fault 285, evm: what claims from memory may cost together is what the account holds', async () => {
    const { scene, chain, lock } = await locked(() => ({ sureBalance: async () => coin / 100n }), legacy);
    const effect = scene.effectOf({ is: 'claim', lock }, { value: sats(10_000_000) });
    const costs: bigint[] = [];
    for (const swap of ['one', 'another']) {
      const claim = { ...memoryClaim(scene), swap };
      await claimFromMemory(effect, claim);
      const { gas, fees: paid } = readTransaction(claim.half ?? new Uint8Array());
      costs.push(gas * priceOf(paid));
      chain.pool.clear();
    }
    // Half of a hundredth of a coin less the room for raises, and half of what that leaves less the same.
    const round = (wei: bigint) => wei / (coin / 1_000_000n);
    expect(costs.map(round)).toEqual(legacy ? [145n, 145n] : [3_121n, 2_147n]);
  });
});

it('fault 285, evm: a claim from memory is signed anew for tips that rise alone, again and again', async () => {
  const tips = { wanted: gwei };
  const { scene, chain, lock } = await locked(() => ({
    gasFees: async () => ({ is: 'dynamic', most: 100n * gwei, tip: tips.wanted }),
  }));
  const effect = scene.effectOf({ is: 'claim', lock }, { value: sats(10_000_000) });
  const claim = memoryClaim(scene);
  const signed: unknown[] = [];
  for (const tip of [1n, 10n, 10n, 20n, 23n]) {
    tips.wanted = tip * gwei;
    await claimFromMemory(effect, claim);
    const { nonce, fees: paid } = readTransaction(claim.half ?? new Uint8Array());
    signed.push([nonce, paid.is === 'dynamic' && paid.tip / gwei]);
  }
  expect(signed).toEqual([1n, 10n, 10n, 20n, 23n].map((tip) => [0, tip]));
  expect(chain.pool.size).toBe(1);
});

/** Sent from memory and signed anew, each time dearer; the first one is mined. */
async function firstOfMany(on: Locked): Promise<void> {
  const { scene, chain, effect } = on;
  const claim = memoryClaim(scene);
  await claimFromMemory(effect, claim);
  const [first = '', pooled] = [...chain.pool][0] ?? [];
  for (const price of [2n, 4n, 8n, 16n]) {
    chain.setBaseFee(price * gwei);
    await claimFromMemory(effect, claim);
  }
  expect([chain.pool.size, chain.pool.has(first)]).toEqual([1, false]);
  // A miner has the first one alone.
  chain.pool.clear();
  if (pooled !== undefined) chain.pool.set(first, pooled);
  chain.setBaseFee(gwei);
  chain.mine();
}

it.each([
  ['this process', false],
  ['the next one', true],
])('fault 165, evm: of claims from memory with one nonce %s saves the one that is mined', async (_, isNext) => {
  const on = await locked(() => ({}), true);
  const { chain, effect } = on;
  await firstOfMany(on);
  if (isNext) await on.scene.stop();
  const scene = isNext ? await evmScene({ chain, folder: on.scene.folder }) : on.scene;
  const id = scene.open([effect]);
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
  const timer = setInterval(() => chain.mine(), 25);
  await until(() => scene.store.nonces.open(network).length === 0).finally(() => clearInterval(timer));
  const { sent, own, gas } = ownOf({ ...on, scene });
  const mined = own.find((one) => one !== undefined);
  expect({ sent, ok: mined?.ok, gas }).toEqual({ sent: 1, ok: true, gas: [['gas-paid', -(mined?.cost ?? 0n)]] });
});

it('fault 182, evm: of claims from memory with one nonce none is an act of another copy of the folder', async () => {
  const on = await locked(() => ({}), true);
  const { chain, scene } = on;
  chain.give(chain.token, ours, 5n);
  scene.open([scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })]);
  await until(() => chain.pool.size === 1);
  chain.mine();
  await firstOfMany(on);
  await scene.stop();
  const next = await evmScene({ chain, folder: scene.folder });
  expect((await unknownActs(next.runtime)).map((act) => act.shown)).toEqual([]);
});

it('fault 291, evm: a claim from memory that is saved names the lock that it takes', async () => {
  const { scene, lock, effect } = await locked();
  await claimFromMemory(effect, memoryClaim(scene));
  const id = scene.open([effect]);
  expect(await until(() => scene.heard(id, 'evm.prepared')[0])).toMatchObject({ lock: swapKey(lock) });
});

it('fault 291, evm: a claim from memory whose swap has no use for it any more is saved all the same', async () => {
  const meanwhile: { act: (() => void) | null } = { act: null };
  const on = await locked((honest) => ({
    nonces() {
      meanwhile.act?.();
      return honest.nonces();
    },
  }));
  const { scene, chain, effect } = on;
  await claimFromMemory(effect, memoryClaim(scene));
  meanwhile.act = () => {
    meanwhile.act = null;
    scene.runtime.commits.deliver(firstSwap, { is: 'abandoned', reason: 'another lock took its place' });
  };
  const id = scene.open([effect]);
  await until(() => scene.store.nonces.open(network).length === 1);
  const timer = setInterval(() => chain.mine(), 25);
  await until(() => scene.store.nonces.open(network).length === 0).finally(() => clearInterval(timer));
  const { sent, own, gas } = ownOf(on);
  expect([sent, gas, scene.heard(id, 'evm.prepared')]).toEqual([1, [['gas-paid', -(own[0]?.cost ?? 0n)]], []]);
  expect(scene.store.spareClaims.all()).toEqual([]);
});

it.each([
  ['waits', false],
  ['failed', true],
])(
  'fault 291, evm: of a lock that another took the place of, a claim from memory %s and is paid',
  async (_, isMined) => {
    const on = await locked();
    const { scene, chain, lock, effect } = on;
    await claimFromMemory(effect, memoryClaim(scene));
    const claims = new Map(chain.pool);
    chain.pool.clear();
    chain.reorg(1, { drop: true });
    const other = { ...lock, amount: 700n };
    await clientLocks(scene, other);
    for (const [txid, one] of claims) chain.pool.set(txid, one);
    if (isMined) chain.mine();
    const id = scene.open([scene.effectOf({ is: 'claim', lock: other })]);
    const prepared = await until(() => scene.heard(id, 'evm.prepared')[0]);
    const timer = setInterval(() => chain.mine(), 25);
    await until(() => scene.store.nonces.open(network).length === 0).finally(() => clearInterval(timer));
    const { sent, own, gas } = ownOf(on);
    expect([sent, gas.length]).toEqual([2, 2]);
    expect(new Set(own.map((one) => one?.ok))).toEqual(new Set([false, true]));
    expect(new Set(gas)).toEqual(new Set(own.map((one) => ['gas-paid', -(one?.cost ?? 0n)])));
    expect([prepared, scene.heard(id, 'evm.prepared').length]).toMatchObject([{ lock: swapKey(other) }, 1]);
    expect(scene.store.spareClaims.all()).toEqual([]);
  },
);

it.each([
  ['waits', false],
  ['failed', true],
])('fault 310, evm: a claim from memory of a lock that is gone, which %s, holds none up', async (_, isMined) => {
  const on = await unsaved();
  const { scene, chain, lock } = on;
  const claims = new Map(chain.pool);
  chain.pool.clear();
  chain.reorg(1, { drop: true });
  const other = { ...lock, amount: 700n };
  await clientLocks(scene, other);
  for (const [txid, one] of claims) chain.pool.set(txid, one);
  if (isMined) chain.mine();
  diskFails({ scene, effect: scene.effectOf({ is: 'claim', lock: other }) }, 'the other lock');
  const port = chain.port(clientSecret);
  const timer = setInterval(() => {
    diskFails({ scene, effect: scene.effectOf({ is: 'claim', lock: other }) }, 'the other lock');
    chain.mine();
  }, 100);
  await expect
    .poll(() => port.isActive(chain.htlc, other, { agreed: true }))
    .toBe(false)
    .finally(() => clearInterval(timer));
  expect(minedOf(chain)).toBe(isMined ? 2 : 1);
});

it('fault 305, evm: where the dearer claim from memory is refused, the one before it is sent again', async () => {
  const limit = { most: 1_000n * gwei };
  const { scene, chain, lock } = await locked((honest) => ({
    broadcast: async (bytes) =>
      priceOf(readTransaction(bytes).fees) > limit.most
        ? { is: 'refused', reason: 'insufficient funds for gas' }
        : honest.broadcast(bytes),
  }));
  const effect = scene.effectOf({ is: 'claim', lock }, { value: sats(10_000_000) });
  const claim = memoryClaim(scene);
  chain.setBaseFee(gwei);
  await claimFromMemory(effect, claim);
  const [first] = chain.pool.keys();
  limit.most = priceOf(readTransaction(claim.half ?? new Uint8Array()).fees);
  chain.pool.clear();
  chain.setBaseFee(10_000n * gwei);
  await claimFromMemory(effect, claim);
  expect([...chain.pool.keys()]).toEqual([first]);
});

it('fault 86, evm: a claim from memory at a nonce that one RPC alone names is saved at none', async () => {
  const lie: { alone: number | null } = { alone: 1_000_000 };
  const on = await locked((honest) => ({
    nonces: async () =>
      lie.alone === null ? honest.nonces() : { mined: lie.alone, pending: lie.alone, alone: true as const },
  }));
  const { scene, chain, effect } = on;
  diskFails(on);
  await until(() => chain.pool.size === 1);
  const id = scene.open([effect]);
  await aWhile(600);
  expect([scene.heard(id, 'evm.prepared'), scene.store.nonces.open(network)]).toEqual([[], []]);
  lie.alone = null;
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
  chain.mine();
  expect(minedOf(chain)).toBe(1);
});

it('fault 200, evm: a claim that its node dropped is sent again while another one cannot be saved', async () => {
  const { scene, chain, effect } = await locked();
  chain.give(chain.token, ours, 5n);
  scene.open([scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })]);
  await until(() => chain.pool.size === 1);
  const [paid] = chain.pool.keys();
  scene.open([effect]);
  await until(() => chain.pool.size === 2);
  const [claim = ''] = [...chain.pool.keys()].filter((txid) => txid !== paid);
  await until(() => scene.store.transactions.byId(claim)?.state === 'accepted');
  scene.store.atomically = () => {
    throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  };
  chain.pool.delete(claim);
  chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 60);
  chain.mine();
  await until(() => chain.pool.has(claim));
  expect(chain.pool.size).toBe(1);
});
