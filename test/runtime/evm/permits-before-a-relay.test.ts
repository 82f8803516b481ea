import { expect, it } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import type { Permit } from '../../../engine/legs/evm/acts.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, evmScene, network, ours, secret, until, type EvmScene, type SceneOptions } from './scene.ts';

const signature = new Uint8Array(65).fill(1);

/** A client's funding that a permit of its token to Permit2 has to come before. */
async function relayScene(allowed: { amount: bigint }, options: SceneOptions = {}) {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n ** 21n);
  const scene = await evmScene({
    ...options,
    chain,
    lying: () => ({
      simulate: async () => ({ is: 'passes', gas: 60_000n }),
      allowance: async () => allowed.amount,
    }),
  });
  const permit: Permit = {
    depositor: client,
    token: chain.token,
    amount: 1_000n,
    nonce: 1n,
    deadline: 2_000_000_000n,
    signature,
    tokenPermit: { value: 1_000n, deadline: 2_000_000_000n, signature },
  };
  const { amount: _, ...lock } = scene.lock({ claimAddress: ours, refundAddress: scene.contracts.coordinator });
  const act = { is: 'relay-fund', lock, permit, calls: [] } as const;
  const id = scene.open([scene.effectOf(act, { value: sats(10_000_000) })]);
  return { scene, chain, id };
}

const permitsOf = ({ store }: EvmScene, id: string): string[] =>
  store.transactions.of(id).flatMap(({ purpose, txid }) => (purpose === 'permit' ? [txid] : []));

/** A transaction of our account that no row names, at a price that takes the place of what waits there. */
async function unnamed(chain: EvmChain, nonce: number): Promise<void> {
  const port = chain.port(secret);
  const call = { to: client, value: 1n, data: new Uint8Array(), nonce, gas: 21_000n };
  const { bytes } = port.sign({ ...call, fees: { is: 'dynamic', most: 10n ** 12n, tip: 10n ** 11n } });
  expect(await port.broadcast(bytes)).toEqual({ is: 'accepted' });
}

it('fault 188, evm: a permit whose nonce another transaction used is signed anew, and the relay sent', async () => {
  const allowed = { amount: 0n };
  const { scene, chain, id } = await relayScene(allowed);
  const [first = ''] = await until(() => (permitsOf(scene, id).length > 0 ? permitsOf(scene, id) : null));
  await until(() => chain.pool.has(first));
  await unnamed(chain, 0);
  while (scene.store.nonces.ofTransaction(first)?.state !== 'gone') {
    chain.mine();
    await aWhile(30);
  }
  const [, second = ''] = await until(() => (permitsOf(scene, id).length > 1 ? permitsOf(scene, id) : null));
  await until(() => chain.pool.has(second));
  // The chain of the test knows no permit: it has it from here on.
  allowed.amount = 1_000n;
  await until(() => scene.heard(id, 'evm.prepared')[0]);
  expect([
    scene.store.nonces.ofTransaction(second)?.nonce,
    permitsOf(scene, id).length,
    scene.heard(id, 'evm.refused'),
  ]).toEqual([1, 2, []]);
});

it('fault 188, evm: a permit that made way for what waited behind it is signed anew', async () => {
  const { scene, id } = await relayScene({ amount: 0n });
  const [first = ''] = await until(() => (permitsOf(scene, id).length > 0 ? permitsOf(scene, id) : null));
  const { store } = scene;
  const nonce = store.nonces.ofTransaction(first);
  if (nonce === null) throw new Error('the permit has no nonce');
  const by = 'cc'.repeat(32);
  const asset = `0x${'0'.repeat(40)}` as const;
  const cancel = { txid: by, network, asset, subject: id, leg: 'evm', purpose: 'cancel', inputs: [], nonce } as const;
  store.atomically(() => {
    store.transactions.insert({ ...cancel, bytes: new Uint8Array(), replaces: first }, 1);
    store.nonces.mined(nonce, { by, ok: true, height: 1, cost: 0n, moved: {} });
    store.nonces.close(nonce, 'settled');
  });
  await until(() => permitsOf(scene, id).length > 1);
  expect(scene.heard(id, 'evm.refused')).toEqual([]);
});

it('a permit before a relay is sent at once, and not at the next look at the account', async () => {
  const { scene, chain, id } = await relayScene({ amount: 0n }, { pollMs: 600_000 });
  const [first = ''] = await until(() => (permitsOf(scene, id).length > 0 ? permitsOf(scene, id) : null));
  await until(() => chain.pool.has(first));
  expect(scene.store.transactions.byId(first)?.state).toBe('accepted');
});
