import { describe, expect, it } from 'vitest';
import { invoiceAmount } from '../../engine/contract/invoice.ts';

const data = `p${'q'.repeat(120)}`;

describe('the amount of an invoice', () => {
  // Multipliers: BOLT 11, "Human-Readable Part": m, u, n, p are 10^-3, 10^-6, 10^-9, 10^-12 bitcoin.
  it.each([
    ['lnbc20m1', 2_000_000n],
    ['lnbc2500u1', 250_000n],
    ['lntb9678785340p1', undefined],
    ['lnbcrt10n1', 1n],
    ['lntbs250000000p1', 25_000n],
    ['lnbc11', 100_000_000n],
    ['lnbc1', undefined],
    ['lnbc0u1', undefined],
    ['lnbc25p1', undefined],
    ['lnbc9678785340p1', undefined],
    ['lnxx20m1', undefined],
  ])('%s', (head, amount) => {
    const read = invoiceAmount('lightning_invoice', head + data);
    expect(typeof read === 'bigint' ? read : undefined).toBe(amount);
  });
});
