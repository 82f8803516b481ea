import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { build, buildIfNeeded } from '../../main/build.ts';
import { oldNode } from '../../main/old-node.ts';
import type { ReadyLine } from '../../main/ready.ts';
import { sayReady } from '../../main/way-in.ts';

test('a Node on which the database would crash is refused with a sentence', () => {
  expect(oldNode({ node: '22.12.0', napi: '9' })).toBe(
    'This is Node 22.12.0, and Sluice needs 22.14 or newer: the Node of the lockfile is 24.',
  );
  expect(oldNode({ node: '20.20.2', napi: '9' })).not.toBeNull();
  expect(oldNode({ node: '22.14.0', napi: '10' })).toBeNull();
  expect(oldNode(process.versions)).toBeNull();
});

test('README and documents name the versions of Node that the manifest takes', () => {
  const top = join(import.meta.dirname, '..', '..');
  const { engines } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as { engines: { node: string } };
  const [, least, below] = /^>=(\d+\.\d+) <(\d+)$/.exec(engines.node) ?? [];
  const sentence = `runs on Node ${least} up to ${Number(below) - 1}`;
  const documents = ['README.md', 'resources/docs/operate/systemd.md', 'resources/docs/provide/checklist.md'];
  expect(documents.filter((name) => !readFileSync(join(top, name), 'utf8').includes(sentence))).toEqual([]);
});

test('a terminal is told where the page is and where its token lies, and programs read one line of JSON', () => {
  const ready = { ui: { url: 'http://127.0.0.1:7733/' }, dataDir: '/data' } as ReadyLine;
  const written = (isTTY: boolean, line: ReadyLine) => {
    const streams = { out: '', err: '' };
    sayReady(
      line,
      { isTTY, write: (text) => (streams.out += text) },
      { isTTY, write: (text) => (streams.err += text) },
    );
    return streams;
  };
  const out = `${JSON.stringify(ready)}\n`;
  const err = 'The page is at http://127.0.0.1:7733/. It asks for the owner token, which is in /data/owner.token.\n';
  expect([written(true, ready), written(false, ready)]).toEqual([
    { out, err },
    { out, err: '' },
  ]);
  expect(written(true, { ...ready, ui: null }).err).toBe('');
});

test('an unpacked release, which has no sources, is started as it is', async () => {
  const release = mkdtempSync(join(tmpdir(), 'sluice-release-'));
  try {
    expect(await buildIfNeeded(release)).toBe(true);
  } finally {
    rmSync(release, { recursive: true });
  }
});

test('what was built by hand is not built again by a start, until a source differs', async () => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-build-'));
  try {
    const tool = join(root, 'node_modules', 'electron-vite', 'bin');
    for (const folder of [tool, join(root, 'main'), join(root, 'out')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(tool, 'electron-vite.js'), `require('node:fs').appendFileSync('out/builds', 'x');`);
    const builds = () => readFileSync(join(root, 'out', 'builds'), 'utf8').length;
    expect([await build(root, 'warn'), await buildIfNeeded(root), builds()]).toEqual([true, true, 1]);
    writeFileSync(join(root, 'main', 'index.ts'), '');
    expect([await buildIfNeeded(root), await buildIfNeeded(root), builds()]).toEqual([true, true, 2]);
    expect(await build(root, 'warn')).toBe(true);
    expect(builds()).toBe(3);
  } finally {
    rmSync(root, { recursive: true });
  }
  const top = join(import.meta.dirname, '..', '..');
  const { scripts } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as { scripts: { build: string } };
  expect(scripts.build).toBe('node main/cli/build.ts');
});
