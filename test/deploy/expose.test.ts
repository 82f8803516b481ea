// What the page about exposing the API shows is run as it stands there, where its programs are.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as askTls } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serve } from '../api/serve.ts';
import { root } from './files.ts';

const page = readFileSync(join(root, 'resources/docs/provide/expose.md'), 'utf8');

/** The block of code below a heading. */
function block(heading: string): string {
  const text = page.split(`## ${heading}\n`)[1]?.split('```\n')[1];
  if (text === undefined) throw new Error(`expose.md shows nothing below "${heading}"`);
  return text;
}

function isInstalled(program: string, flag: string): boolean {
  try {
    execFileSync(program, [flag], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn(`SKIPPED: what expose.md shows for ${program}, which is not installed here.`);
    return false;
  }
}
const hasCaddy = isInstalled('caddy', 'version');
const hasTor = isInstalled('tor', '--version');

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-expose-'));
  ends.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  ends.push(async () => {
    if (child.exitCode !== null) return;
    const over = once(child, 'exit');
    child.kill();
    await over;
  });
  return child;
}

/** Until it answers, within ten seconds. */
async function eventually<T>(ask: () => Promise<T> | T): Promise<T> {
  for (let left = 100; ; left--) {
    try {
      return await ask();
    } catch (cause) {
      if (left === 0) throw cause;
      await pause(100);
    }
  }
}

/** By TLS, for the public name; the certificate is one of the proxy's own. */
const by = (port: number) => ({
  host: '127.0.0.1',
  port,
  servername: 'swaps.example',
  headers: { host: 'swaps.example' },
  rejectUnauthorized: false,
});

function status(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    askTls({ ...by(port), path }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test.runIf(hasCaddy)(
  'Caddy lets the public routes through, by TLS, and none of the owner',
  { timeout: 30_000 },
  async () => {
    const { server } = await serve({ hostnames: ['swaps.example'], trustLoopbackProxy: true });
    ends.push(() => server.stop());
    const [own, port] = [folder(), await freePort()];
    const site = block('TLS')
      .replace('swaps.example {', `swaps.example:${port} {\n  bind 127.0.0.1\n  tls internal`)
      .replace('127.0.0.1:7733', `127.0.0.1:${server.port}`);
    const options = '{\n  admin off\n  auto_https disable_redirects\n  skip_install_trust\n}\n';
    writeFileSync(join(own, 'Caddyfile'), options + site);
    run('caddy', ['run', '--config', join(own, 'Caddyfile'), '--adapter', 'caddyfile'], {
      HOME: own,
      XDG_DATA_HOME: own,
      XDG_CONFIG_HOME: own,
    });
    expect(await eventually(() => status(port, '/health'))).toBe(200);
    const closed = ['/owner/status', '/owner/', '/sandbox/state', '/metrics'];
    expect([await status(port, '/swap-pairs'), await Promise.all(closed.map((path) => status(port, path)))]).toEqual([
      200,
      closed.map(() => 404),
    ]);
    const socket = new WebSocket(`wss://127.0.0.1:${port}/ws`, by(port));
    ends.push(() => socket.terminate());
    await once(socket, 'open');
  },
);

test.runIf(hasTor)(
  'Tor takes the onion service and writes its name where the page says',
  { timeout: 30_000 },
  async () => {
    const own = folder();
    const service = join(own, 'sluice');
    mkdirSync(join(own, 'data'));
    writeFileSync(join(own, 'torrc'), block('An onion service').replace('/var/lib/tor/sluice', service));
    const files = ['-f', join(own, 'torrc'), '--defaults-torrc', join(own, 'none'), '--ignore-missing-torrc'];
    const settings = [...files, '--DataDirectory', join(own, 'data'), '--SocksPort', '0', '--DisableNetwork', '1'];
    expect(execFileSync('tor', [...settings, '--verify-config'], { encoding: 'utf8' })).toContain(
      'Configuration was valid',
    );
    run('tor', settings);
    const name = await eventually(() => readFileSync(join(service, 'hostname'), 'utf8').trim());
    expect([/^[a-z2-7]{56}\.onion$/.test(name), existsSync(join(service, 'hs_ed25519_secret_key'))]).toEqual([
      true,
      true,
    ]);
  },
);
