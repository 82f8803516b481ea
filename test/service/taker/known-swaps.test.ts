import { mnemonicToSeedSync } from '@scure/bip39';
import { expect, test } from 'vitest';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { takerAccounts } from '../../../engine/adapters/keys/taker-accounts.ts';
import { wireDirections, type TakerDirection } from '../../../engine/domain/chain.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';
import { provenBy } from '../../../engine/service/taker/known-swaps.ts';
import { createOwnKeys } from '../../../engine/service/taker/own-keys.ts';

const keys = createKeys(
  mnemonicToSeedSync('abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'),
  'regtest',
);
const accounts = takerAccounts(keys);
const account = `0x${toHex(accounts.accountOf({ scheme: 'wallet', index: 0 }))}`;
const hashOf = (index: number) => `0x${toHex(sha256Of(keys.takerSecret(index)))}`;

function proven(direction: TakerDirection, fields: object): Promise<number | null> {
  const record = { direction: wireDirections[direction], client_evm_address: account, ...fields };
  return provenBy(createOwnKeys({ keys, accounts }), [record]);
}

test('fault 237, evm: the hash of a secret of ours proves that its key was used, whatever else is said', async () => {
  expect([
    await proven('lightning-evm', { index: 10_000, hash_lock: hashOf(10_000) }),
    await proven('bitcoin-evm', { index: 10_000, evm_hash_lock: hashOf(10_000) }),
    await proven('bitcoin-evm', { index: 40_000, evm_hash_lock: hashOf(17) }),
  ]).toEqual([10_000, 10_000, 17]);
});

test('fault 73: an account of ours beside a hash that is not, or beside none, proves no key', async () => {
  const other = `0x${'11'.repeat(32)}`;
  expect([
    await proven('lightning-evm', { index: 20_148, hash_lock: other }),
    await proven('lightning-evm', { index: 20_148 }),
    await proven('bitcoin-evm', { index: 20_148, evm_hash_lock: other, hash_lock: hashOf(20_148) }),
    // The payee's.
    await proven('evm-lightning', { index: 20_148, hash_lock: hashOf(20_148) }),
  ]).toEqual([null, null, null, null]);
});
