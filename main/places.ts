import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the parts of the program lie, whether it runs from its sources or from `out/`. */
export interface Places {
  readonly root: string;
  /** The entry of the sandbox process, in the same form as this one. */
  readonly sandboxEntry: string;
  /** The built page, null where it was not built. */
  readonly page: string | null;
  /** Where Node keeps what it compiled of this program; null for a copy of it. */
  readonly compiled: string | null;
}

export function places(): Places {
  const root = packageRoot(import.meta.dirname);
  const built = import.meta.dirname.startsWith(join(root, 'out'));
  const page = join(root, 'out', 'renderer');
  return {
    root,
    sandboxEntry: built ? join(root, 'out', 'main', 'sandbox.js') : join(root, 'main', 'cli', 'sandbox.ts'),
    compiled: built
      ? join(root, 'out', 'main', 'compiled')
      : import.meta.dirname === join(root, 'main')
        ? join(root, '.cache', 'compiled')
        : null,
    page: existsSync(join(page, 'index.html')) ? page : null,
  };
}

function packageRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new Error(`no package.json above ${from}`);
  }
}
