import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** Copies what git has of these files and folders. Beside them may lie passphrases and macaroons of who builds it. */
export function copyCommitted(root: string, paths: readonly string[], to: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--', ...paths], { cwd: root, encoding: 'utf8' });
  for (const file of files.split('\0')) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(to, file));
  }
}
