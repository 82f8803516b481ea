import { schnorr } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { mnemonicToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { createKeys } from '../../../engine/adapters/keys/keys.ts';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import { hash160Of, sha256Of } from '../../../engine/legs/secret.ts';

const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

function seed(): Uint8Array {
  return mnemonicToSeedSync(words);
}

describe('the keys of a data folder', () => {
  it('derives the taker as published clients do', () => {
    const keys = createKeys(seed(), 'regtest');
    const secret = keys.takerSecret(0);
    expect({
      key: toHex(keys.signer({ branch: 'taker', index: 0 }).publicKey),
      preimage: toHex(secret),
      sha256: toHex(sha256Of(secret)),
      hash160: toHex(hash160Of(secret)),
      xpub: keys.userXpub,
      userIds: [toHex(keys.userId(0)), toHex(keys.userId(1))],
    }).toEqual({
      key: '02fc7ee54d9b381d373dd8911247a42d88fb3ee7521c17cbe638a579c569bfc19b',
      preimage: '423bc17c03beddc347b0fb37f49bab47e7929bfe9a4869a52280dd5688850bd8',
      sha256: 'f9c3585ad8e0345d1ab9539731fcbd5bee5aabba3b4aa82567983ed9aca173b3',
      hash160: '26e4f11708c87f5f94d430f258503c5539917d5e',
      xpub: 'xpub6Cz3qBXRjM2h2cSTBTP2e1TXXsWz1cRPJcsPieXa38eUHvfjSL4tbsMp62tsWRGwfZUZ4P6F5owuqtDQxxyhwBLBJELfDvYuqzrrBycMtGu',
      userIds: [
        '03493441df4aeffeae06e03db0cbaeebb9c4b66814ceeda19e64eab07efd02e016',
        '03a95bad7a011498fab5378e5a42dfc1c99ef52cdbfb10b84eecea79bee5cea315',
      ],
    });
  });

  it('derives as another library of BIP-32 does, hardened and open', () => {
    const keys = createKeys(seed(), 'mainnet');
    const master = HDKey.fromMasterSeed(seed());
    for (const index of [0, 1, 200, 2 ** 31 - 1]) {
      expect(Buffer.from(keys.privateKey({ branch: 'taker', index }))).toEqual(
        Buffer.from(master.derive(`m/83696968'/121923'/${index}'`).privateKey!),
      );
      expect(Buffer.from(keys.privateKey({ branch: 'bitcoin-deposit', index }))).toEqual(
        Buffer.from(master.derive(`m/86'/0'/0'/0/${index}`).privateKey!),
      );
      expect(Buffer.from(keys.userId(index))).toEqual(
        Buffer.from(HDKey.fromExtendedKey(keys.userXpub).derive(`m/9419/121923/${index}`).publicKey!),
      );
    }
  });

  it('has its EVM account beside the one of the taker, and another where coins are worth nothing', () => {
    const account = (network: 'mainnet' | 'signet' | 'regtest') =>
      toHex(accountOf(createKeys(seed(), network).privateKey({ branch: 'evm-account' })));
    const by = (path: string) => mnemonicToAccount(words, { path: path as `m/44'/60'/${string}` }).address;
    expect(['mainnet', 'signet', 'regtest'].map((network) => `0x${account(network as 'mainnet')}`)).toEqual(
      ["m/44'/60'/1'/0/0", "m/44'/1'/1'/0/0", "m/44'/1'/1'/0/0"].map((path) => by(path).toLowerCase()),
    );
    expect(account('mainnet')).toBe('78839f6054d7ed13918bae0473ba31b1ca9d7265');
  });

  it('keeps every key of ours as it was first derived: a change strands money', () => {
    const keys = createKeys(seed(), 'mainnet');
    expect({
      swap0: toHex(keys.signer({ branch: 'swap', index: 0 }).publicKey),
      swap7: toHex(keys.signer({ branch: 'swap', index: 7 }).publicKey),
      wallet: toHex(keys.signer({ branch: 'arkade-wallet' }).publicKey),
      delegate: toHex(keys.signer({ branch: 'delegate' }).publicKey),
      sealing: toHex(keys.sealingKey('preimages')),
    }).toMatchInlineSnapshot(`
      {
        "delegate": "03a504692764aad609d18d78f58eeddec0f12967ebaaf684c83d1913e5623a0382",
        "sealing": "992d833e481af67ae2922a2509b07fb25ebdcfa4d4694bd6abff3cb1a91cedde",
        "swap0": "03b7c235ce560d7d3780831d81eb59c41f0224a900c845f5efe52b05692bcb4597",
        "swap7": "037d6d801b5d3c54c0b2bda34ebd679995c85c96229f5c3cd2a4f554e53f56a111",
        "wallet": "0322ecc6b598f5168a50c766293a5a4620307292a66c06175a1a519f7d5f2a2aa2",
      }
    `);
  });

  it('gives every branch, index, network and purpose a key of its own', () => {
    const all = (['mainnet', 'signet', 'regtest'] as const).flatMap((network) => {
      const keys = createKeys(seed(), network);
      return [
        ...[0, 1, 2].map((index) => toHex(keys.privateKey({ branch: 'swap', index }))),
        toHex(keys.privateKey({ branch: 'arkade-wallet' })),
        toHex(keys.privateKey({ branch: 'delegate' })),
        ...(network === 'signet' ? [] : [toHex(keys.privateKey({ branch: 'evm-account' }))]),
        toHex(keys.sealingKey('preimages')),
        toHex(keys.sealingKey('backup')),
      ];
    });
    expect(new Set(all).size).toBe(all.length);
  });

  it('signs so that the public half of the same reference verifies it', () => {
    const keys = createKeys(seed(), 'signet');
    const message = new Uint8Array(32).fill(9);
    for (const ref of [
      { branch: 'swap', index: 3 },
      { branch: 'taker', index: 3 },
      { branch: 'arkade-wallet' },
      { branch: 'delegate' },
    ] as const) {
      const signer = keys.signer(ref);
      expect(schnorr.verify(signer.sign(message), message, signer.xOnly)).toBe(true);
      expect(toHex(schnorr.getPublicKey(keys.privateKey(ref)))).toBe(toHex(signer.xOnly));
    }
  });

  it('hands out copies, so that wiping one spoils nothing', () => {
    const keys = createKeys(seed(), 'regtest');
    const first = keys.privateKey({ branch: 'arkade-wallet' });
    const text = toHex(first);
    first.fill(0);
    expect(toHex(keys.privateKey({ branch: 'arkade-wallet' }))).toBe(text);
  });

  it('refuses an index that would silently become another one', () => {
    const keys = createKeys(seed(), 'regtest');
    for (const index of [-1, 0.5, 2 ** 31, Number.NaN]) {
      expect(() => keys.signer({ branch: 'swap', index })).toThrow(RangeError);
      expect(() => keys.userId(index)).toThrow(RangeError);
    }
  });
});
