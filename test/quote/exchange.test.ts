import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { unix } from '../../engine/domain/time.ts';
import { leastOut, mostIn } from '../../engine/domain/slippage.ts';
import { judgeBack, judgeExchange } from '../../engine/quote/exchange.ts';
import type { DexQuote } from '../../engine/quote/ports.ts';

const at = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const amounts = fc.bigInt({ min: 0n, max: 2n ** 128n });
const slippage = fc.integer({ min: 0, max: 5_000 });

const quoteOf = (amountIn: bigint, amountOut: bigint): DexQuote => ({
  ...{ from: at(1), to: at(2), pinned: 'in', amount: amountIn, amountIn, amountOut, route: [], asked: unix(1) },
});

it('slippage never promises more than the price nor asks for less', () => {
  fc.assert(
    fc.property(amounts, slippage, (amount, bps) => {
      expect(leastOut(amount, bps)).toBeLessThanOrEqual(amount);
      expect(mostIn(amount, bps)).toBeGreaterThanOrEqual(amount);
      expect(mostIn(leastOut(amount, bps), 0)).toBe(leastOut(amount, bps));
    }),
  );
  expect([leastOut(1_000n, 50), leastOut(999n, 50), mostIn(1_000n, 50), mostIn(999n, 50)]).toEqual([
    995n,
    994n,
    1_005n,
    1_004n,
  ]);
});

it('a way back that gains more than a hundredth, or loses more than a tenth, is no price', () => {
  const judged = (back: bigint) => judgeBack(quoteOf(1_000_000n, 5n), back)?.refusal ?? 'a price';
  expect([1_010_004n, 1_010_005n, 999_000n, 899_996n, 899_995n].map(judged)).toEqual([
    'a price',
    'unavailable',
    'a price',
    'a price',
    'invalid',
  ]);
  expect(judgeBack(quoteOf(1_000_000n, 0n), 1_000_000n)?.refusal).toBe('invalid');
});

it('fault 42: an exchange sent back by a client is the router and its two functions, nothing else', () => {
  const rules = { router: at(5), selectors: ['b858183f', '09b81346'] };
  const call = (target: number, data: string, value = 0n) =>
    judgeExchange({ target: at(target), value, data: fromHex(data) }, rules)?.refusal ?? 'allowed';
  expect([
    call(5, 'b858183f00'),
    call(5, '09b81346'),
    call(6, 'b858183f'),
    call(5, 'b858183e'),
    call(5, 'b85818'),
    call(5, ''),
    call(5, 'b858183f', 1n),
  ]).toEqual(['allowed', 'allowed', 'invalid', 'invalid', 'invalid', 'invalid', 'invalid']);
});
