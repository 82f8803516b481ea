import { parseTransaction, recoverTransactionAddress, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { accountOf, signTransaction } from '../../../engine/legs/evm/account.ts';
import type { EvmTransaction, GasFees } from '../../../engine/legs/evm/port.ts';

const key = fromHex('c1'.repeat(32));
const owner = privateKeyToAccount(toHex(key));
const legacy: GasFees = { is: 'legacy', price: 60_000_000n };
const dynamic: GasFees = { is: 'dynamic', most: 90_000_000_000n, tip: 30_000_000_000n };

function transaction(fees: GasFees, nonce = 7): EvmTransaction {
  return {
    nonce,
    fees,
    gas: 21_000n,
    to: asEvmAddress(new Uint8Array(20).fill(9)),
    value: 5n,
    data: Uint8Array.of(1, 2, 3),
  };
}

/** The same fields, signed by another library. */
function byViem(chainId: number, { fees, to, data, ...rest }: EvmTransaction) {
  const fields = { ...rest, chainId, to: toHex(to), data: toHex(data) };
  return fees.is === 'legacy'
    ? owner.signTransaction({ ...fields, type: 'legacy', gasPrice: fees.price })
    : owner.signTransaction({
        ...fields,
        type: 'eip1559',
        maxFeePerGas: fees.most,
        maxPriorityFeePerGas: fees.tip,
      });
}

describe('what our account signs', () => {
  it('is the transaction of the example of EIP-155, to the byte', () => {
    const bytes = signTransaction(
      1,
      {
        nonce: 9,
        fees: { is: 'legacy', price: 20n * 10n ** 9n },
        gas: 21_000n,
        to: asEvmAddress(fromHex('35'.repeat(20))),
        value: 10n ** 18n,
        data: new Uint8Array(),
      },
      fromHex('46'.repeat(32)),
    );
    expect(toHex(bytes)).toBe(
      '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    );
  });

  it('is of the oldest form on chains 30 and 31: the first byte is that of a list', async () => {
    for (const chainId of [30, 31]) {
      const raw = toHex(signTransaction(chainId, transaction(legacy), key));
      expect(fromHex(raw.slice(2))[0]).toBeGreaterThanOrEqual(0xc0);
      expect(parseTransaction(raw)).toMatchObject({ type: 'legacy', chainId, nonce: 7, gasPrice: 60_000_000n });
      expect(await recoverTransactionAddress({ serializedTransaction: raw as never })).toBe(owner.address);
    }
  });

  it('is of type 2 with a fee that has a most and a tip', async () => {
    const raw = toHex(signTransaction(137, transaction(dynamic), key));
    expect(raw.slice(0, 4)).toBe('0x02');
    expect(parseTransaction(raw)).toMatchObject({
      type: 'eip1559',
      chainId: 137,
      nonce: 7,
      maxFeePerGas: 90_000_000_000n,
      maxPriorityFeePerGas: 30_000_000_000n,
      value: 5n,
    });
    expect(await recoverTransactionAddress({ serializedTransaction: raw as never })).toBe(owner.address);
  });

  it('is what another library signs, for signatures with short numbers too', async () => {
    for (let nonce = 0; nonce < 300; nonce++)
      for (const fees of [legacy, dynamic]) {
        const one = transaction(fees, nonce);
        expect(toHex(signTransaction(137, one, key))).toBe(await byViem(137, one));
      }
  });

  it('is by the account of the key', () => {
    expect(toHex(accountOf(key))).toBe(owner.address.toLowerCase());
  });
});
