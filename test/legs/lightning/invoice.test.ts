import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { asPublicKey, asSha256 } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { minute, seconds, unix } from '../../../engine/domain/time.ts';
import { type Bolt11, checkInvoice, type InvoiceRules } from '../../../engine/legs/lightning/invoice.ts';

const now = unix(1_800_000_000);
const payee = asPublicKey(new Uint8Array(33).fill(2));

const invoice: Bolt11 = {
  text: 'lnbcrt…',
  network: 'regtest',
  amountMsat: 50_000_000n,
  hash: asSha256(new Uint8Array(32)),
  createdAt: now,
  expiresAt: unix(now + 3_600),
  finalCltv: 18,
  description: 'tea',
  descriptionHash: null,
  payee,
  hasFallback: false,
  hinted: { feeMsat: 0n, blocks: 0 },
};
const rules: InvoiceRules = {
  network: 'regtest',
  now,
  fundingWindow: seconds(30 * minute),
  ownNode: asPublicKey(new Uint8Array(33).fill(3)),
  targetAmount: null,
};

function check(changed: Partial<Bolt11>, ruled: Partial<InvoiceRules> = {}): bigint | string {
  const answer = checkInvoice({ ...invoice, ...changed }, { ...rules, ...ruled });
  return isRefusal(answer) ? answer.sentence : answer;
}

describe('fault 28: an invoice to pay out', () => {
  it('is accepted with its amount in satoshis, and with a target amount that agrees', () => {
    expect([check({}), check({}, { targetAmount: sats(50_000) }), check({}, { ownNode: null })]).toEqual([
      50_000n,
      50_000n,
      50_000n,
    ]);
  });

  it('is refused with a sentence of its own for every rule, naming the limit and the given value', () => {
    const sentences = [
      check({ network: 'mainnet' }),
      check({ network: 'other' }),
      check({ amountMsat: null }),
      check({ amountMsat: 0n }),
      check({ amountMsat: 50_000_001n }),
      check({}, { targetAmount: sats(50_001) }),
      check({ expiresAt: now }),
      check({ expiresAt: unix(now + 1_859) }),
      check({}, { ownNode: payee }),
    ];
    expect(sentences).toEqual([
      expect.stringMatching(/another network \(mainnet\).*regtest/),
      expect.stringMatching(/another network \(other\).*regtest/),
      expect.stringMatching(/carries no amount/),
      expect.stringMatching(/asks for 0 sats/),
      expect.stringMatching(/50000001 millisatoshis.*whole satoshis/),
      expect.stringMatching(/target_amount_sats is 50001.*asks for 50000/),
      expect.stringMatching(/expired at 1800000000/),
      expect.stringMatching(/expires at 1800001859.*\(1800001860\)/),
      expect.stringMatching(/cannot pay itself/),
    ]);
  });

  it('may expire exactly one minute after the end of the funding window', () => {
    expect(check({ expiresAt: unix(now + 1_860) })).toBe(50_000n);
  });
});
