import { expect, test } from 'vitest';
import { decodeInvoice } from '../../engine/adapters/lnd/decode.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { unix } from '../../engine/domain/time.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { holdLegOf } from '../../engine/taker/hold-invoice.ts';
import {
  bytesField,
  descriptionField,
  hintField,
  hashField,
  secretField,
  writeInvoice,
  type Field,
} from '../adapters/lnd/bolt11-writer.ts';

const start = unix(1_800_000_000);
const hash = asSha256(new Uint8Array(32).fill(1));

/** What is said of an invoice with these fields too. */
function judged(more: readonly Field[], restored = {}): string | null {
  const bolt11 = writeInvoice('lnbcrt20u', start, [hashField, secretField, descriptionField, ...more]);
  const leg = holdLegOf(
    { source_amount: '2000', bolt11_invoice: bolt11 },
    { network: 'regtest', hash, policy, description: 'tea', ...restored },
    { wall: start, bitcoin: { mtp: start, height: 840_000 } },
    decodeInvoice,
  );
  return isRefusal(leg) ? leg.sentence : null;
}

/** An address below a public key hash, and one of a version that nobody knows yet. */
const fallbacks: readonly Field[] = [17, 25].map((version) => ({
  tag: 9,
  words: [version, ...bytesField(9, new Uint8Array(20).fill(3)).words],
}));

test('fault 272, lightning: an invoice whose private way is dear, or holds for long, is shown to nobody', () => {
  const ways = {
    'as lnd names it': [hintField({ baseMsat: 1_000, ppm: 1, blocks: 80 })],
    'two hops, as a service names them': [
      hintField({ baseMsat: 1_000, ppm: 1_000, blocks: 144 }, { baseMsat: 1_000, ppm: 1_000, blocks: 144 }),
    ],
    'a twentieth': [hintField({ baseMsat: 0, ppm: 50_000, blocks: 80 })],
    'a base of a twentieth': [hintField({ baseMsat: 100_000, ppm: 0, blocks: 80 })],
    'ten days': [hintField({ baseMsat: 1_000, ppm: 1, blocks: 1_440 })],
    'five days, twice': [hintField({ baseMsat: 0, ppm: 0, blocks: 720 }, { baseMsat: 0, ppm: 0, blocks: 720 })],
    'a good one, and a dear one': [
      hintField({ baseMsat: 0, ppm: 0, blocks: 40 }),
      hintField({ baseMsat: 0, ppm: 50_000, blocks: 40 }),
    ],
  };
  const verdicts = Object.entries(ways).map(([name, fields]) => [
    name,
    /takes \d+ sats|hold a payment for \d+ blocks/.exec(judged(fields) ?? '')?.[0] ?? judged(fields),
  ]);
  expect(verdicts).toEqual([
    ['as lnd names it', null],
    ['two hops, as a service names them', null],
    ['a twentieth', 'takes 100 sats'],
    ['a base of a twentieth', 'takes 100 sats'],
    ['ten days', 'hold a payment for 1458 blocks'],
    ['five days, twice', 'hold a payment for 1458 blocks'],
    ['a good one, and a dear one', 'takes 100 sats'],
  ]);
  // What was paid for a swap that is found again is claimed all the same.
  expect(judged(ways['ten days'], { restored: start })).toBeNull();
});

test('fault 238: an invoice that may be paid on the chain, bound to no secret, is shown to nobody', () => {
  expect(judged([])).toBeNull();
  for (const fallback of fallbacks) {
    expect(judged([fallback])).toContain('names an address on the Bitcoin chain');
    // Nobody pays the one of a swap that is found again, and what was paid for it is claimed all the same.
    expect(judged([fallback], { restored: start })).toBeNull();
  }
});
