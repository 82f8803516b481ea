import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bakeCommand, neededPermissions } from '../../engine/adapters/lnd/permissions.ts';
import { doctorRows, type DoctorRow } from '../../main/doctor.ts';
import { freePort } from './kit/daemon.ts';
import { onEachLnd } from './kit/on-daemons.ts';
import { startNet, type Net } from './kit/net.ts';

type Json = { [name: string]: unknown };

const program = join(import.meta.dirname, '..', '..', 'main', 'cli', 'doctor.ts');

onEachLnd('the doctor on a real lnd and a real Bitcoin node', (over) => {
  let net: Net;
  let folder: string;

  beforeAll(async () => {
    net = await startNet({ over, lnds: ['ours', 'outside'] });
    folder = mkdtempSync(join(tmpdir(), 'sluice-doctor-regtest-'));
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await net.stop();
  });

  beforeEach(async () => {
    await bake('sluice.macaroon', Object.keys(neededPermissions));
    secret('user', net.node.user);
    secret('password', net.node.password);
  });

  function secret(name: string, content: string | Uint8Array, mode = 0o600): void {
    writeFileSync(join(folder, name), content);
    chmodSync(join(folder, name), mode);
  }

  /** By lnd itself, so that it judges what is missing. */
  async function bake(name: string, calls: readonly string[]): Promise<void> {
    const client = net.lnd('ours').lnd as unknown as {
      default: { bakeMacaroon(ask: unknown, reply: (error: Error | null, answer: { macaroon: string }) => void): void };
    };
    const permissions = calls.map((call) => ({ entity: 'uri', action: call }));
    const baked = await new Promise<string>((resolve, reject) => {
      client.default.bakeMacaroon({ permissions }, (error, answer) =>
        error === null ? resolve(answer.macaroon) : reject(error),
      );
    });
    secret(name, Buffer.from(baked, 'hex'));
  }

  function lnd(change: Json = {}): Json {
    return {
      socket: net.lnd('ours').socket,
      certFile: net.lnd('ours').certFile,
      macaroonFile: 'sluice.macaroon',
      ...change,
    };
  }

  function core(change: Json = {}): Json {
    return {
      core: { url: net.node.url, userFile: 'user', passwordFile: 'password', caFile: net.node.caFile, ...change },
    };
  }

  function configuration(broken: Json): string {
    const file = join(folder, 'sluice.json');
    writeFileSync(
      file,
      JSON.stringify({ network: 'regtest', dataDir: join(folder, 'data'), lnd: lnd(), bitcoin: core(), ...broken }),
    );
    return file;
  }

  /** What did not pass, besides that there is no operator here. */
  function faultsIn(rows: readonly DoctorRow[]): string[] {
    const complaints = rows.filter(
      ({ network, result, check }) => network !== 'arkade' && result !== 'pass' && check !== 'latency',
    );
    return complaints.map(({ network, check, result, sentence }) => `${result} ${network} ${check}: ${sentence}`);
  }

  async function faults(broken: Json): Promise<string[]> {
    return faultsIn(await doctorRows({ config: configuration(broken), dataDir: null, passphraseFile: null }, {}));
  }

  /** The same by `npm run doctor`, with its exit. */
  async function command(broken: Json): Promise<{ exit: number; lines: string[] }> {
    const file = configuration(broken);
    const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
      execFile(process.execPath, [program, '--config', file, '--json'], (error, stdout) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout }),
      );
    });
    return { exit: code, lines: faultsIn((JSON.parse(out) as { rows: DoctorRow[] }).rows) };
  }

  /** By the cookie of the present life, as Core has it where nobody gives it a password. */
  function byCookie(cookieFile: string): Json {
    return { core: { url: net.node.url, cookieFile } };
  }

  test('a good configuration passes, with the macaroon that the doctor itself asks for', async () => {
    // There is no operator: a warning, and the exit of one.
    expect(await command({})).toEqual({ exit: 1, lines: [] });
  });

  test.runIf(over === 'core')('Core’s cookie passes too, until Core has had another life', async () => {
    const cookie = net.node.cookieFile ?? expect.fail('Core has a cookie');
    expect(await command({ bitcoin: byCookie(cookie) })).toEqual({ exit: 1, lines: [] });
    secret('old-cookie', readFileSync(cookie));
    await net.restartNode();
    await Promise.all(net.lnds.map(async (one) => one.reached(await net.height())));
    expect([
      await faults({ bitcoin: byCookie(join(folder, 'old-cookie')) }),
      await faults({ bitcoin: byCookie(cookie) }),
      await faults({ bitcoin: byCookie(join(folder, 'no-cookie')) }),
    ]).toEqual([
      [
        `fail bitcoin connection: The Bitcoin node at ${new URL(net.node.url).host} refuses our credentials (it ` +
          'answered 401): put the right ones into the file of bitcoin.core.cookieFile.',
      ],
      [],
      [
        expect.stringMatching(/^fail node credentials: .*no-cookie of bitcoin\.core\.cookieFile cannot be read/),
        expect.stringMatching(/^warn bitcoin connection: .* was not asked/),
      ],
    ]);
  });

  test('each broken configuration is named in a sentence', async () => {
    const ours = net.lnd('ours');
    const lndAt = `The Lightning node at ${ours.socket}`;
    const bitcoinAt = `The Bitcoin node at ${new URL(net.node.url).host}`;
    const closed = await freePort();
    const behind = await net.another();
    secret('wrong', 'guess');
    secret('open.macaroon', readFileSync(join(folder, 'sluice.macaroon')), 0o644);
    copyFileSync(ours.certFile, join(folder, 'lnd.cert'));
    await bake(
      'little.macaroon',
      Object.keys(neededPermissions).filter((call) => !call.endsWith('/SendPaymentV2')),
    );
    const other = net.lnd('outside').macaroonFile;
    const reports: Record<string, string[]> = {
      'a macaroon of another node': await faults({ lnd: lnd({ macaroonFile: other }) }),
      'a macaroon that lacks a right': await faults({ lnd: lnd({ macaroonFile: 'little.macaroon' }) }),
      'the admin macaroon': await faults({ lnd: lnd({ macaroonFile: ours.macaroonFile }) }),
      'the certificate of another': await faults({ lnd: lnd({ certFile: net.lnd('outside').certFile }) }),
      'a closed port of lnd': await faults({ lnd: lnd({ socket: `127.0.0.1:${closed}` }) }),
      'another network': await faults({ network: 'signet' }),
      'a wrong RPC password': await faults({ bitcoin: core({ passwordFile: 'wrong' }) }),
      'a wrong RPC user': await faults({ bitcoin: core({ userFile: 'wrong' }) }),
      'a closed port of the Bitcoin node': await faults({
        bitcoin: core({ url: `${new URL(net.node.url).protocol}//127.0.0.1:${closed}` }),
      }),
      'an Esplora that is none': await faults({ bitcoin: { esplora: [`http://${new URL(net.node.url).host}`] } }),
      'a Bitcoin node that is behind': await faults({ bitcoin: core({ url: behind.url, caFile: behind.caFile }) }),
      'a macaroon that others can read': await faults({ lnd: lnd({ macaroonFile: 'open.macaroon' }) }),
      // Core serves no TLS.
      ...(over === 'btcd'
        ? { 'the certificate of another for btcd': await faults({ bitcoin: core({ caFile: 'lnd.cert' }) }) }
        : {}),
    };
    const wrongLogin = [
      `fail bitcoin connection: ${bitcoinAt} refuses our credentials (it answered 401): put the right ones into ` +
        'the file of bitcoin.core.cookieFile, or bitcoin.core.userFile and bitcoin.core.passwordFile.',
    ];
    const refused =
      `fail lightning connection: ${lndAt} refuses our credentials (it was made by another node, or was revoked): ` +
      'put the right ones into the file of lnd.macaroonFile.';
    expect(reports).toEqual({
      'a macaroon of another node': [
        expect.stringMatching(/^warn lightning macaroon: .* may do more than this node needs/),
        refused,
      ],
      'a macaroon that lacks a right': [
        `fail lightning macaroon: The macaroon for the ${lndAt.slice(4)} lacks the right to ` +
          `/routerrpc.Router/SendPaymentV2: replace it by what "${bakeCommand}" makes.`,
      ],
      'the admin macaroon': [
        expect.stringMatching(
          /^warn lightning macaroon: .* may do more than this node needs \(.*onchain:write.*\): whoever steals it may too/,
        ),
      ],
      'the certificate of another': [
        expect.stringMatching(
          /^fail lightning connection: .* shows another TLS certificate than the one it should \(.*\): copy its present certificate to the file of lnd\.certFile\.$/,
        ),
      ],
      'a closed port of lnd': [
        `fail lightning connection: The Lightning node at 127.0.0.1:${closed} does not answer, nothing listens ` +
          'there: start it, or correct lnd.socket.',
      ],
      'another network': [
        expect.stringContaining(`${bitcoinAt} is on regtest, this node is on signet`),
        expect.stringContaining(`${lndAt} is on regtest, this node is on signet`),
      ],
      'a wrong RPC password': wrongLogin,
      'a wrong RPC user': wrongLogin,
      ...(over === 'btcd'
        ? {
            'the certificate of another for btcd': [
              expect.stringMatching(
                /^fail bitcoin connection: .* shows another TLS certificate than the one it should \(.*\): copy its present certificate to the file of bitcoin\.core\.caFile\.$/,
              ),
            ],
          }
        : {}),
      'a closed port of the Bitcoin node': [
        `fail bitcoin connection: The Bitcoin node at 127.0.0.1:${closed} does not answer, nothing listens there: ` +
          'start it, or correct bitcoin.core.url.',
      ],
      'an Esplora that is none': [
        expect.stringMatching(/^fail bitcoin connection: The Esplora server at .* does not answer as it should/),
      ],
      'a Bitcoin node that is behind': [
        expect.stringMatching(
          /^warn bitcoin lag: The median time past of the Bitcoin node at .* is \d+ days behind this machine's clock/,
        ),
        expect.stringMatching(
          new RegExp(
            `^fail lightning one chain: ${lndAt} is at height \\d{4}, the Bitcoin endpoint at 0: one of them is behind`,
          ),
        ),
      ],
      'a macaroon that others can read': [
        expect.stringMatching(
          /^fail node credentials: The file .*open\.macaroon of lnd\.macaroonFile may be read by others \(mode 0644\)/,
        ),
        expect.stringMatching(/^warn lightning connection: .* was not asked/),
      ],
    });
  });

  test('while the Bitcoin node is away lnd hangs, and the doctor says so within its time', async () => {
    await net.restartNode(async () => {
      const { exit, lines } = await command({});
      expect([exit, lines]).toEqual([
        2,
        [
          expect.stringMatching(
            /^fail bitcoin connection: .* does not answer, nothing listens there: start it, or correct bitcoin\.core\.url\.$/,
          ),
          expect.stringMatching(
            /^fail lightning connection: .* gave no answer in time \(lnd says nothing while its Bitcoin backend is away\)/,
          ),
        ],
      ]);
    });
  });
});
