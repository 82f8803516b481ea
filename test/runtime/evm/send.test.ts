import { describe, expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { lockCall } from '../../../engine/legs/evm/calls.ts';
import { unix } from '../../../engine/domain/time.ts';
import { claimFromMemory } from '../../../engine/runtime/networks/evm/from-memory.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, clientSecret, evmScene, hash, memoryClaim, network, ours, preimage, until } from './scene.ts';

const coin = 10n ** 18n;

function richChain() {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n * coin);
  chain.give(chain.token, ours, 1_000_000n);
  chain.give(null, client, coin);
  chain.give(chain.token, client, 1_000_000n);
  return chain;
}

/** Mines a block whenever something waits, until the test is satisfied. */
async function mining<T>(scene: Awaited<ReturnType<typeof evmScene>>, test: () => T | undefined | false): Promise<T> {
  const timer = setInterval(() => scene.chain.mine(), 25);
  try {
    return await until(test);
  } finally {
    clearInterval(timer);
  }
}

describe('a lock', () => {
  it('is approved for its amount alone, mined after it, and brought to its end by the queue', async () => {
    const scene = await evmScene({ chain: richChain() });
    const lock = scene.lock();
    const id = scene.open([scene.effectOf({ is: 'lock', lock })]);
    const allowed = new Set<bigint>();
    await mining(scene, () => {
      for (const amount of scene.chain.replay().state.allowances.values()) allowed.add(amount);
      return scene.store.nonces.open(network).length === 0 && scene.heard(id, 'evm.prepared').length === 1;
    });
    const { state, receipts } = scene.chain.replay();
    expect([...allowed].sort()).toEqual([0n, 1_000n]);
    expect([...state.locks.values()].map(({ state: is }) => is)).toEqual([1]);
    expect([...receipts.values()].map(({ ok }) => ok)).toEqual([true, true]);
    expect(scene.store.transactions.of(id).map(({ purpose, state: is }) => [purpose, is])).toEqual([
      ['approve', 'final'],
      ['lock', 'final'],
    ]);
    const paid = [...receipts.values()].map(({ cost }) => -cost);
    expect(scene.store.ledger.of(id).map(({ kind, amount }) => [kind, amount])).toEqual(
      paid.map((amount) => ['gas-paid', amount]),
    );
  });

  it('that stands already is not made again', async () => {
    const chain = richChain();
    const scene = await evmScene({ chain });
    const lock = scene.lock();
    const first = scene.open([scene.effectOf({ is: 'lock', lock })]);
    await mining(
      scene,
      () => scene.heard(first, 'evm.prepared').length === 1 && scene.store.nonces.open(network).length === 0,
    );
    const second = scene.open([scene.effectOf({ is: 'lock', lock })]);
    await mining(scene, () => scene.heard(second, 'evm.already-done').length === 1);
    expect(scene.store.transactions.of(second).filter(({ purpose }) => purpose === 'lock')).toEqual([]);
  });

  it('fault 44, evm: that the account cannot pay is refused with what is missing', async () => {
    const chain = createEvmChain(network);
    chain.give(null, ours, coin);
    const scene = await evmScene({ chain });
    const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() })]);
    const [refusal] = await until(() => scene.heard(id, 'evm.refused').length > 0 && scene.heard(id, 'evm.refused'));
    expect(refusal).toMatchObject({
      purpose: 'lock',
      reason: expect.stringMatching(/holds 0 units .* 1000 are needed/),
    });
  });

  it('too late by the chain is refused before anything is asked', async () => {
    const scene = await evmScene({ chain: richChain() });
    await until(() => scene.runtime.clock.now()[network] !== undefined);
    const past = (scene.runtime.clock.now()[network]?.mtp ?? 0) - 1;
    const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() }, { deadline: past as never })]);
    await until(() => scene.heard(id, 'evm.refused').length === 1);
    expect(scene.chain.pool.size).toBe(0);
  });
});

describe('a chain that does not tell its clock', () => {
  it('keeps no node from starting, and nothing with a deadline begins on it', async () => {
    let tell: (value: unknown) => void = () => undefined;
    const gate = new Promise((resolve) => (tell = resolve));
    const chain = richChain();
    const scene = await evmScene({ chain, lying: (honest) => ({ tip: () => gate.then(() => honest.tip()) }) });
    const deadline = ((chain.blocks.at(-1)?.time ?? 0) + 3_600) as never;
    const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() }, { deadline })]);
    await aWhile();
    expect([scene.store.transactions.of(id), scene.events(id)]).toEqual([[], []]);
    tell(null);
    await mining(scene, () => scene.heard(id, 'evm.prepared').length === 1);
  });
});

describe('many at once', () => {
  it('share no nonce and leave none out', async () => {
    const chain = richChain();
    const scene = await evmScene({ chain });
    const ids = Array.from({ length: 30 }, (_, i) =>
      scene.open([scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: BigInt(i + 1) })]),
    );
    await mining(scene, () => ids.every((id) => scene.heard(id, 'evm.prepared').length === 1));
    await mining(scene, () => scene.store.nonces.open(network).length === 0);
    const { state, receipts } = chain.replay();
    expect([state.nonces.get(toHex(ours)), receipts.size]).toEqual([30, 30]);
    expect(state.balances.get(`${toHex(chain.token)} ${toHex(client)}`)).toBe(1_000_000n + 465n);
  });
});

describe('a claim', () => {
  /** The client's lock for us, on the chain. */
  async function funded(chain = richChain()) {
    const scene = await evmScene({ chain });
    const lock = scene.lock({ refundAddress: client, claimAddress: ours });
    const port = chain.port(clientSecret);
    const send = async (call: Parameters<typeof port.simulate>[0], nonce: number) => {
      const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;
      expect(await port.broadcast(port.sign({ ...call, nonce, gas: 200_000n, fees }).bytes)).toEqual({
        is: 'accepted',
      });
    };
    const { approveCall } = await import('../../../engine/legs/evm/calls.ts');
    await send(approveCall(chain.token, chain.htlc, 1_000n), 0);
    await send(lockCall(scene.contracts, lock), 1);
    chain.mine();
    scene.store.preimages.keep((await import('../../../engine/legs/secret.ts')).hash160Of(preimage), preimage, 1);
    return { scene, lock, chain };
  }

  it('takes the lock, and its fate is heard until it is buried', async () => {
    const { scene, lock } = await funded();
    const watch = {
      on: 'evm-lock',
      network,
      htlc: scene.chain.htlc,
      hash,
      wanted: { are: 'one', key: swapKey(lock) },
      since: 0,
    } as const;
    const id = scene.open([scene.effectOf({ is: 'claim', lock })], [watch]);
    const redeemed = await mining(scene, () =>
      scene
        .heard(id, 'evm.seen')
        .flatMap((event) => (event.is === 'evm.seen' ? event.locks : []))
        .find(({ state }) => state.is === 'redeemed' && state.confirmations >= 3),
    );
    expect(redeemed).toMatchObject({ terms: lock, state: { is: 'redeemed', preimage } });
  });

  it('is made from memory where no disk can take it, once and with the same bytes', async () => {
    const { scene, lock, chain } = await funded();
    const claim = memoryClaim(scene);
    const effect = scene.effectOf({ is: 'claim', lock });
    expect(await claimFromMemory(effect, claim)).toBe(false);
    const bytes = claim.half;
    expect(await claimFromMemory(effect, claim)).toBe(false);
    expect([chain.pool.size, claim.half]).toEqual([1, bytes]);
    chain.mine();
    expect(await claimFromMemory(effect, claim)).toBe(true);
    expect(await claimFromMemory(scene.effectOf({ is: 'refund', lock }), { ...claim, half: null })).toBe(false);
  });

  it('fault 59, evm: made from memory costs no more than what it claims, whatever gas is said to cost', async () => {
    const { scene, lock, chain } = await funded();
    chain.setBaseFee(10n ** 13n);
    const claim = memoryClaim(scene);
    expect(await claimFromMemory(scene.effectOf({ is: 'claim', lock }, { deadline: unix(1) }), claim)).toBe(false);
    const [one] = chain.pool.values();
    expect((one?.most ?? 0n) * (one?.gas ?? 0n)).toBeLessThanOrEqual(10n ** 16n);
    expect((one?.most ?? 0n) * (one?.gas ?? 0n)).toBeGreaterThan(9n * 10n ** 15n);
  });

  it('fault 30, evm: at fifty times the price waits, and goes out in its last quarter at its ceiling', async () => {
    const { scene, lock, chain } = await funded();
    const now = chain.blocks.at(-1)?.time ?? 0;
    chain.setBaseFee(10n ** 15n);
    const id = scene.open([
      scene.effectOf({ is: 'claim', lock }, { deadline: (now + 1_000) as never, value: sats(1_000_000) }),
    ]);
    await aWhile(400);
    expect(scene.heard(id, 'evm.prepared')).toEqual([]);
    chain.setTime(now + 900);
    chain.mine();
    await until(() => scene.heard(id, 'evm.prepared').length === 1 && scene.chain.pool.size === 1);
    const [one] = chain.pool.values();
    // A hundredth of a bitcoin in wei, all of it, over the gas that it may use.
    expect((one?.most ?? 0n) * (one?.gas ?? 0n)).toBeLessThanOrEqual(10n ** 16n);
    expect((one?.most ?? 0n) * (one?.gas ?? 0n)).toBeGreaterThan(9n * 10n ** 15n);
  });
});
