import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from '../../engine/config.ts';
import { isRefusal } from '../../engine/domain/errors.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

const schema = JSON.parse(
  readFileSync(new URL('../../resources/config.schema.json', import.meta.url), 'utf8'),
) as Schema;

const wrongValues: readonly unknown[] = [
  null,
  -1,
  1.5,
  1e300,
  '',
  'x',
  true,
  [],
  [null],
  [{}],
  {},
  { 'evm:1': 'x' },
  { url: 1 },
];

/** Configurations with one place of them made wrong. */
function* spoiled({
  properties = {},
  additionalProperties,
  items,
  prefixItems = [],
  anyOf = [],
}: Schema): Generator<unknown> {
  yield* wrongValues;
  for (const [name, inner] of Object.entries(properties)) for (const value of spoiled(inner)) yield { [name]: value };
  if (typeof additionalProperties === 'object')
    for (const name of ['137', 'arkade']) for (const value of spoiled(additionalProperties)) yield { [name]: value };
  for (const inner of [items, ...prefixItems])
    if (inner !== undefined) for (const value of spoiled(inner)) yield [value];
  for (const inner of anyOf) yield* spoiled(inner);
}

function sentences(content: unknown): string[] {
  const config = readConfig({ flags: {}, environment: {}, file: { name: 'node.json', content }, stored: null });
  return isRefusal(config) ? [config.sentence] : [];
}

/** The library's own words, and values that name no setting. */
const unfit =
  /Invalid|Too (small|big)|expected (string|number|object|array|boolean|record)|received|nonoptional|\[object|The setting {1,2}(cannot|is)/;

test('whatever a configuration has wrong is told in a sentence that names the setting', () => {
  const all = [...new Set([...spoiled(schema)].flatMap(sentences))];
  expect(all.filter((sentence) => unfit.test(sentence) || !/[.?]$/.test(sentence))).toEqual([]);
  expect(all.length).toBeGreaterThan(300);
});

test.each([
  [{ port: 'high' }, 'The setting port cannot be "high": it takes a number.'],
  [{ port: 70_000 }, 'The setting port cannot be 70000: it takes at most 65535.'],
  [{ terms: { feeBps: 1.5 } }, 'The setting terms.feeBps cannot be 1.5: it takes a whole number.'],
  [
    { network: 'testnet' },
    'The setting network cannot be "testnet": it takes one of mainnet, signet, mutinynet, regtest.',
  ],
  [{ network: 'regtest', arkade: {} }, 'The setting arkade.url is missing: it takes an http or https address.'],
  [
    { prices: { source: 'https://prices.example' } },
    'The setting prices.source cannot be "https://prices.example": it takes url and path, or chain, pool and bitcoin.',
  ],
  [{ evm: { polygon: {} } }, 'The setting evm cannot have the name "polygon": it takes an EVM chain id.'],
  [{ taker: { providers: ['x'] } }, 'The setting taker.providers.0 cannot be "x": it takes an http or https address.'],
])('%j', (content, sentence) => {
  expect(sentences(content)).toEqual([sentence]);
});

test('a file that nests without end, or names what no object can hold, is refused in a sentence', () => {
  const deep = Array.from({ length: 6_000 }).reduce<unknown>((below) => ({ a: below }), 1);
  expect([...sentences(deep), ...sentences(JSON.parse('{"terms": {"__proto__": {"feeBps": 1}}}'))]).toEqual([
    'The settings are nested more than 8 levels deep in the file node.json, and none lies there: take out what is ' +
      'no setting.',
    'Unknown key "__proto__" in the file node.json: take out what is no setting.',
  ]);
});
