import { mnemonicToSeedSync } from '@scure/bip39';
import { expect, test } from 'vitest';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { takerAccounts } from '../../../engine/adapters/keys/taker-accounts.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';
import { createOwnKeys } from '../../../engine/service/taker/own-keys.ts';

const keys = createKeys(
  mnemonicToSeedSync('abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'),
  'regtest',
);
const accounts = takerAccounts(keys);
const fresh = () => createOwnKeys({ keys, accounts });

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
  const ofKey = (receiver_pk: unknown, index: unknown) => own.ofRecord('receiver_pk', { receiver_pk, index });
  expect([
    await ofKey(keyOf(7), 7),
    await ofKey(keyOf(7).slice(2), 3),
    await ofKey(keyOf(90), 'ninety'),
    await ofKey(keyOf(90 + 120), undefined),
    await ofKey(keyOf(90 + 120 + 121), undefined),
    await ofKey(toHex(new Uint8Array(33).fill(2)), 5),
    await ofKey(5, 5),
  ]).toEqual([7, 7, 90, 210, null, null, null]);
});

test('so is the hash of a secret, in any case, and nothing else that a provider calls one', async () => {
  const own = fresh();
  const hash = (index: number) => toHex(sha256Of(keys.takerSecret(index)));
  const ofHash = (evm_hash_lock: unknown, index: unknown) =>
    own.ofRecord('evm_hash_lock', { evm_hash_lock, index, hash_lock: hash(1) });
  expect([
    await ofHash(`0x${hash(7)}`, 7),
    await ofHash(hash(7).toUpperCase(), 3),
    await ofHash(`0x${hash(90)}`, undefined),
    await ofHash(`0x${hash(90 + 121)}`, undefined),
    await ofHash(`0x${'11'.repeat(32)}`, 7),
    await ofHash(keyOf(7).slice(2), 7),
    await ofHash(undefined, 7),
    await ofHash(`0x${hash(20_000)}`, 20_000),
  ]).toEqual([7, 7, 90, null, null, null, null, 20_000]);
});

test('an account below a swap key is found by its index, that of the wallet with any', async () => {
  const own = fresh();
  const text = (scheme: 'swap' | 'wallet', index: number) => `0x${toHex(accounts.accountOf({ scheme, index }))}`;
  const ofAccount = (client_evm_address: unknown, index: unknown) =>
    own.ofRecord('client_evm_address', { client_evm_address, index });
  expect([
    await ofAccount(text('swap', 11), 2),
    await ofAccount(text('wallet', 0), 31),
    await ofAccount(text('wallet', 0), -1),
    await ofAccount(`0x${'11'.repeat(20)}`, 0),
    await ofAccount('me', 0),
  ]).toEqual([11, 31, 0, null, null]);
});
