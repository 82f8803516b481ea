import { expect, test } from 'vitest';
import { nameContracts } from '../../engine/connections/name-contracts.ts';
import type { LiveSettings } from '../../engine/connections/settings.ts';
import { refuse } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';

const pairOf = (byte: number) => ({
  htlc: asEvmAddress(new Uint8Array(20).fill(byte)),
  coordinator: asEvmAddress(new Uint8Array(20).fill(byte + 1)),
});
const [ours, before, owners] = [pairOf(1), pairOf(3), pairOf(5)];

/** Settings that name a pair, and what is changed of them. */
function settingsWith(contracts: object, refusal: string | null = null) {
  const changes: unknown[] = [];
  return {
    changes,
    settings: {
      config: { evm: { 137: { contracts } } },
      async change(patch: unknown) {
        if (refusal !== null) return refuse('forbidden', refusal);
        changes.push(patch);
        return {};
      },
    } as unknown as LiveSettings,
  };
}

test('a pair that was deployed takes the place of the one that was named when that began', async () => {
  const { settings, changes } = settingsWith(before);
  expect(await nameContracts(settings, 'evm:137', ours, before)).toBeNull();
  expect(changes).toEqual([
    { evm: { 137: { contracts: { htlc: `0x${'01'.repeat(20)}`, coordinator: `0x${'02'.repeat(20)}` } } } },
  ]);
});

test('a pair that the owner named in the meantime stays, and the owner hears of it', async () => {
  const { settings, changes } = settingsWith(owners);
  const sentence = await nameContracts(settings, 'evm:137', ours, before);
  expect([sentence, changes]).toEqual([
    `evm.137.contracts names 0x${'05'.repeat(20)} and 0x${'06'.repeat(20)} since then, which stay: ` +
      'leave that setting out to swap with the new ones',
    [],
  ]);
});

test('nothing is changed where the pair is named already, and what cannot be changed is told', async () => {
  const { settings, changes } = settingsWith(ours);
  expect([await nameContracts(settings, 'evm:137', ours, before), changes]).toEqual([null, []]);
  const held = settingsWith(before, 'the environment sets it.');
  expect(await nameContracts(held.settings, 'evm:137', ours, before)).toBe('the environment sets it.');
});
