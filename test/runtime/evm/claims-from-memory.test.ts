import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import type { RunningCore } from '../../../engine/runtime/core.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { client, clientSecret, evmScene, network, ours, preimage, until } from './scene.ts';

const coin = 10n ** 18n;
const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;

/** Of the scene's first swap. */
const first = 'a0000000-0000-4000-8000-000000000011';

/** The client's lock for us is on the chain; what the swap made of its secret could not be saved. */
async function unsaved() {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n * coin);
  chain.give(null, client, coin);
  chain.give(chain.token, client, 1_000_000n);
  const scene = await evmScene({ chain });
  const lock = scene.lock({ refundAddress: client, claimAddress: ours });
  const port = chain.port(clientSecret);
  for (const [nonce, call] of [approveCall(chain.token, chain.htlc, 1_000n), lockCall(scene.contracts, lock)].entries())
    await port.broadcast(port.sign({ ...call, nonce, gas: 200_000n, fees }).bytes);
  chain.mine();
  const effect = scene.effectOf({ is: 'claim', lock });
  const step = { progress: {}, effects: [effect], learned: preimage };
  const { saveFailures } = scene.runtime as unknown as RunningCore;
  saveFailures.tell({
    cause: new Error('the disk is full'),
    what: { swap: first, key: 'the secret', retry: () => undefined, step },
  });
  await until(() => chain.pool.size === 1);
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  return { scene, chain, effect };
}

/** What our account sent, as the chain has it. */
function ownOf({ chain, scene }: Awaited<ReturnType<typeof unsaved>>) {
  const { state, receipts } = chain.replay();
  const gas = scene.store.ledger.of(first).map(({ kind, amount }) => [kind, amount]);
  const own = scene.store.transactions.of(first).map(({ txid }) => receipts.get(txid));
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
    expect(id).toBe(first);
    await until(() => scene.heard(id, 'evm.prepared').length === 1);
    const timer = setInterval(() => chain.mine(), 25);
    await until(() => scene.store.nonces.open(network).length === 0).finally(() => clearInterval(timer));
    const { sent, own, gas } = ownOf(on);
    expect({ sent, ok: own.map((one) => one?.ok) }).toEqual({ sent: 1, ok: [true] });
    expect(gas).toEqual([['gas-paid', -(own[0]?.cost ?? 0n)]]);
  },
);

it('fault 3, evm: whatever news could not be saved, a swap is claimed from memory by one transaction', async () => {
  const { scene, chain, effect } = await unsaved();
  const { saveFailures } = scene.runtime as unknown as RunningCore;
  const step = { progress: {}, effects: [effect], learned: preimage };
  saveFailures.tell({
    cause: new Error('the disk is full'),
    what: { swap: first, key: 'the same secret, by another look', retry: () => undefined, step },
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(chain.pool.size).toBe(1);
});
