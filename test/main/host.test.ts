import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EngineOptions } from '../../engine/index.ts';
import { isRefusal, StartRefused } from '../../engine/domain/errors.ts';
import type { HostFlags } from '../../main/flags.ts';
import { startHost, type Host, type HostParts } from '../../main/host.ts';
import { osKeychain } from '../../main/keychain.ts';
import { sealSeed } from '../../main/keyfile.ts';
import { spawnWithNode } from '../../main/sandbox-process.ts';
import { seedPath } from '../../main/seed.ts';
import { isAlive, smallEngine } from './support/small-engine.ts';

const script = new URL('./support/small-sandbox.ts', import.meta.url).pathname;
let folder: string;
let calls: { options: EngineOptions[]; log: string[] };
let hosts: Host[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-host-'));
  calls = { options: [], log: [] };
  hosts = [];
});
afterEach(async () => {
  for (const host of hosts) await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const flags = (more: Partial<HostFlags> = {}): HostFlags => ({
  sandbox: true,
  config: null,
  dataDir: folder,
  port: 0,
  passphraseFile: null,
  passphraseFd: null,
  mine: false,
  ...more,
});

function parts(): HostParts {
  const say = (_: object, message: string) => void calls.log.push(message);
  const log = {
    info: say,
    warn: say,
    error: say,
    debug: say,
    fatal: say,
    trace: say,
  } as unknown as EngineOptions['log'];
  return {
    environment: {},
    platform: 'linux',
    log,
    keychain: osKeychain(),
    spawnSandbox: spawnWithNode(script),
    page: null,
    startEngine: async () => smallEngine(calls),
  };
}

async function started(more: Partial<HostFlags> = {}): Promise<Host> {
  const host = await startHost(flags(more), parts());
  if (isRefusal(host)) throw new Error(host.sentence);
  hosts.push(host);
  return host;
}

const starts = () =>
  readFileSync(join(folder, 'sandbox', 'starts'), 'utf8')
    .trim()
    .split('\n')
    .map(Number);

describe('a sandbox start', () => {
  test('hands the engine what it needs, says it is ready, and ends with nothing left running', async () => {
    const host = await started();
    const options = calls.options[0]!;
    const token = readFileSync(join(folder, 'owner.token'), 'utf8').trim();
    expect([
      host.ready,
      options.dataDir,
      options.token,
      options.seed.length,
      options.config.sandbox,
      options.sandbox,
    ]).toEqual([
      {
        event: 'ready',
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        ui: null,
        network: 'regtest',
        dataDir: folder,
      },
      folder,
      token,
      64,
      true,
      { endpoints: { pid: starts()[0], control: expect.any(String) } },
    ]);
    expect(JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'))).toEqual(host.ready);
    await host.stop();
    expect([
      calls.log,
      isAlive(starts()[0]!),
      existsSync(join(folder, 'ready.json')),
      existsSync(join(folder, 'sluice.pid')),
    ]).toEqual([['engine stopped'], false, false, false]);
  });

  test('the same folder starts again with the same seed and token', async () => {
    await (await started()).stop();
    await (await started()).stop();
    const [first, second] = calls.options;
    expect([second?.seed, second?.token]).toEqual([first?.seed, first?.token]);
  });

  test('a second start is refused and leaves the first and its networks alone', async () => {
    const first = await started();
    const second = await startHost(flags(), parts());
    expect(second).toEqual({
      refusal: 'unavailable',
      sentence: expect.stringContaining(
        `The data folder ${folder} is in use by another Sluice (process ${process.pid})`,
      ),
    });
    expect([starts().length, isAlive(starts()[0]!), (await fetch(first.ready.url)).status]).toEqual([1, true, 404]);
  });

  test('networks that run on their own are used and left running', async () => {
    const networks = spawn(process.execPath, [script, '--data-dir', folder], { stdio: 'ignore' });
    while (!existsSync(join(folder, 'sandbox', 'endpoints.json'))) await pause(20);
    const host = await started();
    await host.stop();
    expect([calls.options[0]?.sandbox, starts(), isAlive(networks.pid!)]).toEqual([
      { endpoints: expect.objectContaining({ pid: networks.pid }) },
      [networks.pid],
      true,
    ]);
    networks.kill('SIGKILL');
  });

  test('an endpoints file whose process number a stranger has by now is not believed', async () => {
    await (await started()).stop();
    const unused = createServer();
    const port = await new Promise<number>((resolve) =>
      unused.listen(0, '127.0.0.1', () => resolve((unused.address() as { port: number }).port)),
    );
    await new Promise((resolve) => unused.close(resolve));
    writeFileSync(
      join(folder, 'sandbox', 'endpoints.json'),
      JSON.stringify({ pid: process.pid, control: `http://127.0.0.1:${port}` }),
    );
    await started();
    expect([starts().length, calls.options[1]?.sandbox]).toEqual([
      2,
      { endpoints: expect.objectContaining({ pid: starts()[1] }) },
    ]);
  });

  test('networks that the last start left behind are waited for, not used: their pipe is ending them', async () => {
    const orphan = spawn(process.execPath, [script, '--data-dir', folder], { stdio: 'ignore' });
    while (!existsSync(join(folder, 'sandbox', 'endpoints.json'))) await pause(20);
    writeFileSync(join(folder, 'sandbox', 'child-of-node'), `${orphan.pid}\n`);
    setTimeout(() => orphan.kill('SIGKILL'), 300);
    await started();
    expect([starts().length, calls.options[0]?.sandbox]).toEqual([
      2,
      { endpoints: expect.objectContaining({ pid: starts()[1] }) },
    ]);
  });

  test('does not take the operator that borrows its time from a real chain for its networks', async () => {
    mkdirSync(join(folder, 'sandbox'), { recursive: true });
    writeFileSync(
      join(folder, 'sandbox', 'endpoints.json'),
      JSON.stringify({ pid: process.pid, control: {}, arkade: {} }),
    );
    expect(await startHost(flags(), parts())).toEqual({
      refusal: 'unavailable',
      sentence:
        `An Arkade operator runs alone in ${folder} (process ${process.pid}), on the chain of a real Bitcoin node: ` +
        'stop it, or choose another folder with --data-dir.',
    });
  });

  test('networks that cannot start are one sentence and leave the folder free', async () => {
    const broken = await startHost(flags(), { ...parts(), spawnSandbox: spawnWithNode(join(folder, 'missing.ts')) });
    expect(broken).toEqual({
      refusal: 'unavailable',
      sentence: expect.stringContaining('their process ended with code 1'),
    });
    await started();
  });
});

test('fault 242: a start takes away where a killed node was, before it is ready itself', async () => {
  await (await started()).stop();
  const ready = join(folder, 'ready.json');
  writeFileSync(ready, '{}');
  const broken = { ...parts(), startEngine: async () => () => Promise.reject(new StartRefused('it is damaged.')) };
  await startHost(flags(), broken);
  expect(existsSync(ready)).toBe(false);
});

describe('a start with networks of the owner', () => {
  const config = () => {
    const path = join(folder, '..', `${folder.split('/').pop() ?? ''}.json`);
    writeFileSync(
      path,
      JSON.stringify({ network: 'regtest', lnd: { socket: 'h:1', certFile: 'tls.cert', macaroonFile: '/m' } }),
    );
    return path;
  };

  test('takes the seed by passphrase, files named beside the configuration, and starts no sandbox', async () => {
    const file = config();
    const passphraseFile = `${file}.passphrase`;
    writeFileSync(passphraseFile, 'right\n');
    const nothing = await startHost(flags({ sandbox: false, config: file }), parts());
    await sealSeed(seedPath(folder), new Uint8Array(32), [{ way: 'passphrase', passphrase: Buffer.from('right') }]);
    await started({ sandbox: false, config: file, passphraseFile });
    rmSync(file);
    rmSync(passphraseFile);
    expect([
      isRefusal(nothing) && nothing.sentence,
      calls.options.map(({ config, sandbox }) => [config.lnd, sandbox, config.dataDir]),
    ]).toEqual([
      expect.stringContaining('npm run seed -- new'),
      [[{ socket: 'h:1', cert: { file: join(file, '..', 'tls.cert') }, macaroon: { file: '/m' } }, null, folder]],
    ]);
  });

  test('on regtest a passphrase is enough: a folder without a seed gets one, and opens with it again', async () => {
    const file = config();
    const passphraseFile = `${file}.passphrase`;
    const start = () => startHost(flags({ sandbox: false, config: file, passphraseFile }), parts());
    writeFileSync(passphraseFile, 'short\n');
    const short = await start();
    const none = existsSync(seedPath(folder));
    writeFileSync(passphraseFile, 'a long passphrase\n');
    await (await started({ sandbox: false, config: file, passphraseFile })).stop();
    await (await started({ sandbox: false, config: file, passphraseFile })).stop();
    rmSync(file);
    rmSync(passphraseFile);
    const seeds = calls.options.map(({ seed }) => seed);
    expect([
      isRefusal(short) && short.sentence,
      none,
      seeds[0],
      calls.log.filter((line) => /had no seed/.test(line)),
    ]).toEqual([
      'The passphrase has 5 characters, it needs at least 12: nothing was saved.',
      false,
      seeds[1],
      ['this folder had no seed and has one now: npm run seed -- show prints its words'],
    ]);
  });

  test('a folder of the sandbox is never used for them, and what it holds is untouched', async () => {
    await (await started()).stop();
    const file = config();
    const answer = await startHost(flags({ sandbox: false, config: file }), parts());
    rmSync(file);
    expect(isRefusal(answer) && answer.sentence).toContain('belongs to sandbox for ever, this start is for regtest');
  });
});

test('a configuration that says nothing is the sandbox', async () => {
  const file = join(folder, '..', `${basename(folder)}.json`);
  writeFileSync(file, '{}');
  const host = await started({ sandbox: false, config: file });
  rmSync(file);
  expect([host.sandbox, host.ready.network]).toEqual([true, 'regtest']);
});

test('words that were made for a real network are not bound to the sandbox, unless it is named', async () => {
  const passphraseFile = join(folder, '..', `${basename(folder)}.passphrase`);
  writeFileSync(passphraseFile, 'right');
  await sealSeed(seedPath(folder), new Uint8Array(32), [{ way: 'passphrase', passphrase: Buffer.from('right') }]);
  const answer = await startHost(flags({ sandbox: false, passphraseFile }), parts());
  expect([answer, existsSync(join(folder, 'network'))]).toEqual([
    {
      refusal: 'invalid',
      sentence:
        `No network is configured, so this start would bind ${folder} to the sandbox for ever, and its seed is for ` +
        'another: name the network and its endpoints with --config FILE, or start with --sandbox where that is meant.',
    },
    false,
  ]);
  const host = await started({ passphraseFile });
  rmSync(passphraseFile);
  expect(host.sandbox).toBe(true);
});

test('a configuration that nests without end is refused in a sentence, and nothing is made', async () => {
  const file = join(folder, '..', `${basename(folder)}.json`);
  writeFileSync(file, `${'{"a":'.repeat(6_000)}1${'}'.repeat(6_000)}`);
  const dataDir = join(folder, 'new');
  const answer = await startHost(flags({ sandbox: false, config: file, dataDir }), parts());
  rmSync(file);
  expect([answer, existsSync(dataDir)]).toEqual([
    { refusal: 'invalid', sentence: expect.stringContaining('nested more than 8 levels deep in the file') },
    false,
  ]);
});

describe('a taken port', () => {
  let occupant: Server;
  let port: number;
  beforeEach(async () => {
    occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    port = (occupant.address() as AddressInfo).port;
  });
  afterEach(() => void occupant.close());

  const sentence = () =>
    `Port ${port} on 127.0.0.1 is taken by another program: choose another with --port, 0 takes a free one.`;

  test('is noticed before anything is made', async () => {
    const dataDir = join(folder, 'new');
    const answer = await startHost(flags({ port, dataDir }), parts());
    expect([answer, calls, existsSync(dataDir)]).toEqual([
      { refusal: 'unavailable', sentence: sentence() },
      { options: [], log: [] },
      false,
    ]);
  });

  test('is noticed before the networks of the sandbox are made', () => {
    const dataDir = join(folder, 'new');
    const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'sandbox.ts');
    const run = () =>
      new Promise((resolve) =>
        execFile(process.execPath, [program, '--data-dir', dataDir, '--port', String(port)], (error, out, err) =>
          resolve([error?.code, out, err]),
        ),
      );
    return expect(run().then((result) => [result, existsSync(dataDir)])).resolves.toEqual([
      [1, '', `${sentence()}\n`],
      false,
    ]);
  });

  test('is not what is told where another node runs on the folder', async () => {
    await started();
    const answer = await startHost(flags({ port }), parts());
    expect(isRefusal(answer) && answer.sentence).toContain('is in use by another Sluice (process ');
  });

  test('that is taken meanwhile is one sentence, and everything that was started is stopped', async () => {
    occupant.close();
    await once(occupant, 'close');
    const meanwhile = async () => {
      await once(occupant.listen(port, '127.0.0.1'), 'listening');
      return smallEngine(calls);
    };
    const answer = await startHost(flags({ port }), { ...parts(), startEngine: meanwhile });
    expect([answer, calls.log, isAlive(starts()[0]!)]).toEqual([
      { refusal: 'unavailable', sentence: sentence() },
      ['engine stopped'],
      false,
    ]);
  });
});

test('what keeps the engine from starting on its folder is told in one sentence', async () => {
  const sentence = 'the mark is damaged: remove it.';
  const broken = { ...parts(), startEngine: async () => () => Promise.reject(new StartRefused(sentence)) };
  expect(await startHost(flags(), broken)).toEqual({ refusal: 'invalid', sentence });
  await started();
});
