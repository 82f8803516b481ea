import { expect, it } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import type { Permit } from '../../../engine/legs/evm/acts.ts';
import { bitcoinCoin } from '../../../engine/quote/coin-price.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { client, evmScene, network, ours, until } from './scene.ts';

const coin = 10n ** 18n;
const block = 16_000_000n;
const value = sats(10_000_000);

/** Gas at this price costs a sat for so many units. */
const unitsOfASat = (units: bigint) => bitcoinCoin.wei / units;

/** A client's funding with a token of its own making, whose calls take this much gas. */
async function relayOf(gas: bigint, { permit = false, basePrice = unitsOfASat(100n) } = {}) {
  const chain = createEvmChain(network);
  chain.give(null, ours, 1_000n * coin);
  const scene = await evmScene({
    chain,
    lying: () => ({
      simulate: async () => ({ is: 'passes', gas }),
      gasFees: async () => ({ is: 'dynamic', most: basePrice, tip: 1n }),
    }),
  });
  const token = chain.htlc;
  const signature = new Uint8Array(65).fill(1);
  const given: Permit = {
    depositor: client,
    token,
    amount: 1_000n,
    nonce: 1n,
    deadline: 2_000_000_000n,
    signature,
    ...(permit ? { tokenPermit: { value: 1_000n, deadline: 2_000_000_000n, signature } } : {}),
  };
  const { amount: _, ...lock } = scene.lock({ claimAddress: ours, refundAddress: scene.contracts.coordinator });
  const id = scene.open([scene.effectOf({ is: 'relay-fund', lock, permit: given, calls: [] }, { value })]);
  return { scene, id, chain };
}

it('fault 57, evm: a token that burns the gas of a relay is refused, whatever its swap is worth', async () => {
  for (const [permit, gas] of [
    [false, block],
    [false, 800_000n],
    [true, block],
    [true, 250_000n],
  ] as const) {
    const { scene, id } = await relayOf(gas, { permit });
    const [refused] = await until(() => (scene.heard(id, 'evm.refused').length > 0 ? scene.events(id) : null));
    expect(refused).toMatchObject({ is: 'evm.refused', reason: expect.stringContaining(`${gas} units of gas`) });
    expect(scene.store.nonces.open(network)).toEqual([]);
  }
});

it('what a relay is paid for is sent, and what costs next to nothing however much gas it is counted as', async () => {
  for (const { gas, basePrice } of [
    { gas: 600_000n, basePrice: unitsOfASat(100n) },
    { gas: 3_000_000n, basePrice: unitsOfASat(10_000n) },
  ]) {
    const { scene, id } = await relayOf(gas, { basePrice });
    await until(() => scene.heard(id, 'evm.prepared')[0]);
  }
});
