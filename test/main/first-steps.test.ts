import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildIfNeeded } from '../../main/build.ts';
import { oldNode } from '../../main/old-node.ts';
import { wayIn } from '../../main/way-in.ts';

test('a Node on which the database would crash is refused with a sentence', () => {
  expect(oldNode({ node: '22.12.0', napi: '9' })).toBe(
    'This is Node 22.12.0, and Sluice needs 22.14 or newer: the Node of the lockfile is 24.',
  );
  expect(oldNode({ node: '20.20.2', napi: '9' })).not.toBeNull();
  expect(oldNode({ node: '22.14.0', napi: '10' })).toBeNull();
  expect(oldNode(process.versions)).toBeNull();
});

test('a terminal is told where the page is and where its token lies', () => {
  expect(wayIn({ ui: { url: 'http://127.0.0.1:7733/' }, dataDir: '/data' })).toBe(
    'The page is at http://127.0.0.1:7733/. It asks for the owner token, which is in /data/owner.token.',
  );
});

test('an unpacked release, which has no sources, is started as it is', async () => {
  const release = mkdtempSync(join(tmpdir(), 'sluice-release-'));
  try {
    expect(await buildIfNeeded(release)).toBe(true);
  } finally {
    rmSync(release, { recursive: true });
  }
});
