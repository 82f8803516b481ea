import { expect, it } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { sats } from '../../engine/domain/money.ts';
import { createPacing } from '../../engine/runtime/pacing.ts';
import type { Effect } from '../../engine/swap/machine.ts';
import { asSha256 } from '../../engine/domain/hash.ts';

const address = asEvmAddress(new Uint8Array(20));
const lock = {
  preimageHash: asSha256(new Uint8Array(32)),
  amount: 1n,
  token: address,
  refundAddress: address,
  claimAddress: address,
  timelock: 1n,
};

function sending(is: 'lock' | 'claim'): Effect {
  return {
    do: 'evm.send',
    network: 'evm:137',
    contracts: null,
    act: { is, lock },
    deadline: null,
    value: sats(1n),
  } as unknown as Effect;
}

it('a claim after a lock waits for nothing, and what is asked for again waits longer each time', () => {
  const pacing = createPacing({ nowMs: () => 1_000, random: () => 0.5 });
  const due = (is: 'lock' | 'claim') => pacing.ask('a swap', sending(is)).due;
  expect([due('lock'), due('claim'), due('claim'), due('claim')]).toEqual([0, 0, 1_250, 1_500]);
});
