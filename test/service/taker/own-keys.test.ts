import { mnemonicToSeedSync } from '@scure/bip39';
import { expect, test } from 'vitest';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { takerAccounts } from '../../../engine/adapters/keys/taker-accounts.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { createOwnKeys } from '../../../engine/service/taker/own-keys.ts';

const keys = createKeys(
  mnemonicToSeedSync('abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'),
  'regtest',
);
const accounts = takerAccounts(keys);
const fresh = () => createOwnKeys({ signer: keys.signer, accounts });

function keyOf(index: number): string {
  return toHex(keys.signer({ branch: 'taker', index }).publicKey);
}

test('each of the three ways in which clients derived an account is tried (facts/clients.md 13)', () => {
  const published = {
    wallet: '9858effd232b4033e47d90003d41ec34ecaeda94',
    swap: '546e3650cb3794acb34dff0d33047c7e3f688673',
    'below-swap': '1438be43bc5d94edbf80ae2bc125cfa8cb15ac43',
  };
  expect(Object.values(published).map((account) => fresh().evmKey(asEvmAddress(fromHex(account)), 0)?.scheme)).toEqual(
    Object.keys(published),
  );
});

test('a key is found whatever index a provider says, with its sign or without, and none beyond the gap', async () => {
  const own = fresh();
  expect([
    await own.ofKey(keyOf(7), 7),
    await own.ofKey(keyOf(7).slice(2), 3),
    await own.ofKey(keyOf(90), 'ninety'),
    await own.ofKey(keyOf(90 + 120), undefined),
    await own.ofKey(keyOf(90 + 120 + 121), undefined),
    await own.ofKey(toHex(new Uint8Array(33).fill(2)), 5),
    await own.ofKey(5, 5),
  ]).toEqual([7, 7, 90, 210, null, null, null]);
});

test('an account below a swap key is found by its index, that of the wallet with any', async () => {
  const own = fresh();
  const text = (scheme: 'swap' | 'wallet', index: number) => `0x${toHex(accounts.accountOf({ scheme, index }))}`;
  expect([
    await own.ofAccount(text('swap', 11), 2),
    await own.ofAccount(text('wallet', 0), 31),
    await own.ofAccount(text('wallet', 0), -1),
    await own.ofAccount(`0x${'11'.repeat(20)}`, 0),
    await own.ofAccount('me', 0),
  ]).toEqual([11, 31, 0, null, null]);
});
