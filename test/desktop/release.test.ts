// A release as its user has it: built twice with the same bytes, and its server serves a swap from a folder of its own.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWireNode } from '../stories/wire-node.ts';
import lock from '../../package-lock.json' with { type: 'json' };
import project from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');
const name = `sluice-${project.version}`;
const machine = `linux-${process.arch}`;
const server = `${name}-server-${machine}`;

let folder: string;
const at = (...parts: string[]) => join(folder, ...parts);

const changed = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
/** Where nothing differs from the commit, one of the two is built as a release is: with packages installed for it. */
const isClean = changed.status === 0 && changed.stdout === '';

/** What is ours is built and packed each time; a trial takes the packages of others from where they were installed. */
function build(to: string, trial: boolean): void {
  const dist = [
    ...[join(root, 'test', 'tools', 'dist.ts'), '--to', at(to)],
    ...(trial ? ['--dirty', '--packages', at('packages')] : []),
  ];
  execFileSync(process.execPath, [...dist, '--only', 'source', '--only', machine], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-dist-'));
  mkdirSync(at('packages'));
  build('once', !isClean);
  build('twice', true);
  execFileSync('tar', ['--extract', '--file', at('once', `${server}.tar.gz`), '--directory', folder]);
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('built twice, every file has the same bytes, and the sums say so', () => {
  const files = readdirSync(at('once')).toSorted();
  expect(files).toEqual(['RELEASE-NOTES.md', 'SHA256SUMS', `${server}.tar.gz`, `${name}.cdx.json`, `${name}.tar.gz`]);
  expect(readFileSync(at('twice', 'SHA256SUMS'), 'utf8')).toBe(readFileSync(at('once', 'SHA256SUMS'), 'utf8'));
  expect(execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('once'), encoding: 'utf8' })).toBe(
    '',
  );
});

/** Each package that lies in a folder of packages, and in those of its packages. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((one) => !one.startsWith('.'))
    .flatMap((one) => (one.startsWith('@') ? readdirSync(join(folder, one)).map((own) => join(one, own)) : [one]))
    .flatMap((one) => {
      const { version } = JSON.parse(readFileSync(join(folder, one, 'package.json'), 'utf8')) as { version: string };
      const below = join(folder, one, 'node_modules');
      return [`pkg:npm/${one}@${version}`, ...(existsSync(below) ? packagesIn(below) : [])];
    });
}

const optional = new Set(
  Object.entries(lock.packages).flatMap(([path, one]) =>
    'optional' in one && 'version' in one ? [`pkg:npm/${path.split('node_modules/').at(-1)}@${one.version}`] : [],
  ),
);

test('the bill of materials names every package of the server, and the notes are of this version', () => {
  const bill = JSON.parse(readFileSync(at('once', `${name}.cdx.json`), 'utf8')) as {
    bomFormat: string;
    components: { group?: string; name: string; version: string; purl: string }[];
  };
  const named = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl)));
  const packed = packagesIn(at(server, 'node_modules'));
  expect([bill.bomFormat, packed.filter((one) => !named.has(one))]).toEqual(['CycloneDX', []]);
  expect(packed.length).toBeGreaterThan(Object.keys(project.dependencies).length);
  // What is named besides is for other machines.
  const others = [...named].filter((one) => !packed.includes(one));
  expect(others.filter((one) => !optional.has(one))).toEqual([]);
  expect(readFileSync(at('once', 'RELEASE-NOTES.md'), 'utf8')).toMatch(
    new RegExp(`^# Sluice ${project.version}\n\n### `),
  );
});

/** As npm has it, outside of the checkout. */
function oldestNode(): string {
  const [, least] = /^>=(\d+\.\d+) /.exec(project.engines.node) ?? [];
  const of = `node-linux-${process.arch}`;
  const flags = ['--no-save', '--no-audit', '--no-fund', '--prefix', at('oldest')];
  execFileSync('npm', ['install', ...flags, `${of}@${least}.0`], { stdio: ['ignore', 'ignore', 'inherit'] });
  return at('oldest', 'node_modules', of, 'bin', 'node');
}

test.each([
  ['this Node', () => process.execPath],
  [`the oldest Node that it takes (${project.engines.node})`, oldestNode],
])(
  'the server alone, in an empty folder and on %s, has its page, its documents, and serves a swap',
  async (_, executable) => {
    const lies = readdirSync(at(server)).toSorted();
    expect(lies).toEqual(
      expect.arrayContaining(['LICENSE', 'LICENSES-OF-PACKAGES.txt', 'node_modules', 'out', 'package.json']),
    );
    const program = [at(server, 'out', 'main', 'headless.js')];
    const node = await startWireNode({ program, executable: executable() });
    try {
      const pages = await Promise.all(['/', '/docs/'].map((path) => fetch(new URL(path, node.url))));
      expect(pages.map(({ status, headers }) => [status, headers.get('content-type')?.split(';')[0]])).toEqual([
        [200, 'text/html'],
        [200, 'text/html'],
      ]);
      const client = await node.client();
      const swap = await client.lightningToArkade({ source: 30_000 });
      const payment = await node.pay(swap.bolt11);
      await node.until(swap, 'serverfunded');
      await client.claim(swap);
      await node.until(swap, 'serverredeemed');
      expect(await node.payment(payment)).toBe('settled');
    } finally {
      await node.stop();
    }
  },
  180_000,
);

test.each(['seed', 'doctor', 'backup', 'rescue', 'sandbox', 'demo', 'deploy-contracts'])(
  'npm run %s of the server says what it takes',
  (command) => {
    const { scripts } = JSON.parse(readFileSync(at(server, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const [program, ...parts] = (scripts[command] ?? '').split(' ');
    expect(program).toBe('node');
    expect(execFileSync(process.execPath, [...parts, '--help'], { cwd: at(server), encoding: 'utf8' })).toContain(
      'Usage: ',
    );
  },
  60_000,
);
