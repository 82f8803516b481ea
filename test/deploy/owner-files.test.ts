// What an owner puts beside compose.yaml, by its document, is the owner's alone: it gets into no image, no package of
// the desktop, no archive of a release and no commit.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import packaging from '../tools/electron-builder.json' with { type: 'json' };
import { copyCommitted } from '../tools/release/committed.ts';
import { deploy, home, root } from './files.ts';

const place = 'resources/deploy/container';

/** Folders beside compose.yaml that it mounts or reads a secret of, and those that the document names. */
const folders = [
  ...new Set([
    ...[...deploy('container/compose.yaml').matchAll(/[ :]\.\/(\w+)/g)].map(([, name = '']) => name),
    ...[...readFileSync(join(root, 'resources/docs/operate/container.md'), 'utf8').matchAll(/^\| `(\w+)\//gm)].map(
      ([, name = '']) => name,
    ),
  ]),
].map((name) => `${place}/${name}`);
const ownerFiles = folders.map((folder) => `${folder}/of-the-owner`);

test('the folders of the owner are those that compose.yaml mounts', () => {
  expect(folders.toSorted()).toEqual(['config', 'second', 'secrets'].map((name) => `${place}/${name}`));
});

test('fault 355: an image is built without them, and copies from the build what runs', () => {
  const left = deploy('container/Containerfile.dockerignore').trim().split('\n');
  expect(left.filter((line) => /^[!*]/.test(line))).toEqual([]);
  expect(folders.filter((folder) => !left.includes(folder))).toEqual([]);
  const copied = [...deploy('container/Containerfile').matchAll(/^COPY --from=build (.+) \S+$/gm)]
    .flatMap(([, paths = '']) => paths.split(' '))
    .map((path) => path.slice(home.length + 1));
  const isCopied = (file: string) => copied.some((one) => file === one || file.startsWith(`${one}/`));
  expect(ownerFiles.filter(isCopied)).toEqual([]);
  expect(
    ['package.json', 'LICENSE', 'out/main/headless.js', 'node_modules/ws'].filter((one) => !isCopied(one)),
  ).toEqual([]);
});

test('fault 355: git takes none of them into a commit', () => {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
  expect(folders.filter((folder) => !ignored.includes(`${folder}/`))).toEqual([]);
});

test('fault 355: the desktop is packed without them', () => {
  const isPacked = (file: string) =>
    packaging.files.reduce(
      (before, one) => (matchesGlob(file, one.replace(/^!/, '')) ? !one.startsWith('!') : before),
      false,
    );
  expect([...ownerFiles, 'resources/icons/icon.png'].filter(isPacked)).toEqual(['resources/icons/icon.png']);
});

test('fault 355: an archive of a release has the files of the commit, and nothing that lies beside them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-committed-'));
  try {
    const from = join(folder, 'from');
    const put = (file: string, text: string) => {
      mkdirSync(dirname(join(from, file)), { recursive: true });
      writeFileSync(join(from, file), text);
    };
    put('.gitignore', `${place}/secrets/\n`);
    put(`${place}/compose.yaml`, 'of the commit');
    put('resources/openapi.json', '{}');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: from });
    git('init', '--quiet');
    git('add', '.');
    put(`${place}/secrets/passphrase`, 'correct horse battery staple');
    put(`${place}/config/sluice.macaroon`, 'not ignored, and in no commit');
    copyCommitted(from, ['resources/deploy', 'resources/openapi.json'], join(folder, 'to'));
    const files = readdirSync(join(folder, 'to'), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    expect(files.map(({ name }) => name).toSorted()).toEqual(['compose.yaml', 'openapi.json']);
    expect(readFileSync(join(folder, 'to', place, 'compose.yaml'), 'utf8')).toBe('of the commit');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
