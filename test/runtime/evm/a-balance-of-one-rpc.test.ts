import { expect, it } from 'vitest';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { sats } from '../../../engine/domain/money.ts';
import { notClaimableAlone } from '../../../engine/runtime/networks/evm/own-claim.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { anyGas } from '../support.ts';
import { aWhile, evmScene, network, ours, until } from './scene.ts';

/* What our account holds, and what it approved, by the word of one RPC of two. */

function richChain() {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n ** 18n);
  chain.give(chain.token, ours, 1_000n);
  return chain;
}

const gasToCome = { beside: () => 0n, add: () => undefined };

/** The first of two RPCs says of any token that we hold and approved none; whoever needs more has the word of both. */
const firstLies = (honest: EvmPort): Partial<EvmPort> => ({
  balance: async (token, of, least = 0n) =>
    least > 0n || token.every((byte) => byte === 0) ? honest.balance(token, of) : 0n,
  allowance: async (token, owner, spender, least = 0n) => (least > 0n ? honest.allowance(token, owner, spender) : 0n),
});

it('fault 258, evm: a lock is made while one RPC says that we hold and approved nothing', async () => {
  const scene = await evmScene({ chain: richChain(), lying: firstLies });
  const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() })]);
  const timer = setInterval(() => scene.chain.mine(), 25);
  try {
    await until(() => scene.heard(id, 'evm.prepared').length === 1 || scene.heard(id, 'evm.refused').length === 1);
  } finally {
    clearInterval(timer);
  }
  expect(scene.events(id).map(({ is }) => is)).toContain('evm.prepared');
  expect(scene.store.transactions.of(id).map(({ purpose }) => purpose)).toEqual(['approve', 'lock']);
});

it('fault 283, evm: a lock is signed while one RPC of two says that we hold no coin', async () => {
  const scene = await evmScene({
    chain: richChain(),
    lying: (honest) => ({
      balance: async (token, of, least = 0n) => (least > 0n ? honest.balance(token, of) : 0n),
      allowance: async () => 1_000n,
      simulate: async () => ({ is: 'passes', gas: 110_000n }),
    }),
  });
  const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() })]);
  await until(() => scene.events(id).length > 0 || scene.store.effects.of(id).some(({ attempts }) => attempts > 0));
  expect(scene.events(id).map(({ is }) => is)).toEqual(['evm.prepared']);
});

it('fault 283, evm: no secret is shown while too few RPCs say that we hold the gas of its claim', async () => {
  const port = {
    account: () => ours,
    gasFees: async () => ({ is: 'legacy', price: 10n ** 9n }) as const,
  };
  const account = { network, swap: 'a', value: sats(100_000_000), rules: anyGas(network), gasToCome };
  const why = (held: bigint) => notClaimableAlone({ ...port, sureBalance: async () => held }, account);
  // Twice 180,000 units.
  expect([await why(10n ** 9n * 360_000n), await why(10n ** 9n * 360_000n - 1n)]).toEqual([
    null,
    expect.stringMatching(/lacks 1 wei/),
  ]);
});

it('fault 258, evm: a lock waits while the other RPC is silent, and is refused once both say the same', async () => {
  let failure: string | null = 'it cannot be asked';
  const rpc = (name: string, why: string | null) => ({ name, own: false, failure: why });
  const scene = await evmScene({
    chain: richChain(),
    lying: () => ({ balance: async () => 0n, rpcs: () => [rpc('one', null), rpc('other', failure)] }),
  });
  const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() })]);
  await until(() => scene.events(id).length > 0 || scene.store.effects.of(id).some(({ attempts }) => attempts > 0));
  await aWhile(300);
  expect(scene.events(id)).toEqual([]);
  failure = null;
  await scene.runtime.wake();
  await until(() => scene.heard(id, 'evm.refused').length === 1);
});
