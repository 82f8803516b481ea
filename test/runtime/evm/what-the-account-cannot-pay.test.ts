import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sameBytes } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import type { RescueLeg, RescueSwap } from '../../../engine/legs/rescue.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, clientSecret, evmScene, hash, network, ours, preimage, until } from './scene.ts';

const coin = 10n ** 18n;
const gwei = 10n ** 9n;
const day = 86_400;

/** A client's lock waits for its claim, gas is dear, and our account holds so many thousandths of a coin. */
async function dearScene(
  thousandths: bigint,
  lying: (honest: EvmPort) => Partial<EvmPort> = () => ({}),
  value = sats(100_000_000),
) {
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
  const more = { deadline: unix(begun + day), value };
  const isClaimed = (): boolean => chain.replay().state.locks.get(toHex(swapKey(lock)))?.state !== 1;
  return {
    scene,
    chain,
    /** A relay that a client asks for. */
    relay(deadline = more.deadline): string {
      const theirs = scene.lock({ claimAddress: client });
      const signature = { v: 27, r: new Uint8Array(32).fill(1), s: new Uint8Array(32).fill(2) };
      const payout = { sweepToken: theirs.token, minAmountOut: theirs.amount, destination: client };
      return scene.open([
        scene.effectOf({ is: 'relay-claim', lock: theirs, calls: [], ...payout, signature }, { ...more, deadline }),
      ]);
    },
    claim: () => scene.open([scene.effectOf({ is: 'claim', lock }, more)]),
    isPrepared: (id: string) => until(() => scene.heard(id, 'evm.prepared').length === 1),
    /**
     * A day passes, or only a part of it, or less where the lock is claimed before. A machine that is busy has the last
     * moment for some seconds.
     */
    async passDay(from = 0, to = day): Promise<boolean> {
      const enough = performance.now() + 10_000;
      for (let i = 1; (i <= 96 || performance.now() < enough) && !isClaimed(); i++) {
        chain.setTime(begun + from + Math.floor((Math.min(i, 96) * (to - from)) / 96));
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

it('fault 320, evm: a relay that no node takes does not make way for the word of one RPC', async () => {
  // It says first that the account holds more than it does, and then that it holds nothing.
  let held = coin;
  const on = await dearScene(32n, () => ({ balance: async () => held }));
  const relay = on.relay();
  await on.isPrepared(relay);
  await aWhile(200);
  held = 0n;
  await on.isPrepared(on.claim());
  on.chain.setBaseFee(gwei);
  expect(await on.passDay()).toBe(true);
  expect(on.scene.store.transactions.of(relay).map(({ purpose }) => purpose)).toEqual(['relay-claim', 'relay-claim']);
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

it('fault 210, evm: a claim whose price would be that of an earlier one keeps the account going', async () => {
  const on = await dearScene(25n);
  await on.isPrepared(on.claim());
  await until(() => on.chain.pool.size === 1);
  // No block takes it until its time is nearly over, and the account does not hold twice its price.
  on.chain.setTime((on.chain.blocks.at(-1)?.time ?? 0) + 84_000);
  for (let i = 0; i < 30; i++) {
    on.chain.mine(1, () => false);
    await aWhile(40);
  }
  const { nonces, transactions } = on.scene.store;
  const variants = nonces.open(network).map((row) => transactions.onNonce(row).length);
  expect([JSON.stringify(on.scene.lines).includes('the account cannot send'), variants[0]]).toEqual([false, 2]);
});

it.each([
  ['while it is early', 45n, [0, day / 2]],
  ['once it is late', 300n, [(day * 4) / 5, day]],
] as const)(
  'fault 256, evm: a relay that is dearer than it may be makes way for our claim, %s',
  async (_, dear, time) => {
    const on = await dearScene(1_000n, () => ({}), sats(10_000_000));
    on.chain.setBaseFee(gwei);
    await on.isPrepared(on.relay());
    await until(() => on.chain.pool.size === 1);
    on.chain.setBaseFee(dear * gwei);
    on.claim();
    expect(await on.passDay(...time)).toBe(true);
  },
);

it('fault 262, evm: a relay that no block takes at its price makes way for our claim once that is late', async () => {
  // Who says what gas costs says too little, for as long as it is asked.
  const gasFees = async () => ({ is: 'dynamic', most: 2n * gwei, tip: gwei / 10n }) as const;
  const on = await dearScene(1_000n, () => ({ gasFees }), sats(10_000_000));
  on.chain.setBaseFee(gwei);
  await on.isPrepared(on.relay(unix(2_000_000_000)));
  await until(() => on.chain.pool.size === 1);
  on.chain.setBaseFee(70n * gwei);
  on.claim();
  expect(await on.passDay((day * 4) / 5, day)).toBe(true);
});

/** The account holds the gas of a lock and of its refund, and something else is out of this node already. */
async function lockScene(rescue: (leg: RescueLeg) => RescueSwap) {
  const chain = createEvmChain(network);
  chain.give(null, ours, coin / 10n);
  chain.give(chain.token, ours, 100_000n);
  chain.setBaseFee(100n * gwei);
  const scene = await evmScene({ chain });
  scene.open([], [], rescue({ on: 'evm', network, contracts: scene.contracts, lock: scene.lock(), since: 0 }));
  const id = scene.open([scene.effectOf({ is: 'lock', lock: scene.lock() }, { value: sats(100_000_000) })]);
  return {
    chain,
    /** Whether the lock is signed within some moments: it is tried again after pauses that grow. */
    async isPrepared(moments: number): Promise<boolean> {
      for (let i = 0; i < moments && scene.heard(id, 'evm.prepared').length === 0; i++) {
        if (i < 50) chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 300);
        chain.mine();
        await aWhile(50);
      }
      return scene.heard(id, 'evm.prepared').length === 1;
    },
  };
}

const lightning: RescueLeg = { on: 'lightning', hash };

it.each<[string, (leg: RescueLeg) => RescueSwap]>([
  ['a lock of ours that may have to come back', (leg) => ({ claim: lightning, refund: leg, shown: false })],
  ['a lock that may be ours to claim', (leg) => ({ claim: leg, refund: lightning, shown: true })],
])('fault 255, evm: no lock is signed with the gas of %s', async (_, rescueOf) => {
  const on = await lockScene(rescueOf);
  expect(await on.isPrepared(50)).toBe(false);
  on.chain.setBaseFee(gwei);
  expect(await on.isPrepared(400)).toBe(true);
});

it('fault 255, evm: a lock of ours whose secret is public keeps no gas from another one', async () => {
  const on = await lockScene((leg) => ({ claim: lightning, refund: leg, shown: true }));
  expect(await on.isPrepared(400)).toBe(true);
});
