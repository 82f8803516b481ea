import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, clientSecret, evmScene, network, ours, preimage, until } from './scene.ts';

const coin = 10n ** 18n;

/** `price`: what `gasFees` answers over two RPCs, one of which says next to nothing since the node began. */
it.each([
  ['at an honest price', null, 12],
  ['of 12 s at a price of next to nothing', 1n, 12],
  ['of 30 s at a price of next to nothing', 1n, 30],
])(
  'fault 167, evm: a claim is mined before its timelock in blocks %s',
  async (_, price, seconds) => {
    const chain = createEvmChain(network);
    for (const who of [ours, client]) {
      chain.give(null, who, 1_000n * coin);
      chain.give(chain.token, who, 10n ** 9n);
    }
    const scene = await evmScene({
      chain,
      lying: (honest) => ({
        gasFees: async () => (price === null ? honest.gasFees() : { is: 'dynamic', most: price, tip: price }),
      }),
    });
    const begun = chain.blocks.at(-1)?.time ?? 0;
    const timelock = begun + 24 * 3_600;
    const lock = scene.lock({ refundAddress: client, claimAddress: ours, timelock: BigInt(timelock) });
    const port = chain.port(clientSecret);
    const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;
    const calls = [approveCall(chain.token, chain.htlc, lock.amount), lockCall(scene.contracts, lock)];
    for (const [nonce, call] of calls.entries())
      await port.broadcast(port.sign({ ...call, nonce, gas: 200_000n, fees }).bytes);
    chain.mine(2);
    scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
    const effect = scene.effectOf({ is: 'claim', lock }, { deadline: unix(timelock), value: sats(100_000_000) });
    scene.open([effect]);
    await until(() => chain.pool.size === 1);
    const isTaken = (): boolean => chain.replay().state.locks.get(toHex(swapKey(lock)))?.state !== 1;
    // 24 hours in steps of 12 blocks, each of which the queue looks at.
    const step = 12 * seconds;
    for (let time = begun + step; time < timelock && !isTaken(); time += step) {
      chain.setTime(time - 24);
      chain.mine(12);
      const before = [...chain.pool.keys()].join();
      const isLast = time > begun + 18 * 3_600;
      if (!isLast) await aWhile(3);
      else for (let i = 0; i < 20 && [...chain.pool.keys()].join() === before; i++) await aWhile(10);
    }
    expect(isTaken()).toBe(true);
  },
  180_000,
);
