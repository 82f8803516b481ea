import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commitOf } from '../engine/git-commit.ts';
import { version } from '../engine/version.ts';

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'sluice-commit-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const commit = 'ab'.repeat(20);

function checkout(files: Record<string, string>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

test('the version of a checkout has its commit, never an empty one', () => {
  let head = 'unknown';
  try {
    head = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    // Unpacked from an archive, or without git.
  }
  expect(version.commit).toBe(head);
});

test.each([
  ['a branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${commit}\n` }],
  [
    'a branch that was packed',
    {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/packed-refs': `# pack-refs with: peeled\n${'cd'.repeat(20)} refs/heads/old/main\n${commit} refs/heads/main\n`,
    },
  ],
  ['no branch at all', { '.git/HEAD': `${commit}\n` }],
  [
    'a worktree',
    {
      '.git': 'gitdir: repository/worktrees/one\n',
      'repository/worktrees/one/HEAD': 'ref: refs/heads/one\n',
      'repository/worktrees/one/commondir': '../..\n',
      'repository/refs/heads/one': `${commit}\n`,
    },
  ],
])('the commit is read on %s', (_, files) => {
  expect(commitOf(checkout(files))).toBe(commit);
});

test.each([
  ['there is no checkout', {}],
  ['the branch has no commit yet', { '.git/HEAD': 'ref: refs/heads/main\n' }],
  ['the files hold something else', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': '<html>' }],
])('the commit is unknown where %s', (_, files) => {
  expect(commitOf(checkout(files))).toBe('unknown');
});
