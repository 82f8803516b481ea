import { describe, expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';
import { asPreimage } from '../../../engine/domain/hash.ts';
import type { AllowancePolicy } from '../../../engine/runtime/networks/evm/rules.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import { aWhile, evmScene, network, ours, until, type EvmScene, type SceneOptions } from './scene.ts';

const coin = 10n ** 18n;
/** Units of the largest swap. */
const largest = 1_000n;
const subject = `account:${network}`;

function richChain(options: Parameters<typeof createEvmChain>[1] = {}): EvmChain {
  const chain = createEvmChain(network, options);
  chain.setBaseFee(10n ** 7n); // An approval ahead may cost little.
  chain.give(null, ours, 10n * coin);
  chain.give(chain.token, ours, 1_000_000n);
  return chain;
}

function standingOn({ htlc, token }: EvmChain, change: Partial<AllowancePolicy> = {}): AllowancePolicy {
  const contracts = {
    kind: 'erc20',
    htlc,
    coordinator: asEvmAddress(new Uint8Array(20).fill(0xc3)),
    htlcVersion: '4',
    coordinatorVersion: '3',
  } as const;
  return { contracts, token, largest, ...change };
}

function scenes(chain: EvmChain, options: SceneOptions = {}): Promise<EvmScene> {
  return evmScene({ chain, ...options, rules: { standing: standingOn(chain), ...options.rules } });
}

function allowance(chain: EvmChain, spender = chain.htlc): bigint {
  return chain.replay().state.allowances.get(`${toHex(ours)} ${toHex(spender)}`) ?? 0n;
}

/** Mines whenever something waits, until the test is satisfied; answers every allowance that there was. */
async function mining(chain: EvmChain, test: () => boolean): Promise<Set<bigint>> {
  const allowances = new Set<bigint>();
  const timer = setInterval(() => {
    chain.mine();
    allowances.add(allowance(chain));
  }, 25);
  try {
    await until(test);
  } finally {
    clearInterval(timer);
  }
  return allowances;
}

function approvals({ store }: EvmScene): number {
  return store.transactions.of(subject).filter(({ purpose }) => purpose === 'approve').length;
}

function lockOf(scene: EvmScene, i: number, amount = largest) {
  return scene.lock({ preimageHash: sha256Of(asPreimage(new Uint8Array(32).fill(i + 1))), amount });
}

function isOver({ store }: EvmScene): boolean {
  return store.nonces.open(network).length === 0;
}

describe('an allowance ahead of locks', () => {
  it('is there before the first of them, for two of the largest swaps', async () => {
    const chain = richChain();
    const scene = await scenes(chain);
    await mining(chain, () => allowance(chain) > 0n && isOver(scene));
    expect([allowance(chain), approvals(scene)]).toEqual([2n * largest, 1]);
  });

  it('lets a lock be signed and sent before any block', async () => {
    const chain = richChain();
    const scene = await scenes(chain);
    await mining(chain, () => allowance(chain) > 0n && isOver(scene));
    const height = chain.blocks.length;
    const id = scene.open([scene.effectOf({ is: 'lock', lock: lockOf(scene, 0) })]);
    await until(() => chain.pool.size === 1);
    expect([chain.blocks.length, scene.heard(id, 'evm.prepared').length]).toEqual([height, 1]);
    expect(scene.store.transactions.of(id).map(({ purpose }) => purpose)).toEqual(['lock']);
  });

  it('is topped up as it is used, and is never for more than three of the largest beside what waits', async () => {
    const chain = richChain();
    const scene = await scenes(chain);
    await mining(chain, () => allowance(chain) > 0n && isOver(scene));
    const ids: string[] = [];
    const allowances = new Set<bigint>();
    for (let i = 0; i < 5; i++) {
      ids.push(scene.open([scene.effectOf({ is: 'lock', lock: lockOf(scene, i, 900n) })]));
      for (const one of await mining(
        chain,
        () => scene.heard(ids[i] ?? '', 'evm.prepared').length === 1 && isOver(scene),
      ))
        allowances.add(one);
    }
    expect([...chain.replay().state.locks.values()].map(({ state }) => state)).toEqual([1, 1, 1, 1, 1]);
    expect([...chain.replay().receipts.values()].every(({ ok }) => ok)).toBe(true);
    expect([...allowances].every((one) => one <= 3n * largest)).toBe(true);
    for (const id of ids) expect(scene.store.transactions.of(id).map(({ purpose }) => purpose)).toContain('lock');
  });

  it('is enough for many locks at once, none of which reverts', async () => {
    const chain = richChain();
    const scene = await scenes(chain);
    const ids = Array.from({ length: 20 }, (_, i) =>
      scene.open([scene.effectOf({ is: 'lock', lock: lockOf(scene, i) })]),
    );
    await mining(chain, () => ids.every((id) => scene.heard(id, 'evm.prepared').length === 1) && isOver(scene));
    const { state, receipts } = chain.replay();
    expect([state.locks.size, [...receipts.values()].every(({ ok }) => ok)]).toEqual([20, true]);
  });

  it('goes through zero where the token changes none but zero', async () => {
    const chain = richChain({ approvesFromZeroAlone: true });
    const scene = await scenes(chain);
    await mining(chain, () => allowance(chain) > 0n && isOver(scene));
    const ids = Array.from({ length: 6 }, (_, i) =>
      scene.open([scene.effectOf({ is: 'lock', lock: lockOf(scene, i) })]),
    );
    await mining(chain, () => ids.every((id) => scene.heard(id, 'evm.prepared').length === 1) && isOver(scene));
    const { state, receipts } = chain.replay();
    expect([state.locks.size, [...receipts.values()].every(({ ok }) => ok)]).toEqual([6, true]);
  });

  it('is taken back from an HTLC that new swaps do not use any more', async () => {
    const chain = richChain();
    const first = await scenes(chain);
    await mining(chain, () => allowance(chain) > 0n && isOver(first));
    await first.stop();
    const other = asEvmAddress(new Uint8Array(20).fill(0xd1));
    const standing = standingOn(chain);
    const next = await scenes(chain, {
      folder: first.folder,
      rules: { standing: { ...standing, contracts: { ...standing.contracts, htlc: other } } },
    });
    await mining(chain, () => allowance(chain) === 0n && allowance(chain, other) > 0n && isOver(next));
    expect(allowance(chain, other)).toBe(2n * largest);
  });

  it('stays with a former HTLC as long as a lock of it waits', async () => {
    const chain = richChain();
    const first = await scenes(chain);
    await mining(chain, () => allowance(chain) > 0n && isOver(first));
    const id = first.open([first.effectOf({ is: 'lock', lock: lockOf(first, 0) })]);
    await until(() => first.heard(id, 'evm.prepared').length === 1);
    await first.stop();
    const next = await scenes(chain, { folder: first.folder, rules: { standing: standingOn(chain, { token: ours }) } });
    await aWhile();
    expect(next.store.nonces.open(network).map(({ purpose }) => purpose)).toEqual(['lock']);
    await mining(chain, () => isOver(next) && allowance(chain) === 0n);
    expect([...chain.replay().state.locks.values()].map(({ state }) => state)).toEqual([1]);
  });

  it('is approved once, though the node ends between signing and sending', async () => {
    const chain = richChain();
    const first = await scenes(chain, {
      lying: () => ({ broadcast: () => Promise.reject(evmFailure('evm-away', 'ask-first', 'nobody answers')) }),
    });
    await until(() => approvals(first) === 1);
    const [row] = first.store.nonces.open(network);
    await first.stop();
    const next = await scenes(chain, { folder: first.folder });
    await mining(chain, () => allowance(chain) > 0n && isOver(next));
    expect([approvals(next), row?.nonce, chain.replay().receipts.size]).toEqual([1, 0, 1]);
  });

  it('is not for code that is not ours', async () => {
    const chain = richChain();
    const scene = await scenes(chain, { lying: () => ({ isOurs: async () => false }) });
    await until(() => scene.lines.some((line) => line.includes('not of our code')));
    expect([approvals(scene), chain.pool.size]).toEqual([0, 0]);
  });

  it('is not approved again and again for an RPC that says it is used up', async () => {
    const chain = richChain();
    const lying = () => ({ allowance: async () => 0n });
    const first = await scenes(chain, { lying });
    await mining(chain, () => allowance(chain) > 0n && isOver(first));
    await first.stop();
    const next = await scenes(chain, { folder: first.folder, lying });
    await mining(chain, () => next.runtime.clock.now()[network] !== undefined);
    await aWhile();
    expect(approvals(next)).toBe(1);
  });

  it('is not given by an account that holds none of the token', async () => {
    const chain = createEvmChain(network);
    chain.give(null, ours, coin);
    const scene = await scenes(chain);
    await aWhile();
    expect(approvals(scene)).toBe(0);
  });
});
