import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sameBytes } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { approveCall } from '../../../engine/legs/evm/calls.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import type { Outlay } from '../../../engine/store/outlays.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, evmScene, network, ours, preimage, secret, until } from './scene.ts';

const coin = 10n ** 18n;
const gwei = 10n ** 9n;

/** A client's relay waits with much gas, signed while a unit cost a gwei, and costs are noted in the order of notes. */
async function relayScene(mostRelays = 100) {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n * coin);
  chain.give(chain.token, ours, 10n ** 9n);
  const port = chain.port(secret);
  const fees = { is: 'dynamic', most: 100n * gwei, tip: gwei } as const;
  const approval = { ...approveCall(chain.token, chain.htlc, 1_000_000n), nonce: 0, gas: 100_000n, fees };
  await port.broadcast(port.sign(approval).bytes);
  chain.mine();
  const notes: Outlay[] = [];
  const judged: { readonly swap: string; readonly cost: number }[] = [];
  const scene = await evmScene({
    chain,
    unpaid: {
      charged: () => sats(1_000_000),
      note: (outlay) => void notes.push(outlay),
      relayFull(swap, _, cost) {
        judged.push({ swap, cost: Number(cost) });
        return notes.length > mostRelays ? 'gas is not paid for clients now' : null;
      },
    },
    lying: (honest) => ({
      // What the client's own contracts take.
      simulate: async (call) =>
        sameBytes(call.to, scene.contracts.coordinator) ? { is: 'passes', gas: 550_000n } : honest.simulate(call),
    }),
  });
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const relayOf = (value: number): string => {
    const lock = scene.lock({ claimAddress: client });
    const signature = { v: 27, r: new Uint8Array(32).fill(1), s: new Uint8Array(32).fill(2) };
    const payout = { sweepToken: lock.token, minAmountOut: lock.amount, destination: client };
    const act = { is: 'relay-claim', lock, calls: [], ...payout, signature } as const;
    return scene.open([scene.effectOf(act, { value: sats(value) })]);
  };
  const relay = relayOf(2_000_000);
  await until(() => chain.pool.size === 1);
  const [first] = scene.store.nonces.open(network);
  return {
    chain,
    scene,
    relay,
    relayOf,
    judged,
    /** What was signed in the relay's place. */
    variants: () => (first === undefined ? [] : scene.store.transactions.onNonce(first).map(({ purpose }) => purpose)),
    /** What is counted of the relay, in sats, each time it was noted. */
    counted: () => notes.filter(({ swap }) => swap === relay).map(({ amount }) => Number(amount)),
    async mine(blocks: number): Promise<void> {
      for (let i = 0; i < blocks; i++) {
        chain.mine();
        await aWhile(30);
      }
    },
  };
}

it('fault 262, evm: a relay that costs more than it may makes way for a lock of another client', async () => {
  const { chain, scene, variants, counted, mine } = await relayScene();
  chain.setBaseFee(6n * gwei);
  const lock = scene.lock();
  const id = scene.open([scene.effectOf({ is: 'lock', lock }, { value: sats(10_000_000) })]);
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
  await mine(20);
  expect(variants()).toEqual(['relay-claim', 'cancel']);
  expect(chain.replay().state.locks.get(toHex(swapKey(lock)))?.state).toBe(1);
  // Signed for 707,500 units at 2.1 gwei, and then for 60,000 at 12.1.
  expect(counted()).toEqual([148_575, 72_600]);
});

it('fault 262, evm: a relay that costs more than it may makes way for the relay of another client', async () => {
  const { chain, scene, relayOf, variants, mine } = await relayScene();
  chain.setBaseFee(6n * gwei);
  const other = relayOf(10_000_000);
  await until(() => scene.heard(other, 'evm.prepared').length === 1);
  await mine(20);
  expect(variants()).toEqual(['relay-claim', 'cancel']);
});

it('fault 262, evm: a relay is raised as far as it may cost, which is counted, and no lock pays for it', async () => {
  const { chain, scene, variants, counted, mine } = await relayScene();
  chain.setBaseFee(3n * gwei);
  const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() }, { value: sats(10_000_000) })]);
  await until(() => scene.heard(id, 'evm.prepared').length === 1);
  await mine(20);
  expect(variants()).toEqual(['relay-claim', 'relay-claim']);
  expect(counted()).toEqual([148_575, 431_575]);
});

it('fault 262, evm: a relay that nothing waits behind waits for cheaper gas, and makes way for nothing', async () => {
  const { chain, variants, mine } = await relayScene();
  chain.setBaseFee(6n * gwei);
  await mine(10);
  expect([variants(), chain.pool.size]).toEqual([['relay-claim'], 1]);
});

it('fault 281, evm: a relay is judged by its cost in the turn that signs it', async () => {
  const { chain, scene, relay, relayOf, judged } = await relayScene(0);
  const other = relayOf(2_000_000);
  await until(() => scene.events(other).length > 0);
  expect(scene.events(other)).toMatchObject([
    { is: 'evm.refused', purpose: 'relay-claim', reason: 'gas is not paid for clients now' },
  ]);
  expect([scene.store.transactions.of(other), chain.pool.size]).toEqual([[], 1]);
  // As much gas as a lock counts for it, at 2.1 gwei.
  expect(judged).toEqual([relay, other].map((swap) => ({ swap, cost: 100_800 })));
});
