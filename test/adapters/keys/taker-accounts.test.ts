import { mnemonicToSeedSync } from '@scure/bip39';
import { recoverAddress, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { takerAccounts } from '../../../engine/adapters/keys/taker-accounts.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { evmKeySchemes } from '../../../engine/legs/evm/taker-key.ts';

const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const accounts = takerAccounts(createKeys(mnemonicToSeedSync(words), 'regtest'));

test('the three accounts of a swap are those of published clients, and the same on every network', () => {
  const onMainnet = takerAccounts(createKeys(mnemonicToSeedSync(words), 'mainnet'));
  const all = [accounts, onMainnet].map((of) =>
    evmKeySchemes.map((scheme) => toHex(of.accountOf({ scheme, index: 0 }))),
  );
  const published = [
    '9858effd232b4033e47d90003d41ec34ecaeda94',
    '546e3650cb3794acb34dff0d33047c7e3f688673',
    '1438be43bc5d94edbf80ae2bc125cfa8cb15ac43',
  ];
  expect(all).toEqual([published, published]);
});

test('a signature is recovered to the account of its key', async () => {
  const digest = new Uint8Array(32).fill(7);
  for (const scheme of evmKeySchemes) {
    const { v, r, s } = accounts.sign(digest, { scheme, index: 3 });
    const signature = `0x${toHex(r)}${toHex(s)}${v.toString(16)}` as Hex;
    const signer = await recoverAddress({ hash: `0x${toHex(digest)}`, signature });
    expect(signer.toLowerCase()).toBe(`0x${toHex(accounts.accountOf({ scheme, index: 3 }))}`);
  }
});
