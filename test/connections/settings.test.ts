import { expect, test } from 'vitest';
import { createSettings } from '../../engine/connections/settings.ts';
import { heldAt, leaves, merged, withSealedCredentials } from '../../engine/connections/settings.ts';
import { readCredential } from '../../engine/connections/credentials.ts';
import { readConfig, type Config } from '../../engine/config.ts';
import type { Tree } from '../../engine/config/tree.ts';
import { parse } from '../../engine/contract/field.ts';
import { ownerRoutes } from '../../engine/contract/routes/owner.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { createSealer } from '../../engine/store/sealer.ts';

const sealer = createSealer(new Uint8Array(32).fill(1));

const sources = { flags: { sandbox: true }, environment: {}, file: null };

test('a node in its sandbox connects nothing else, and changes the rest', async () => {
  let stored: Tree = {};
  const settings = createSettings({
    start: readConfig({ ...sources, stored }) as Config,
    source: { sources, stored: () => stored, save: (next) => void (stored = next) },
    sealer,
    connections: { judge: async () => null, use: async () => undefined },
  });
  const rates: number[] = [];
  settings.onChange(({ terms }) => rates.push(terms.feeBps));
  const refused = await settings.change({ arkade: { url: 'http://127.0.0.1:1' } });
  // Two at once are made one after the other: neither forgets what the other stored.
  await Promise.all([settings.change({ terms: { feeBps: 30 } }), settings.change({ caps: { perHourSats: 5 } })]);
  expect([
    isRefusal(refused) && refused.sentence,
    stored,
    settings.config.terms.feeBps,
    settings.policy.clientLeg,
    rates,
  ]).toEqual([
    'This node is in its sandbox, which brings its own networks: start one with a configuration that names a ' +
      'network, and connect yours there.',
    { terms: { feeBps: 30 }, caps: { perHourSats: 5 } },
    30,
    86_400,
    [30, 30],
  ]);
});

test('how an HTLC from Bitcoin is written is set in a sandbox too, and nothing else of its networks', async () => {
  const settings = createSettings({
    start: readConfig({ ...sources, stored: {} }) as Config,
    source: { sources, stored: () => ({}), save: () => undefined },
    sealer,
    connections: { judge: async () => null, use: async () => undefined },
  });
  const esplora = ['http://127.0.0.1:1'];
  const refused = [
    await settings.change({ bitcoin: { htlcForm: 'p2tr', esplora } }),
    await settings.change({ bitcoin: null }),
    await settings.change({ evm: { '137': { rpc: esplora } } }),
  ];
  expect(refused.map(isRefusal)).toEqual([true, true, true]);
  expect(settings.config.bitcoin).toMatchObject({ htlcForm: 'p2wsh', core: null, esplora: [] });
  await settings.change({ bitcoin: { htlcForm: 'p2tr' } });
  expect(settings.config.bitcoin).toMatchObject({ htlcForm: 'p2tr', core: null, esplora: [] });
});

test('fault 193, config: neither a change nor a test of one takes a chain of another worth', async () => {
  const own = { flags: {}, environment: {}, file: { name: 'node.json', content: { network: 'signet' } } };
  const settings = createSettings({
    start: readConfig({ ...own, stored: {} }) as Config,
    source: { sources: own, stored: () => ({}), save: () => expect.fail('it was saved') },
    sealer,
    connections: { judge: async () => null, use: async () => undefined },
  });
  const patch = { evm: { '1': { rpc: ['http://127.0.0.1:1'] } } };
  const refusals = [await settings.change(patch), settings.propose(patch)].map((one) => isRefusal(one) && one.sentence);
  expect(new Set(refusals)).toEqual(
    new Set(['evm.1 cannot be set on signet: one of the two is for tests, the other for money. signet takes 31.']),
  );
});

test('a patch merges objects, replaces anything else, and null takes away', () => {
  const stored = {
    terms: { feeBps: 1, minSats: 2 },
    bitcoin: { esplora: ['a'] },
    evm: { '1': { rpc: ['x'] } },
    lnd: { socket: 'a:1', macaroon: { sealed: 'aa' }, certFile: '/c' },
  };
  const dex = { evm: { '137': { rpc: ['x'], dex: { quoter: 'q', router: 'r' } } } };
  expect(merged(dex, { evm: { '137': { dex: { quoter: null, router: null } } } })).toEqual({
    evm: { '137': { rpc: ['x'] } },
  });
  expect([
    merged(stored, {
      terms: { feeBps: null },
      bitcoin: { esplora: ['b', 'c'] },
      evm: { '1': null },
      lnd: { macaroonFile: '/m', cert: { sealed: 'bb' } },
    }),
    leaves({ a: { b: 1, c: { d: null } }, e: [1], f: { sealed: 'aa' } }),
    [
      heldAt({ lnd: null }, ['lnd', 'socket']),
      heldAt({ lnd: { socket: 'x' } }, ['lnd', 'socket']),
      heldAt({}, ['lnd', 'socket']),
    ],
  ]).toEqual([
    {
      terms: { minSats: 2 },
      bitcoin: { esplora: ['b', 'c'] },
      lnd: { socket: 'a:1', macaroonFile: '/m', cert: { sealed: 'bb' } },
    },
    [['a', 'b'], ['a', 'c', 'd'], ['e'], ['f']],
    [null, 'x', undefined],
  ]);
});

test('a credential is taken in every form that tools print, and opens only in its own place and seed', () => {
  const macaroon = Uint8Array.of(2, 1, 3, 0xff, 0xfe);
  const given = ['020103fffe', Buffer.from(macaroon).toString('base64'), Buffer.from(macaroon).toString('base64url')];
  const sealed = given.map(
    (text) =>
      ((withSealedCredentials({ lnd: { macaroon: text } }, sealer) as Tree)['lnd'] as { macaroon: { sealed: string } })
        .macaroon,
  );
  const opened = sealed.map((one) => readCredential('lnd.macaroon', one, sealer));
  expect(opened).toEqual([macaroon, macaroon, macaroon]);
  const elsewhere = [
    readCredential('lnd.cert', sealed[0]!, sealer),
    readCredential('lnd.macaroon', sealed[0]!, createSealer(new Uint8Array(32).fill(2))),
  ];
  expect(elsewhere.map((one) => isRefusal(one) && one.sentence)).toEqual([
    'lnd.cert was sealed under the key of another seed: give it again to PATCH /owner/settings.',
    'lnd.macaroon was sealed under the key of another seed: give it again to PATCH /owner/settings.',
  ]);
  expect(withSealedCredentials({ lnd: { macaroon: true, socket: 'a:1' } }, sealer)).toEqual({ lnd: { socket: 'a:1' } });
});

test('a request to change them reaches whoever judges settings with every name that it has', () => {
  const { body } = ownerRoutes.changeSettings;
  const given = JSON.parse('{"__proto__": {"feeBps": 1}, "terms": null}') as Tree;
  expect(JSON.stringify(parse(body, given))).toBe(JSON.stringify(given));
  for (const one of [null, [], 'x', 1])
    expect(parse(body, one)).toMatchObject({ refusal: 'invalid', sentence: expect.stringContaining('JSON object') });
});

test('what no setting can look like is refused with its own reason, however deep it is', async () => {
  const settings = createSettings({
    start: readConfig({ ...sources, stored: {} }) as Config,
    source: {
      sources: { ...sources, file: { name: 'sluice.json', content: { terms: { feeBps: 30 } } } },
      stored: () => ({}),
      save: () => undefined,
    },
    sealer,
    connections: { judge: async () => null, use: async () => undefined },
  });
  const deep = Array.from({ length: 6_000 }).reduce<unknown>((below) => ({ a: below }), 1);
  const deepList = Array.from({ length: 6_000 }).reduce<unknown>((below) => [below], 1);
  const given = [
    deep,
    { evm: deepList },
    { constructor: 1 },
    { terms: { constructor: { name: 'x' } } },
    JSON.parse('{"__proto__": {"feeBps": 1}}'),
    { toString: null, terms: { feeBps: 31 } },
    { terms: { feebps: null } },
    { bitcoin: { htlcForm: null }, terms: { feeBps: 31 } },
  ] as Parameters<typeof settings.change>[0][];
  const answers = [];
  for (const patch of given) answers.push(await settings.change(patch));
  expect(answers.map((answer) => isRefusal(answer) && answer.sentence.slice(0, 44))).toEqual([
    'The settings are nested more than 8 levels d',
    'The settings are nested more than 8 levels d',
    'Unknown key "constructor" in the request: kn',
    'Unknown key "terms.constructor" in the reque',
    'Unknown key "__proto__" in the request: take',
    'Unknown key "toString" in the request: did y',
    'Unknown key "terms.feebps" in the request: d',
    'terms.feeBps is set by the file sluice.json,',
  ]);
});
