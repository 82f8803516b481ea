import { expect, test } from 'vitest';
import type { OperatorFacts } from '../../engine/adapters/arkade/probe.ts';
import type { BitcoinFacts } from '../../engine/adapters/bitcoin/probe.ts';
import type { LndProbe } from '../../engine/adapters/lnd/probe.ts';
import type { BitcoinNetwork } from '../../engine/domain/chain.ts';
import { sats } from '../../engine/domain/money.ts';
import { seconds, unix } from '../../engine/domain/time.ts';
import { judgeArkade, type ArkadeTerms } from '../../engine/doctor/judge/arkade.ts';
import { judgeBitcoin } from '../../engine/doctor/judge/bitcoin.ts';
import { judgeLightning } from '../../engine/doctor/judge/lightning.ts';
import { judgeMachine, type Limits, type MachineFacts } from '../../engine/doctor/judge/machine.ts';
import type { Row } from '../../engine/doctor/judge/row.ts';
import type { ClockLimits } from '../../engine/legs/clock-limits.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import { lightningFailure, type LightningFailure } from '../../engine/legs/lightning/failures.ts';

const now = 1_800_000_000;
const mainnet = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';

/** What did not pass: its result, its check, its sentence. */
function sentences(rows: readonly Row[]): string[] {
  return rows
    .filter(({ result }) => result !== 'pass')
    .map(({ result, check, sentence }) => `${result} ${check}: ${sentence}`);
}

/** As they are where nothing is set. */
function limitsOn(network: BitcoinNetwork): ClockLimits {
  const strict = network !== 'regtest';
  return {
    lag: { seconds: seconds(10_800), strict },
    tipAge: { seconds: seconds(10_800), strict },
    behind: { seconds: seconds(strict ? 900 : 7_200), strict: true },
  };
}

function bitcoin(change: Partial<BitcoinFacts>, network: BitcoinNetwork = 'mainnet'): string[] {
  const facts: BitcoinFacts = {
    kind: 'core',
    genesis: mainnet,
    second: null,
    version: '/Satoshi:29.0.0/',
    height: 900_000,
    tip: 'aa'.repeat(32),
    tipTime: now - 600,
    mtp: now - 4_000,
    headers: 900_000,
    syncing: false,
    prunedBelow: null,
    forbidden: [],
    peers: 8,
    latencyMs: 5,
    clock: now,
    ...change,
  };
  return sentences(
    judgeBitcoin(
      [{ name: 'the Bitcoin node', setting: 'bitcoin.core.url', kind: 'node', answer: { is: 'answered', facts } }],
      { network, machine: now, wall: now, limits: limitsOn(network), disagreement: null, reserve: null },
    ),
  );
}

test.each<[string, Partial<BitcoinFacts>, RegExp[]]>([
  ['well', {}, []],
  ['btcd of the tests', { version: 'btcd 0.24.2', syncing: null }, []],
  [
    'too old',
    { version: '/Satoshi:24.1.0/' },
    [/^warn version: .* runs \/Satoshi:24\.1\.0\/, older than what was tried/],
  ],
  ['unheard of', { version: '/Satoshi:40.0.0/' }, [/^warn version: .* newer than what was tried/]],
  ['two blocks short', { height: 899_998 }, []],
  ['three blocks short', { height: 899_997 }, [/^fail sync: .* is at height 899997 and knows of 3 blocks more/]],
  ['in the first download', { syncing: true }, [/^fail sync: .* still downloads the history/]],
  ['quiet for two hours', { tipTime: now - 7_200 }, [/^warn sync: .* had its last block 2 h ago/]],
  ['cut off', { tipTime: now - 20_000 }, [/^fail sync: .* had its last block 6 h ago: it is cut off/]],
  [
    'quiet for as long as new swaps wait for',
    { tipTime: now - 10_801 },
    [
      /^fail sync: .* had its last block 3 h ago: it is cut off from the network, or this machine's clock is ahead\. New swaps over Bitcoin wait until then\.$/,
    ],
  ],
  ['with a tip ahead by a quarter of an hour', { tipTime: now + 900 }, []],
  [
    'with a tip ahead by more',
    { tipTime: now + 5_400 },
    [/^warn sync: The last block of .* is 90 min ahead of this machine's clock, which its miner may have chosen/],
  ],
  [
    'three hours behind',
    { mtp: now - 10_801 },
    [
      /^fail lag: The median time past of .* is 3 h behind this machine's clock, up to 3 h are usual: .* New swaps over Bitcoin wait until then\.$/,
    ],
  ],
  [
    'with our clock behind its median',
    { mtp: now + 901 },
    [/^fail lag: This machine's clock is 15 min behind the median time past of /],
  ],
  [
    'our clock behind',
    { tipTime: now + 9_000 },
    [/^fail sync: The last block of .* is 3 h ahead of this machine's clock/],
  ],
  ['their clock a little ahead', { clock: now + 11 }, [/^warn clock: .* is 11 s ahead of this machine's clock/]],
  ['their clock far behind', { clock: now - 121 }, [/^fail clock: .* is 121 s behind this machine's clock/]],
  ['pruned to a month', { prunedBelow: 895_000 }, []],
  [
    'a whitelist without two methods',
    { forbidden: ['scantxoutset', 'submitpackage'] },
    [/^fail methods: .* does not let this user call scantxoutset, submitpackage: name them in its rpcwhitelist/],
  ],
  [
    'pruned to two days',
    { prunedBelow: 899_711 },
    [/^warn history: .* keeps the last 290 blocks only, up to 1008 are looked through/],
  ],
  ['alone', { peers: 0 }, [/^fail peers: .* has no peers/]],
  ['slow', { latencyMs: 1_001 }, [/^warn latency: .* took 1001 ms/]],
])('a Bitcoin node, %s', (_, change, expected) => {
  expect(bitcoin(change)).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as string));
});

test('regtest has neither peers nor regular blocks, and is not blamed for it', () => {
  expect(
    bitcoin(
      {
        genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
        peers: 0,
        tipTime: now - 1_000_000,
        syncing: true,
      },
      'regtest',
    ),
  ).toEqual([]);
});

test('two endpoints with different blocks at one height are on two branches', () => {
  const facts = (tip: string): BitcoinFacts => ({
    kind: 'esplora',
    genesis: mainnet,
    second: null,
    version: null,
    height: 900_000,
    tip,
    tipTime: now,
    mtp: null,
    headers: null,
    syncing: null,
    prunedBelow: null,
    forbidden: [],
    peers: null,
    latencyMs: 5,
    clock: now,
  });
  const endpoints = ['aa', 'bb'].map((tip) => ({
    name: `the server ${tip}`,
    setting: 'bitcoin.esplora',
    kind: 'public' as const,
    answer: { is: 'answered', facts: facts(tip.repeat(32)) } as const,
  }));
  expect(
    sentences(
      judgeBitcoin(endpoints, {
        network: 'mainnet',
        machine: now,
        wall: now,
        limits: limitsOn('mainnet'),
        disagreement: null,
        reserve: null,
      }),
    ),
  ).toEqual([
    'warn agreement: The server aa and the server bb have different blocks at height 900000: look again after the ' +
      'next block, one of them is on a branch.',
  ]);
});

test("fault 49: whose word counts is said: the own node's, several servers' or a single one's", () => {
  const facts: BitcoinFacts = {
    kind: 'esplora',
    genesis: mainnet,
    second: null,
    version: null,
    height: 900_000,
    tip: 'aa'.repeat(32),
    tipTime: now,
    mtp: null,
    headers: null,
    syncing: null,
    prunedBelow: null,
    forbidden: [],
    peers: null,
    latencyMs: 5,
    clock: now,
  };
  const trust = (kinds: readonly ('node' | 'own' | 'public')[], disagreement: string | null = null) =>
    judgeBitcoin(
      kinds.map((kind, i) => ({
        name: `the source ${i + 1}`,
        setting: 'bitcoin',
        kind,
        answer: { is: 'answered', facts } as const,
      })),
      { network: 'mainnet', machine: now, wall: now, limits: limitsOn('mainnet'), disagreement, reserve: null },
    )
      .filter(({ check }) => check === 'trust' || check === 'disagreement')
      .map(({ result, sentence }) => `${result} ${sentence}`);
  expect([
    trust(['node', 'own', 'public']),
    trust(['own', 'public']),
    trust(['public', 'public']),
    trust(['public']),
    trust([]),
    trust(['node'], 'They differ.'),
  ]).toEqual([
    ['pass The source 1 is your own, and its word counts; the others are checked against it.'],
    ['pass The source 1 is your own, and its word counts; the others are checked against it.'],
    [
      'pass 2 Bitcoin servers must agree on a block before it counts as confirmed; while one of them is ' +
        'silent nothing does.',
    ],
    [
      'warn The source 1 is the only Bitcoin source, and its word counts: connect a node of your own, or name a ' +
        'second server beside it.',
    ],
    [],
    [
      'pass The source 1 is your own, and its word counts.',
      'fail They differ. Until then new swaps over Bitcoin wait, and open ones go on.',
    ],
  ]);
});

test('the reserve for fees is enough, in too few coins, or short, and what to do is said', () => {
  const on = { network: 'mainnet', machine: now, wall: now, limits: limitsOn('mainnet'), disagreement: null } as const;
  const rows = (reserve: { coins: number; held: number | null; heldIn: number } | null) =>
    judgeBitcoin([], {
      ...on,
      reserve:
        reserve === null
          ? null
          : { ...reserve, each: sats(25_000), held: reserve.held === null ? null : sats(reserve.held) },
    }).flatMap(({ check, result, sentence }) => (check === 'reserve' ? [`${result} ${sentence}`] : []));
  expect([
    rows(null),
    rows({ coins: 0, held: 0, heldIn: 0 }),
    rows({ coins: 2, held: null, heldIn: 0 }),
    rows({ coins: 2, held: 60_000, heldIn: 2 }),
    rows({ coins: 2, held: 60_000, heldIn: 1 }),
    rows({ coins: 2, held: 49_999, heldIn: 1 }),
  ]).toEqual([
    [],
    [],
    [],
    ['pass The Bitcoin wallet keeps 2 coins of 25000 sats for fees of what is open.'],
    [expect.stringMatching(/^warn .* and has 1 that suffice: .* a deposit in several parts helps now\.$/)],
    [expect.stringMatching(/^fail .* holds 49999 sats, .* deposit 1 more\. .* claims go on\.$/)],
  ]);
});

const wellLnd: LndProbe = {
  rights: { rights: [], lacking: [], unlisted: [], excess: [] } as unknown as NonNullable<LndProbe['rights']>,
  node: {
    alias: 'mine',
    pubkey: '02'.repeat(33),
    version: '0.20.2-beta',
    network: 'mainnet',
    height: 900_000,
    synced: true,
    syncedToGraph: true,
    tipTime: unix(now - 600),
    latencyMs: 5,
  },
  channels: {
    ...{ active: 2, inactive: 0, unsure: 0 },
    ...{ outbound: sats(5), inbound: sats(5), pending: sats(0), leastHeld: sats(5_894) },
  },
  closing: { coins: sats(1_000_000), channels: 0, htlcs: [], hashes: [], theirs: [] },
};

function lightning(change: Partial<LndProbe>, height: number | null = 900_000): string[] {
  const endpoint = {
    name: 'the Lightning node',
    setting: 'lnd.socket',
    credentials: 'lnd.macaroonFile',
    certificate: 'lnd.certFile',
    bakeCommand: 'lncli bake',
    probe: { ...wellLnd, ...change },
  };
  return sentences(judgeLightning(endpoint, { network: 'mainnet', wall: now, height }));
}

const node = (change: object) => ({ node: { ...(wellLnd.node as object), ...change } as LndProbe['node'] });
const channels = (change: object) => ({
  channels: { ...(wellLnd.channels as object), ...change } as LndProbe['channels'],
});
const failed = (code: LightningFailure, words: string) => ({
  node: lightningFailure(code, 'safe', words),
  channels: lightningFailure(code, 'safe', words),
});

test.each<[string, Partial<LndProbe>, RegExp[]]>([
  ['well', {}, []],
  [
    'behind its chain',
    node({ synced: false, tipTime: now - 7_200 }),
    [/^fail sync: .* does not follow the chain, it is at height 900000 with a block of 2 h ago/],
  ],
  ['without the graph', node({ syncedToGraph: false }), [/^warn graph: /]],
  [
    'on another height',
    node({ height: 899_990 }),
    [/^fail one chain: .* is at height 899990, the Bitcoin endpoint at 900000/],
  ],
  ['too new', node({ version: '0.22.0-beta' }), [/^warn version: .* newer/]],
  ['too old to be tried', node({ version: '0.19.3-beta' }), [/^warn version: .* older/]],
  [
    'too old to claim (fault 368)',
    node({ version: '0.18.5-beta' }),
    [/^fail version: .* without coins for half of each payment: update lnd/],
  ],
  [
    'without channels',
    channels({ active: 0, inactive: 0, outbound: 0n, inbound: 0n }),
    [/^warn channels: .* has no channel: open one/],
  ],
  ['without a peer', channels({ active: 0, inactive: 3 }), [/^warn channels: None of the 3 channels .* is active/]],
  [
    'without coins to close a channel',
    { closing: { coins: sats(15_639), channels: 0, htlcs: [], hashes: [], theirs: [] } },
    [/^warn chain wallet: At 10 sats .* has 15639 sats in blocks, .* send at least 1 sats to an address of it\.$/],
  ],
  [
    'with channels that hold nothing surely',
    channels({ unsure: 2, inbound: 0n }),
    [
      /^warn channels: None of the 2 active channels of .* Open a channel with anchors.* from Lightning are not offered/,
    ],
  ],
  [
    'full on our side, but for one that is not sure',
    channels({ unsure: 1, inbound: 0n }),
    [/^warn channels: .* needs remote balance of a channel\. Payments over 1 of its channels are not held safely/],
  ],
  [
    'full on our side',
    channels({ inbound: 0n }),
    [/^warn channels: 5 sats can be sent and 0 received .* receiving needs remote balance/],
  ],
  [
    'silent',
    failed('lightning-timeout', 'no answer'),
    [/^fail connection: .* gave no answer in time \(lnd says nothing while its Bitcoin backend is away\)/],
  ],
  [
    'locked',
    failed('lightning-starting', 'wallet locked'),
    [/^fail connection: .* is still starting \(wallet locked\): wait until it is ready, or unlock its wallet/],
  ],
  [
    'nowhere',
    failed('lightning-away', 'Name resolution failed for target dns:x'),
    [/^fail connection: .* cannot be found/],
  ],
  [
    'breaking off',
    failed('lightning-away', 'gave no answer: Connection dropped.'),
    [/^fail connection: .* could not be asked \(gave no answer: Connection dropped\.\)/],
  ],
])('a Lightning node, %s', (_, change, expected) => {
  expect(lightning(change)).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as string));
});

test('a Lightning node is not held against a height that nobody knows', () => {
  expect(judgeLightning(null, { network: 'mainnet', wall: now, height: null }).map(({ result }) => result)).toEqual([
    'warn',
  ]);
  expect(lightning(node({ height: 1 }), null)).toEqual([]);
});

// Keys and checkpoint script as an operator publishes them; only their agreement matters here.
const key = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;
/** A checkpoint script that leaves a day, 169 times 512 seconds. */
const checkpoint = `03a90040b27520${key.slice(2)}ac`;

function arkade(change: Partial<OperatorFacts>, terms: Partial<ArkadeTerms> = {}): string[] {
  const facts: OperatorFacts = {
    version: '',
    network: 'bitcoin',
    signerKey: key,
    forfeitKey: key,
    checkpointScript: checkpoint,
    exitDelay: 86_528,
    dust: 330,
    minAmount: 330,
    maxAmount: -1,
    sessionSeconds: 30,
    latencyMs: 5,
    clock: now,
    ...change,
  };
  const all: ArkadeTerms = {
    network: 'mainnet',
    policy: defaultPolicy,
    min: { setting: 'terms.minSats', sats: 1_000 },
    max: { setting: 'terms.maxSats', sats: 10_000_000 },
    maxExposureSats: 0,
    maxUnsavedSats: 1_000,
    unsavedSats: null,
    sandbox: false,
    machine: now,
    wallet: null,
    ...terms,
  };
  return sentences(
    judgeArkade({ name: 'the operator', setting: 'arkade.url', answer: { is: 'answered', facts } }, all),
  );
}

test('on mainnet an exit delay of a day makes every lock rely on the operator', () => {
  expect(arkade({})).toEqual([
    'warn exit delay: The exit delay of the operator is 24 h and locks last 12 h and 24 h, but a claim without ' +
      'the operator takes 26 h: claims rely on the operator to be there, set arkade.maxExposureSats to what you ' +
      'would trust it with.',
    'warn exposure: The amount with the operator has no limit: set arkade.maxExposureSats to the most you would ' +
      'trust it with.',
  ]);
  expect(arkade({ exitDelay: 84 * 512 }, { maxExposureSats: 7 })).toEqual([
    'warn exit delay: The exit delay of the operator is 12 h and our own locks last 12 h, but a claim without the ' +
      'operator takes 14 h: claims rely on the operator to be there, arkade.maxExposureSats bounds that to 7 sats.',
  ]);
  expect(arkade({ checkpointScript: `03010040b27520${key.slice(2)}ac` })).toEqual([
    'fail checkpoint: The Arkade operator may sweep checkpoints after 512 seconds, at least 86400 seconds are ' +
      'needed: do not use this operator.',
  ]);
});

test('a limit that the operator does not fit is named by the setting it comes from', () => {
  const own = (term: string, sats: number) => ({ setting: `terms.directions.arkade-evm.${term}`, sats });
  const limits = { min: own('minSats', 100), max: own('maxSats', 20_000) };
  const rows = (facts: object) =>
    arkade({ exitDelay: 512, ...facts }, { maxExposureSats: 1, ...limits }).filter((row) => row.includes(' limits'));
  expect([rows({ dust: 330 }), rows({ maxAmount: 10_000, dust: 50 })]).toEqual([
    [
      'warn limits: The operator takes no coin below 330 sats, terms.directions.arkade-evm.minSats is 100: set ' +
        'terms.directions.arkade-evm.minSats to that plus the fee.',
    ],
    [
      'fail limits: The operator takes no coin above 10000 sats, terms.directions.arkade-evm.maxSats is 20000: lower ' +
        'terms.directions.arkade-evm.maxSats to that.',
    ],
  ]);
});

test('what could not leave the operator alone is told, and stops what is new above its bound', () => {
  const rows = (terms: Partial<ArkadeTerms>) => arkade({ exitDelay: 512 }, { maxExposureSats: 1, ...terms });
  expect([rows({}), rows({ unsavedSats: 1_000n }), rows({ unsavedSats: 9n, sandbox: true })]).toEqual([[], [], []]);
  expect(rows({ unsavedSats: 1_001n })).toEqual([
    'fail way to the chain: 1001 sats with the operator have no saved exit, and arkade.maxUnsavedSats is ' +
      '1000: new swaps over Arkade wait until the operator shows their exits. Keep the node running, or ' +
      'withdraw from the operator.',
  ]);
  expect(rows({ unsavedSats: 7n, maxUnsavedSats: 0 })).toEqual([
    'warn way to the chain: Nothing bounds what may lie with the operator without its way to the chain being ' +
      'saved; now it is 7: set arkade.maxUnsavedSats to what you would trust it with.',
  ]);
});

test('fault 56: a node with keys tells of coins that expire, coins on the chain and an empty wallet', () => {
  const none = { coins: 0, sats: 0n, from: null };
  const wallet = (
    available: bigint,
    firstExpiry: number | null,
    onChain: { coins: number; sats: bigint; from: number | null } = none,
  ) => arkade({ exitDelay: 512 }, { maxExposureSats: 1, wallet: { available, firstExpiry, now, onChain } });
  const leg = defaultPolicy.serverLeg + defaultPolicy.mtpLag + defaultPolicy.margin;
  expect([wallet(1_000n, now + leg), wallet(1_000n, now + leg - 1_801), wallet(999n, null)]).toEqual([
    [],
    [expect.stringMatching(/^warn expiry: A coin of ours expires in 16 h, a lock needs one that lives 17 h/)],
    [expect.stringMatching(/^warn liquidity: Only 999 sats are available with the operator, terms.minSats is 1000/)],
  ]);
  const stranded = (from: number | null) => wallet(1_000n, null, { coins: 2, sats: 70_000n, from });
  expect(
    [stranded(now - 1), stranded(now + 60), stranded(null)].map(
      ([row]) => row?.split('moves them to its Bitcoin wallet by itself ')[1],
    ),
  ).toEqual([
    'now, keep it running.',
    `from ${new Date((now + 60) * 1_000).toISOString()} on, keep it running.`,
    'once they are mined and their delay is over, keep it running.',
  ]);
  expect(stranded(null)).toEqual([
    expect.stringMatching(
      /^warn on the chain: 70000 sats of ours in 2 coins came from the operator to the chain with somebody else's coin/,
    ),
  ]);
});

function machine(change: Partial<MachineFacts>, limits: Partial<Limits> = {}): string[] {
  const folder = {
    path: '/d',
    there: true,
    open: false,
    boundTo: 'mainnet',
    freeBytes: 2_000_000_000,
    database: { network: 'mainnet', schema: 2, knownSchema: 2, openSwaps: 1, checked: true, damage: null },
  };
  const all: Limits = {
    network: 'mainnet',
    sandbox: false,
    perNetworkSats: { arkade: 1 },
    perHourSats: 1,
    perDaySats: 1,
    machine: now,
    ...limits,
  };
  return sentences(judgeMachine({ credentials: [], certificates: [], folder, proxy: null, ...change }, all));
}

const folder = (change: object) => ({
  folder: { path: '/d', there: true, open: false, boundTo: null, freeBytes: 2_000_000_000, database: null, ...change },
});
const certificate = (change: object) => ({
  certificates: [
    {
      setting: 'lnd.certFile',
      host: 'node',
      certificate: { from: now - 1, until: now + 40 * 86_400, forHost: true, names: 'DNS:node', ...change },
    },
  ],
});

test.each<[string, Partial<MachineFacts>, Partial<Limits>, RegExp[]]>([
  ['well', {}, {}, []],
  [
    'with a database of another network',
    folder({ database: { network: 'signet', schema: 2, knownSchema: 2, openSwaps: 0, checked: true, damage: null } }),
    {},
    [/^fail folder: .* belongs to signet for ever, the configuration says mainnet/],
  ],
  ['short of room', folder({ freeBytes: 400_000_000 }), {}, [/^warn disk: 400 MB are free/]],
  ['out of room', folder({ freeBytes: 10_000_000 }), {}, [/^fail disk: 10 MB are free/]],
  [
    'with a certificate that ends',
    certificate({ until: now + 86_400 * 20 }),
    {},
    [/^warn certificate: .* expires in 20 days/],
  ],
  [
    'with a certificate that ended',
    certificate({ until: now - 86_400 * 3 }),
    {},
    [/^fail certificate: .* expired 3 days ago/],
  ],
  [
    'with a certificate that begins later',
    certificate({ from: now + 600 }),
    {},
    [/^fail certificate: .* is valid in 10 min only: set this machine's clock/],
  ],
  [
    'with a sealed credential',
    { credentials: [{ name: 'lnd.macaroon', is: 'sealed', sentence: 'lnd.macaroon is sealed.' }] },
    {},
    [/^warn credentials: lnd.macaroon is sealed\. .*--passphrase-file/],
  ],
  [
    'without caps on mainnet',
    {},
    { perHourSats: 0, perNetworkSats: {} },
    [/^warn caps: caps.perHourSats, caps.perNetworkSats are not set/],
  ],
  ['without caps on signet', folder({ boundTo: 'signet' }), { network: 'signet', perHourSats: 0 }, []],
])('this machine, %s', (_, change, limits, expected) => {
  expect(machine(change, limits)).toEqual(expected.map((pattern) => expect.stringMatching(pattern) as string));
});
