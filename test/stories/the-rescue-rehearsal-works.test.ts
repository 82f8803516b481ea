import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const top = fileURLToPath(new URL('../..', import.meta.url));
const missing = ['bash', 'curl', 'openssl'].filter((name) => spawnSync(name, ['--version']).error !== undefined);
if (missing.length > 0) console.warn(`SKIPPED: the rehearsal of a rescue needs ${missing.join(', ')}`);

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

/** The blocks of the rehearsal as the document has them, in another folder and on free ports. */
async function blocksIn(home: string): Promise<readonly string[]> {
  const document = readFileSync(join(top, 'resources/docs/operate/rescue.md'), 'utf8');
  const rehearsal = document.split('## Rehearse it')[1]?.split('\n## ')[0] ?? '';
  const ports = { '31777': await freePort(), '31790': await freePort() };
  return [...rehearsal.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) =>
    Object.entries(ports).reduce(
      (text, [shown, free]) => text.replaceAll(shown, free),
      block.replaceAll('/tmp/rehearsal', home),
    ),
  );
}

describe.skipIf(missing.length > 0)('the rehearsal of a rescue, block by block as the document has it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-rehearsal-'));
  const home = join(folder, 'rehearsal');
  /** Marks of the folders that a machine has seen stay within this test's own. */
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
  const running: ChildProcess[] = [];
  let blocks: readonly string[];

  beforeAll(async () => {
    blocks = await blocksIn(home);
  });

  afterAll(() => {
    for (const { pid } of running) {
      try {
        process.kill(-Number(pid), 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** A terminal of its own, whose command goes on; resolves with its line that says that it is ready. */
  async function begin(block: string): Promise<string> {
    const terminal = spawn('bash', ['-c', block], {
      cwd: top,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    running.push(terminal);
    for await (const line of createInterface({ input: terminal.stdout })) if (line.includes('"ready"')) return line;
    return '';
  }

  test('a provider is set up, dies with a swap open, and the money comes home', { timeout: 180_000 }, async () => {
    const [networks = '', configuration = '', node = '', ...rest] = blocks;
    expect(await begin(networks)).toContain('"ready"');
    const run = (text: string) =>
      spawnSync('bash', ['-c', text], { cwd: top, env, encoding: 'utf8', timeout: 120_000 });
    expect(run(configuration).stdout).toMatch(/\n\d+ pass, 1 warn, 0 fail\n/);
    expect(await begin(node)).toContain('"ready"');
    const { status, stdout, stderr } = run(rest.join('\n'));
    const wallets = [...stdout.matchAll(/^ {2}(Bitcoin|Arkade): (\d+) sats/gm)].map(([, name, sats]) => [name, sats]);
    expect({ status, wallets, stderr: status === 0 ? '' : stderr }).toEqual({
      status: 0,
      wallets: [
        ['Bitcoin', '200000'],
        ['Arkade', '150125'],
        ['Bitcoin', '200000'],
        ['Arkade', '200000'],
      ],
      stderr: '',
    });
    expect(stdout).toContain('"status":"serverfunded"');
  });
});
