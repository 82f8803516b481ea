// npm run dist -- [--to DIR] [--only PART]... [--sign KEY] [--dirty [--packages DIR]]: a release of the commit that is
// checked out. What we build has the same bytes each time: files in one order, owned by nobody, dated like the commit.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commitOf } from '../../engine/git-commit.ts';
import { buildTo } from '../../main/build.ts';
import { answerHelp } from '../../main/help.ts';
import { packSource } from './release/archive.ts';
import { billOfMaterials } from './release/bill.ts';
import { notesOf } from './release/notes.ts';
import { packServer, type Platform } from './release/server.ts';

const parts = ['source', 'linux-x64', 'linux-arm64'] as const;

answerHelp(
  'npm run dist -- [--to DIR] [--only PART]... [--sign KEY] [--dirty [--packages DIR]]',
  'Builds a release: sources, servers with their page, a bill of materials, notes and sums.',
  {
    '--to DIR': 'where it goes; dist when left out',
    '--only PART': `one of ${parts.join(', ')}; all of them when left out`,
    '--sign KEY': 'signs the sums with this key of GnuPG',
    '--dirty': 'also while files differ from the commit, for a trial',
    '--packages DIR': 'for a trial: packages are installed there once, and taken from there after that',
  },
);

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(root, 'dist') },
    only: { type: 'string', multiple: true, default: [...parts] },
    sign: { type: 'string' },
    dirty: { type: 'boolean', default: false },
    packages: { type: 'string' },
  },
});

function stop(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

const strange = values.only.find((part) => !(parts as readonly string[]).includes(part));
if (strange !== undefined) stop(`--only ${strange}: there are ${parts.join(', ')}.`);
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
if (values.packages !== undefined && !values.dirty) stop('--packages is for a trial: add --dirty.');
if (!values.dirty && git('status', '--porcelain') !== '')
  stop('Files differ from the commit: commit them, or build a trial with --dirty.');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const name = `sluice-${version}`;
const seconds = Number(git('log', '-1', '--format=%ct'));
mkdirSync(values.to, { recursive: true });
const at = (file: string): string => join(values.to, file);

if (values.only.includes('source')) packSource({ root, name, to: at(`${name}.tar.gz`) });
const servers = values.only.filter((part): part is Platform => part !== 'source');
const scratch = mkdtempSync(join(tmpdir(), 'sluice-built-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const out = join(scratch, 'out');
if (servers.length > 0) {
  console.error('building the program and its page: some ten seconds');
  if (!(await buildTo(out, { root, logLevel: 'warn' }))) stop('The build failed, as it says above.');
}
for (const platform of servers) {
  console.error(`packing the server for ${platform}: a minute or more`);
  packServer({
    root,
    out,
    name: `${name}-server-${platform}`,
    platform,
    seconds,
    packages: values.packages ?? null,
    to: at(`${name}-server-${platform}.tar.gz`),
  });
}
console.error('writing the bill of materials: a minute or more');
writeFileSync(at(`${name}.cdx.json`), billOfMaterials({ root, commit: commitOf(root), seconds }));
writeFileSync(at('RELEASE-NOTES.md'), notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version));

const files = readdirSync(values.to)
  .filter((file) => file.startsWith(name) || file === 'RELEASE-NOTES.md')
  .toSorted();
const sums = files.map(
  (file) =>
    `${createHash('sha256')
      .update(readFileSync(at(file)))
      .digest('hex')}  ${file}\n`,
);
// One of before is of other sums, and would call these signed.
rmSync(at('SHA256SUMS.asc'), { force: true });
writeFileSync(at('SHA256SUMS'), sums.join(''));
if (values.sign !== undefined)
  execFileSync('gpg', ['--batch', '--yes', '--local-user', values.sign, '--armor', '--detach-sign', at('SHA256SUMS')], {
    stdio: 'inherit',
  });
console.log(`${sums.join('')}${existsSync(at('SHA256SUMS.asc')) ? 'signed' : 'not signed'}: ${at('SHA256SUMS')}`);
