import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('every line of SECURITY.md that names a test names one that there is', () => {
  const lines = readFileSync(join(root, 'SECURITY.md'), 'utf8').matchAll(
    /^\| [^|]+ \| `(test\/[\w./-]+\.ts)` \| ([^|]+) \|$/gm,
  );
  const named = [...lines].map(([, file = '', title = '']) => ({ file, title: title.trim() }));
  expect(named.length).toBeGreaterThan(25);
  const missing = named.filter(({ file, title }) => {
    const path = join(root, file);
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(title);
  });
  expect(missing).toEqual([]);
});
