import { expect, test } from 'vitest';
import { readConfig } from '../../engine/config.ts';
import { directionNames } from '../../engine/domain/chain.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { settingOf, termsFor } from '../../engine/domain/terms.ts';

function read(terms: unknown, environment: Record<string, string> = {}) {
  const file = { name: 'node.json', content: { terms } };
  const config = readConfig({ flags: { sandbox: true }, environment, file, stored: {} });
  return isRefusal(config) ? config.sentence : config.terms;
}

function accepted(terms: unknown, environment?: Record<string, string>) {
  const read_ = read(terms, environment);
  if (typeof read_ === 'string') throw new Error(read_);
  return read_;
}

test('one number serves every direction, and one that has its own goes by it', () => {
  const terms = accepted({ feeBps: 30, minSats: 2_000, directions: { 'arkade-evm': { feeBps: 60, flatSats: 100 } } });
  const others = directionNames.filter((name) => name !== 'arkade-evm').map((name) => termsFor(terms, name));
  expect([termsFor(terms, 'arkade-evm'), new Set(others.map((one) => JSON.stringify(one))).size, others[0]]).toEqual([
    { feeBps: 60, flatSats: 100, minSats: 2_000, maxSats: 10_000_000 },
    1,
    { feeBps: 30, flatSats: 0, minSats: 2_000, maxSats: 10_000_000 },
  ]);
  expect([settingOf(terms, 'arkade-evm', 'feeBps'), settingOf(terms, 'arkade-evm', 'minSats')]).toEqual([
    'terms.directions.arkade-evm.feeBps',
    'terms.minSats',
  ]);
});

test('the environment names a direction as it names every setting', () => {
  const terms = accepted(
    { directions: { 'lightning-arkade': { feeBps: 60, maxSats: 500_000 } } },
    { SLUICE_TERMS__DIRECTIONS__LIGHTNING_ARKADE__FEE_BPS: '40', SLUICE_TERMS__INVENTORY__SPREAD_BPS: '15' },
  );
  expect([terms.directions, terms.inventory]).toEqual([
    { 'lightning-arkade': { feeBps: 40, maxSats: 500_000 } },
    { spreadBps: 15, belowShareBps: 2_500 },
  ]);
});

test.each([
  [
    { directions: { 'lightning-arkad': { feeBps: 1 } } },
    'Unknown key "terms.directions.lightning-arkad" in the file node.json: did you mean ' +
      '"terms.directions.lightning-arkade"?',
  ],
  [
    { directions: { 'lightning-arkade': { fee: 1 } } },
    'Unknown key "terms.directions.lightning-arkade.fee" in the file node.json: did you mean ' +
      '"terms.directions.lightning-arkade.feeBps"?',
  ],
  [
    { directions: { 'arkade-evm': { feeBps: 20_000 } } },
    'The setting terms.directions.arkade-evm.feeBps cannot be 20000: it takes at most 10000.',
  ],
  [
    { directions: { 'arkade-evm': { flatSats: -1 } } },
    'The setting terms.directions.arkade-evm.flatSats cannot be -1: it takes at least 0.',
  ],
  [
    { directions: { 'arkade-evm': { minSats: 1.5 } } },
    'The setting terms.directions.arkade-evm.minSats cannot be 1.5: it takes a whole number.',
  ],
  [
    { directions: { 'arkade-evm': { minSats: 5_000, maxSats: 4_000 } } },
    'terms.directions.arkade-evm.minSats (5000) is above terms.directions.arkade-evm.maxSats (4000): lower the one or ' +
      'raise the other.',
  ],
  [
    { minSats: 5_000, directions: { 'arkade-evm': { maxSats: 4_000 } } },
    'terms.minSats (5000) is above terms.directions.arkade-evm.maxSats (4000): lower the one or raise the other.',
  ],
  [
    { directions: { 'arkade-evm': { feeBps: 84 } } },
    'terms.directions.arkade-evm.feeBps cannot be 84: as a fraction of binary digits that is a little less, and ' +
      'clients would show one satoshi less than a swap costs. Set 83.',
  ],
  [{ inventory: { spreadBps: 1_001 } }, 'The setting terms.inventory.spreadBps cannot be 1001: it takes at most 1000.'],
  [{ inventory: { belowShareBps: 0 } }, 'The setting terms.inventory.belowShareBps cannot be 0: it takes at least 1.'],
])('terms that cannot be are refused with one sentence (%#)', (terms, sentence) => {
  expect(read(terms)).toBe(sentence);
});
