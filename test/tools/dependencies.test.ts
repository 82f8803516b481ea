import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every dependency has a line of why in CONTRIBUTING, and every line a dependency', () => {
  const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
    string,
    Readonly<Record<string, string>>
  >;
  const section = read('CONTRIBUTING.md').split('## Dependencies')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, names = '']) => names);
  const explained = rows.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(explained.toSorted()).toEqual(
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).toSorted(),
  );
});
