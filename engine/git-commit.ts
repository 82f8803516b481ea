import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Says that there is no telling: what a wallet shows is never empty. */
const unknownCommit = 'unknown';

const whole = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** The commit of the checkout at `root`, read from its files: git need not be there, and no process is started. */
export function commitOf(root: string): string {
  try {
    const git = folderOf(join(root, '.git'));
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim();
    const commit = head.startsWith('ref: ') ? refIn(git, head.slice('ref: '.length)) : head;
    return whole.test(commit) ? commit : unknownCommit;
  } catch {
    return unknownCommit; // no checkout, as in every package
  }
}

/** A worktree has a file in place of the folder, which names it. */
function folderOf(path: string): string {
  if (statSync(path).isDirectory()) return path;
  return resolve(
    path,
    '..',
    readFileSync(path, 'utf8')
      .trim()
      .replace(/^gitdir: /, ''),
  );
}

function refIn(git: string, name: string): string {
  const shared = sharedBy(git);
  try {
    return readFileSync(join(shared, name), 'utf8').trim();
  } catch {
    // Packed: one line for each ref, the commit first.
    const line = readFileSync(join(shared, 'packed-refs'), 'utf8')
      .split('\n')
      .find((one) => one.endsWith(` ${name}`));
    return line?.split(' ', 1)[0] ?? '';
  }
}

/** Where the branches lie, which worktrees share. */
function sharedBy(git: string): string {
  try {
    return resolve(git, readFileSync(join(git, 'commondir'), 'utf8').trim());
  } catch {
    return git;
  }
}
