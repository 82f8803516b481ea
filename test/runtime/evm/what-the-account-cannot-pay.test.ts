import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sameBytes } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, clientSecret, evmScene, network, ours, preimage, until } from './scene.ts';

const coin = 10n ** 18n;
const gwei = 10n ** 9n;
const day = 86_400;

/** A client's lock waits for its claim, gas is dear, and our account holds so many thousandths of a coin. */
async function dearScene(thousandths: bigint, lying: (honest: EvmPort) => Partial<EvmPort> = () => ({})) {
  const chain = createEvmChain(network);
  chain.give(null, ours, (thousandths * coin) / 1_000n);
  chain.give(null, client, coin);
  chain.give(chain.token, client, 10n ** 9n);
  const scene = await evmScene({
    chain,
    lying: (honest) => ({
      // The gas of an exchange over two pools.
      simulate: async (call) =>
        sameBytes(call.to, scene.contracts.coordinator) ? { is: 'passes', gas: 300_000n } : honest.simulate(call),
      ...lying(honest),
    }),
  });
  const begun = chain.blocks.at(-1)?.time ?? 0;
  const lock = scene.lock({ refundAddress: client, claimAddress: ours });
  const port = chain.port(clientSecret);
  const fees = { is: 'dynamic', most: 100n * gwei, tip: gwei } as const;
  for (const [nonce, call] of [approveCall(chain.token, chain.htlc, 1_000n), lockCall(scene.contracts, lock)].entries())
    await port.broadcast(port.sign({ ...call, nonce, gas: 200_000n, fees }).bytes);
  chain.mine(2);
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  chain.setBaseFee(60n * gwei);
  const more = { deadline: unix(begun + day), value: sats(100_000_000) };
  const isClaimed = (): boolean => chain.replay().state.locks.get(toHex(swapKey(lock)))?.state !== 1;
  return {
    scene,
    chain,
    /** A relay that a client asks for. */
    relay(): string {
      const theirs = scene.lock({ claimAddress: client });
      const signature = { v: 27, r: new Uint8Array(32).fill(1), s: new Uint8Array(32).fill(2) };
      const payout = { sweepToken: theirs.token, minAmountOut: theirs.amount, destination: client };
      return scene.open([scene.effectOf({ is: 'relay-claim', lock: theirs, calls: [], ...payout, signature }, more)]);
    },
    claim: () => scene.open([scene.effectOf({ is: 'claim', lock }, more)]),
    isPrepared: (id: string) => until(() => scene.heard(id, 'evm.prepared').length === 1),
    /** A day passes, or less where the lock is claimed before. */
    async passDay(): Promise<boolean> {
      for (let i = 1; i <= 96 && !isClaimed(); i++) {
        chain.setTime(begun + i * 900);
        chain.mine(3);
        await aWhile(40);
      }
      return isClaimed();
    },
  };
}

it('fault 166, evm: a relay that the account cannot spare gas for is not signed before our claim', async () => {
  const on = await dearScene(45n);
  const relay = on.relay();
  await aWhile(300);
  expect(on.scene.heard(relay, 'evm.prepared')).toEqual([]);
  await on.isPrepared(on.claim());
  on.chain.setBaseFee(gwei);
  expect(await on.passDay()).toBe(true);
});

it.each([
  ['is signed anew once gas is cheap again', gwei],
  ['makes way for it while gas is dear', 50n * gwei],
])('fault 166, evm: a relay before our claim that no node takes %s', async (_, baseFee) => {
  // One RPC says that the account holds more than it does.
  const on = await dearScene(32n, () => ({ balance: async () => coin }));
  await on.isPrepared(on.relay());
  await aWhile(200);
  expect(on.chain.pool.size).toBe(0);
  await on.isPrepared(on.claim());
  on.chain.setBaseFee(baseFee);
  expect(await on.passDay()).toBe(true);
});

it.each([
  ['can pay', 45n],
  ['can almost pay', 15n],
])(
  'fault 166, evm: a claim of a spike that the account %s is mined once gas is cheap again',
  async (_, thousandths) => {
    const on = await dearScene(thousandths);
    await on.isPrepared(on.claim());
    await aWhile(200);
    on.chain.setBaseFee(gwei);
    expect(await on.passDay()).toBe(true);
  },
);
