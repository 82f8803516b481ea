import fc from 'fast-check';
import { getAddress } from 'viem/utils';
import { describe, expect, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { checksummed, readEvmAddress } from '../../engine/domain/evm-address.ts';
import { toHex } from '../../engine/domain/hex.ts';

/** The accounts that EIP-55 and EIP-1191 both show, in the case of each. */
const published = [
  {
    eip55: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    30: '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD',
    31: '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd',
  },
  {
    eip55: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    30: '0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359',
    31: '0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359',
  },
  {
    eip55: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    30: '0xDBF03B407c01E7CD3cBea99509D93F8Dddc8C6FB',
    31: '0xdbF03B407C01E7cd3cbEa99509D93f8dDDc8C6fB',
  },
  {
    eip55: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    30: '0xD1220A0Cf47c7B9BE7a2e6ba89F429762E7B9adB',
    31: '0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB',
  },
];

const readable = (text: string, chain?: number) => readEvmAddress(text, chain) !== null;
const anyAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => asEvmAddress(bytes));

describe('the case of an address', () => {
  test('is the checksum of EIP-55 everywhere, and that of EIP-1191 on chains 30 and 31 alone', () => {
    expect(
      published.map(({ eip55, 30: rsk, 31: test31 }) => [
        [1, 137, 42161, 30, 31].map((chain) => readable(eip55, chain)),
        [1, 137, 31, 30].map((chain) => readable(rsk, chain)),
        [1, 137, 30, 31].map((chain) => readable(test31, chain)),
        [readable(eip55), readable(rsk), readable(test31)],
      ]),
    ).toEqual(
      published.map(() => [
        [true, true, true, true, true],
        [false, false, false, true],
        [false, false, false, true],
        [true, true, true],
      ]),
    );
  });

  test('says nothing where all letters are small, or all capital', () => {
    const plain = published.flatMap(({ eip55 }) => [eip55.toLowerCase(), `0x${eip55.slice(2).toUpperCase()}`]);
    expect(plain.filter((text) => !readable(text))).toEqual([]);
  });

  test('is written as another library writes it, and read back', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const hex = `0x${toHex(address)}` as const;
        expect(checksummed(address)).toBe(getAddress(hex));
        expect([30, 31].map((chain) => readEvmAddress(getAddress(hex, chain), chain))).toEqual([address, address]);
      }),
    );
  });

  test('fault 77: an address with a letter in the wrong case, or another letter, is none', () => {
    const another = (letter: string) => (letter === 'f' ? 'e' : letter === 'F' ? 'E' : letter === 'a' ? 'b' : 'a');
    const cases = published.flatMap(({ eip55 }) =>
      [...eip55].flatMap((letter, at) => {
        if (at < 2 || !/[a-fA-F]/.test(letter)) return [];
        const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
        return [flipped, another(letter)].map((other) => `${eip55.slice(0, at)}${other}${eip55.slice(at + 1)}`);
      }),
    );
    expect(cases.length).toBeGreaterThan(100);
    expect(cases.filter((text) => readable(text))).toEqual([]);
  });

  test('of what is no address is never asked for', () => {
    const { eip55 } = published[0]!;
    expect(
      [eip55.slice(2), `${eip55}0`, eip55.slice(0, -1), `0X${eip55.slice(2)}`, ` ${eip55}`, ''].map((text) =>
        readable(text),
      ),
    ).toEqual(Array.from({ length: 6 }, () => false));
  });
});
