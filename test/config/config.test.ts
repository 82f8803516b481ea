import { describe, expect, test } from 'vitest';
import { fromEnvironment } from '../../engine/config/environment.ts';
import { readConfig, type Config, type ConfigSources } from '../../engine/config.ts';
import { isRefusal } from '../../engine/domain/errors.ts';

const nothing: ConfigSources = { flags: {}, environment: {}, file: null, stored: null };
const lnd = { socket: '127.0.0.1:10009', certFile: '/tls.cert', macaroonFile: '/admin.macaroon' };

function accepted(sources: Partial<ConfigSources>): Config {
  const config = readConfig({ ...nothing, ...sources });
  if (isRefusal(config)) throw new Error(config.sentence);
  return config;
}

function refused(content: unknown, rest: Partial<ConfigSources> = {}): string {
  const config = readConfig({ ...nothing, file: { name: 'node.json', content }, ...rest });
  return isRefusal(config) ? config.sentence : 'accepted';
}

describe('what nothing configured means', () => {
  test('it is the sandbox, with every default of the design', () => {
    expect(accepted({})).toEqual({
      network: 'regtest',
      sandbox: true,
      dataDir: null,
      port: 7733,
      http: { hostnames: [], trustLoopbackProxy: false, origins: [] },
      live: null,
      socks: null,
      lnd: null,
      bitcoin: {
        htlcForm: 'p2wsh',
        consolidate: true,
        confirmations: [1, 3],
        confirmationsAboveSats: 10_000_000,
        core: null,
        esplora: [],
      },
      arkade: null,
      evm: {},
      terms: {
        feeBps: 25,
        flatSats: 0,
        directions: {},
        inventory: { spreadBps: 0, belowShareBps: 2_500 },
        minSats: 1000,
        maxSats: 10_000_000,
        overpaymentToleranceBps: 100,
        routingShareBps: 5_000,
        exemptReferralCodes: [],
      },
      caps: { perNetworkSats: {}, perHourSats: 0, perDaySats: 0, approveAboveSats: 0 },
      ceilings: {
        renewalBps: 20,
        renewalMinSats: 500,
        renewalMonthBps: 100,
        withdrawalBps: 500,
        withdrawalMinSats: 2_000,
        withdrawalMaxSats: 50_000,
        unpaidGasPerDaySats: 20_000_000,
        consolidationPerDaySats: 5_000,
        claimBps: 5_000,
      },
      taker: { providers: [] },
      support: { agents: [] },
      boltz: { enabled: false, toArkade: { enabled: false, maxSwapSats: 50_000, maxLossSats: 100_000 } },
      prices: { url: null, source: null, fiat: null },
      explorers: {},
      alerts: {
        webhookUrl: null,
        ntfy: { url: null, tokenFile: null },
        telegram: { chat: null, tokenFile: null, url: 'https://api.telegram.org' },
        deadMan: { urlFile: null, everySeconds: 60 },
      },
      metrics: { listen: null },
      log: { level: 'info', redact: true },
      timing: {
        clientLegSeconds: 86_400,
        serviceLegSeconds: 43_200,
        longestLegSeconds: 604_800,
        marginSeconds: 7_200,
        fundingWindowSeconds: 1_800,
        createWaitSeconds: 10,
        fastBlockSeconds: 450,
        medianTimeLagSeconds: 10_800,
        maxTipAgeSeconds: { bitcoin: 10_800, evm: 600 },
        bodySeconds: 15,
      },
      flood: { burst: 1_000, perSecond: 50, socketsPerClient: 640, openCreatesPerClient: 400 },
      rescue: { copyTo: null },
      recoveryGap: 120,
      strictClocks: { lag: false, tipAge: false, evmTipAge: false },
    });
  });

  test('a network or a connection ends the sandbox', () => {
    expect([
      accepted({ stored: { network: 'signet' } }).sandbox,
      accepted({ stored: { network: 'regtest', lnd } }).sandbox,
    ]).toEqual([false, false]);
  });

  test('on regtest strangers are offered swaps at once by what a file or the environment connected', () => {
    const live = (sources: Partial<ConfigSources>) => accepted(sources).live;
    const file = (content: object) => ({ name: 'node.json', content });
    const arkade = { url: 'http://127.0.0.1:7070' };
    expect([
      live({ file: file({ network: 'regtest', arkade }) }),
      live({ stored: { arkade }, environment: { SLUICE_NETWORK: 'regtest' } }),
      live({ file: file({ network: 'regtest', bitcoin: { htlcForm: 'p2tr' } }) }),
      live({ file: file({ network: 'regtest', arkade, live: false }) }),
      live({ file: file({ network: 'signet', arkade }) }),
    ]).toEqual([true, null, null, false, null]);
  });

  test('a price service of dollars is named by its address alone', () => {
    const prices = (content: object) => accepted({ stored: { prices: content } }).prices;
    const url = 'https://prices.example/simple';
    const fiat = { url, path: 'eur', currency: 'EUR' };
    expect([prices({ url }), prices({ url, fiat }), prices({ url: null })]).toEqual([
      { url, source: null, fiat: { url, path: 'bitcoin.usd', currency: 'USD' } },
      { url, source: null, fiat },
      { url: null, source: null, fiat: null },
    ]);
  });
});

describe('precedence', () => {
  test('flags win over the environment, that over the file, that over what was stored', () => {
    const stored = { port: 1, dataDir: '/stored', terms: { feeBps: 1, minSats: 1, maxSats: 2_000 }, recoveryGap: 100 };
    const file = { name: 'node.json', content: { port: 2, dataDir: '/file', terms: { feeBps: 2, minSats: 2 } } };
    const environment = { SLUICE_PORT: '3', SLUICE_TERMS__FEE_BPS: '3', HOME: '/root' };
    const { port, dataDir, terms, recoveryGap } = accepted({ stored, file, environment, flags: { port: 4 } });
    expect({ port, dataDir, terms, recoveryGap }).toEqual({
      port: 4,
      dataDir: '/file',
      terms: {
        feeBps: 3,
        flatSats: 0,
        directions: {},
        inventory: { spreadBps: 0, belowShareBps: 2_500 },
        minSats: 2,
        maxSats: 2_000,
        overpaymentToleranceBps: 100,
        routingShareBps: 5_000,
        exemptReferralCodes: [],
      },
      recoveryGap: 100,
    });
  });

  test('the environment reaches every kind of field', () => {
    const config = accepted({
      environment: {
        SLUICE_NETWORK: 'mainnet',
        SLUICE_HTTP__HOSTNAMES: 'a.example, b.example',
        SLUICE_HTTP__TRUSTLOOPBACKPROXY: 'true',
        SLUICE_LND__SOCKET: '10.0.0.1:10009',
        SLUICE_LND__CERT_FILE: '1',
        SLUICE_LND__macaroonFile: '/m',
        SLUICE_EVM__137__RPC: '["https://a.example","https://b.example"]',
        SLUICE_EVM__137__CONFIRMATIONS__0: '3',
        SLUICE_EVM__137__CONFIRMATIONS__1: '9',
        SLUICE_BITCOIN__ESPLORA__1: 'https://second.example',
        SLUICE_BITCOIN__ESPLORA__0: 'https://first.example',
        SLUICE_CAPS__PER_NETWORK_SATS__EVM_137: '5000',
        SLUICE_SOCKS: 'null',
      },
    });
    expect([
      config.http,
      config.lnd,
      config.evm['137']?.rpc,
      config.evm['137']?.confirmations,
      config.bitcoin.esplora,
      config.caps.perNetworkSats,
      config.socks,
    ]).toEqual([
      { hostnames: ['a.example', 'b.example'], trustLoopbackProxy: true, origins: [] },
      { socket: '10.0.0.1:10009', cert: { file: '1' }, macaroon: { file: '/m' } },
      ['https://a.example', 'https://b.example'],
      [3, 9],
      ['https://first.example', 'https://second.example'],
      { 'evm:137': 5000 },
      null,
    ]);
  });
});

describe('credentials', () => {
  const sealed = { sealed: 'aabb' };
  const place = 'where a credential is never written: name the file that holds it with';

  test('they are never written into a file or a variable, and no sentence repeats them', () => {
    expect([
      refused({ network: 'regtest', lnd: { ...lnd, macaroon: 'AgEDbG5k' } }),
      refused({ bitcoin: { core: { url: 'http://127.0.0.1:1', userFile: '/u', password: 'hunter2' } } }),
      refused({}, { environment: { SLUICE_LND__MACAROON: 'AgEDbG5k' } }),
      refused({
        network: 'regtest',
        bitcoin: { core: { url: 'http://bob:hunter2@127.0.0.1:8332', userFile: '/u', passwordFile: '/p' } },
      }),
    ]).toEqual([
      `lnd.macaroon stands in the file node.json, ${place} lnd.macaroonFile, or give it to PATCH /owner/settings, ` +
        'which seals it.',
      `bitcoin.core.password stands in the file node.json, ${place} bitcoin.core.passwordFile, or give it to ` +
        'PATCH /owner/settings, which seals it.',
      `lnd.macaroon stands in the environment, ${place} lnd.macaroonFile, or give it to PATCH /owner/settings, ` +
        'which seals it.',
      'The setting bitcoin.core.url cannot be "http://...@127.0.0.1:8332": it takes no user name or password, ' +
        'which belong into a file of their own.',
    ]);
  });

  test('one that the owner stored is there beside files, until a stronger source names a file', () => {
    const stored = { network: 'regtest', lnd: { socket: 'a:1', cert: sealed, macaroon: sealed } };
    const of = (content: unknown) => accepted({ stored, file: { name: 'node.json', content } }).lnd;
    expect([of({}), of({ lnd: { macaroonFile: '/m' } })]).toEqual([
      { socket: 'a:1', cert: sealed, macaroon: sealed },
      { socket: 'a:1', cert: sealed, macaroon: { file: '/m' } },
    ]);
  });

  test('the cookie of Bitcoin Core stands instead of a user name and a password', () => {
    const url = 'http://127.0.0.1:8332';
    const of = (core: object, stored: object = {}) =>
      accepted({
        stored: { network: 'regtest', bitcoin: { core: { url, ...stored } } },
        file: { name: 'node.json', content: { bitcoin: { core } } },
      }).bitcoin.core?.login;
    expect([
      of({ cookieFile: '/c' }),
      of({ cookieFile: '/c' }, { user: sealed, password: sealed }),
      of({ userFile: '/u', passwordFile: '/p' }, { cookieFile: '/c' }),
      refused({ network: 'regtest', bitcoin: { core: { url, cookieFile: '/c', userFile: '/u' } } }),
    ]).toEqual([
      { cookieFile: '/c' },
      { cookieFile: '/c' },
      { user: { file: '/u' }, password: { file: '/p' } },
      'bitcoin.core.cookieFile and bitcoin.core.userFile exclude each other: leave out the cookie, or user name ' +
        'and password.',
    ]);
  });

  test('one that is nowhere, or in two places of one source, is refused', () => {
    expect([
      refused({ network: 'regtest', lnd: { socket: 'a:1', certFile: '/c' } }),
      refused({}, { stored: { network: 'regtest', lnd: { ...lnd, cert: sealed } } }),
    ]).toEqual([
      'lnd.macaroonFile is missing: name the file that holds it, or give lnd.macaroon to PATCH /owner/settings.',
      'lnd.cert and lnd.certFile are both set: keep one.',
    ]);
  });
});

describe('refusals', () => {
  test('an unknown key is refused with the nearest known name, in every source', () => {
    expect([
      refused({ netwrok: 'regtest' }),
      refused({ terms: { fee: 1, feeBp: 3 } }),
      refused({ lnd: { ...lnd, macaroonfil: '/m' } }),
      refused({}, { stored: { zzzzzzzzzzzzzzz: 1 } }),
      refused({}, { environment: { SLUICE_TERMS__FEE_BSP: '3' } }),
      refused({}, { environment: { SLUICE_PORT__X: '3' } }),
      refused({}, { environment: { SLUICE_BITCOIN__ESPLORA__1: 'http://a' } }),
    ]).toEqual([
      'Unknown key "netwrok" in the file node.json: did you mean "network"?',
      'Unknown key "terms.fee" in the file node.json: did you mean "terms.feeBps"?',
      'Unknown key "lnd.macaroonfil" in the file node.json: did you mean "lnd.macaroonFile"?',
      expect.stringContaining('Unknown key "zzzzzzzzzzzzzzz" in the stored settings: known are network, dataDir, port'),
      'The environment variable SLUICE_TERMS__FEE_BSP names no setting: "FEE_BSP" is unknown, did you mean "feeBps"?',
      'The environment variable SLUICE_PORT__X names no setting: there is nothing below it, remove "__X".',
      'The environment sets bitcoin.esplora entry 1 but not entry 0: count the places of a list from 0.',
    ]);
  });

  test('where the suites find real daemons is no setting of a node that they start', () => {
    expect(fromEnvironment({ SLUICE_REGTEST_ARKD_URL: 'http://127.0.0.1:7070', SLUICE_PORT: '1' })).toEqual({
      port: 1,
    });
  });

  test('outside the sandbox the network must be named', () => {
    expect(refused({ lnd })).toBe(
      'network is missing: outside the sandbox it must be mainnet, signet, mutinynet or regtest (lnd configured).',
    );
  });

  test('the sandbox takes neither a connection nor another network', () => {
    expect([
      refused({ lnd, network: 'regtest' }, { flags: { sandbox: true } }),
      refused({ network: 'mainnet' }, { flags: { sandbox: true } }),
    ]).toEqual([
      'Sandbox mode brings its own networks, but lnd is configured: remove that or start without --sandbox.',
      'The sandbox is a regtest network, but network is "mainnet": remove it or start without --sandbox.',
    ]);
  });

  test('a wrong value is shown with its place', () => {
    expect([
      refused({ port: 70_000 }),
      refused({ socks: 'http://x' }),
      refused({ socks: 'socks5://me:hunter2@127.0.0.1:9050' }),
      refused({ lnd: { ...lnd, socket: 'nowhere' } }),
      refused([]),
    ]).toEqual([
      expect.stringMatching(/^The setting port cannot be 70000: /),
      'The setting socks cannot be "http://x": it takes a socks5:// address.',
      'The setting socks cannot be "socks5://...@127.0.0.1:9050": it takes no user name or password, and the ' +
        'proxy must ask for none.',
      'The setting lnd.socket cannot be "nowhere": it takes host:port.',
      'Configuration is one JSON object, the file node.json holds something else.',
    ]);
  });

  test('timings that protect money are shortened on regtest only', () => {
    const timing = {
      clientLegSeconds: 8_192,
      serviceLegSeconds: 4_096,
      marginSeconds: 1_200,
      fundingWindowSeconds: 600,
    };
    expect([refused({ network: 'regtest', timing }), refused({ network: 'signet', timing })]).toEqual([
      'accepted',
      'timing.clientLegSeconds is 8192 s, on signet it must be at least 86400 s: shorter values are for regtest.',
    ]);
  });

  test('numbers that contradict each other are refused', () => {
    expect([
      refused({ terms: { minSats: 5_000, maxSats: 4_000 } }),
      refused({ timing: { serviceLegSeconds: 80_000 } }),
      refused({ timing: { fundingWindowSeconds: 43_200 } }),
      refused({ timing: { longestLegSeconds: 80_000 } }),
      refused({ timing: { createWaitSeconds: 1_801 } }),
      refused({ flood: { burst: 10 } }),
      refused({ bitcoin: { confirmations: [3, 2] } }),
      refused({ bitcoin: { confirmations: [1, 7] } }),
      refused({ bitcoin: { confirmations: [0, 1] } }),
    ]).toEqual([
      expect.stringMatching(/^terms.minSats \(5000\) is above terms.maxSats \(4000\)/),
      expect.stringMatching(/^The client's leg \(timing.clientLegSeconds, 86400 s\) must outlive the service's leg/),
      expect.stringMatching(/^The service's leg \(timing.serviceLegSeconds, 43200 s\) must hold the funding window/),
      expect.stringMatching(/^The longest leg \(timing.longestLegSeconds, 80000 s\) must not be shorter/),
      expect.stringMatching(/^timing.createWaitSeconds \(1801\) is longer/),
      expect.stringMatching(/^flood.burst \(10\) is below flood.perSecond \(50\)/),
      expect.stringMatching(/^bitcoin.confirmations asks for fewer \(2\) above 10000000 sats than below \(3\)/),
      expect.stringMatching(/bitcoin\.confirmations\.1/),
      expect.stringMatching(/bitcoin\.confirmations\.0/),
    ]);
  });

  test('a fee that clients would read as less than it is is refused, with the nearest that they read right', () => {
    const all = Array.from({ length: 401 }, (_, bps) => bps).filter(
      (feeBps) => refused({ terms: { feeBps } }) !== 'accepted',
    );
    expect([all.slice(0, 10), refused({ terms: { feeBps: 84 } }), refused({ terms: { feeBps: 168 } })]).toEqual([
      [84, 87, 90, 157, 163, 168, 169, 174, 180, 314],
      expect.stringMatching(/^terms.feeBps cannot be 84: .* Set 83\.$/),
      expect.stringMatching(/ Set 167\.$/),
    ]);
  });

  test('a regtest chain needs one confirmation, a real one as many as it is known for', () => {
    const rpc = ['http://127.0.0.1:1'];
    const evm = { '137': { rpc }, '30': { rpc } };
    const of = (network: string) =>
      Object.values(accepted({ stored: { network, evm } }).evm).map((chain) => chain.confirmations);
    expect([of('regtest'), of('mainnet')]).toEqual([
      [
        [1, 1],
        [1, 1],
      ],
      [
        [2, 12],
        [16, 64],
      ],
    ]);
  });
});
