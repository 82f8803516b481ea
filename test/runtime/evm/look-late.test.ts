import { expect, test } from 'vitest';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import type { EvmWatch } from '../../../engine/legs/evm/watch.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import { lookLate } from '../../../engine/runtime/networks/evm/look-late.ts';
import { hash, network } from './scene.ts';

const account = (byte: number) => new Uint8Array(20).fill(byte) as LockTerms['token'];
const lockOf = (amount: bigint): LockTerms => ({
  preimageHash: hash,
  amount,
  token: account(1),
  refundAddress: account(2),
  claimAddress: account(3),
  timelock: 1_760_000_000n,
});
const locks = [lockOf(1_000n), lockOf(2_000n)];
const watch: EvmWatch & { on: 'evm-lock' } = {
  on: 'evm-lock',
  network,
  htlc: account(9),
  hash,
  wanted: { are: 'one', key: swapKey(lockOf(1_000n)) },
  since: 0,
  locks,
};

function portOf(isActive: EvmPort['isActive']): EvmPort {
  return { isActive } as EvmPort;
}

test('each lock that a swap knows of is asked for by its own terms, and by two RPCs', async () => {
  const questions: unknown[] = [];
  const port = portOf(async (htlc, lock, how) => {
    questions.push([htlc, lock.amount, how]);
    return lock.amount === 2_000n;
  });
  expect(await lookLate(watch, port)).toEqual({ is: 'evm.unlocked', keys: [swapKey(lockOf(1_000n))] });
  expect(questions).toEqual(locks.map(({ amount }) => [watch.htlc, amount, { agreed: true }]));
});

test('while all of them stand nothing is said, nor where the swap knows of none', async () => {
  expect(
    await lookLate(
      watch,
      portOf(async () => true),
    ),
  ).toBeNull();
  const { locks: _, ...bare } = watch;
  expect(
    await lookLate(
      bare,
      portOf(async () => false),
    ),
  ).toBeNull();
});

test('what two RPCs do not both say is no word of a refund', async () => {
  const port = portOf(() => Promise.reject(evmFailure('evm-away', 'safe', 'one of two does not answer')));
  await expect(lookLate(watch, port)).rejects.toThrow('one of two does not answer');
});
