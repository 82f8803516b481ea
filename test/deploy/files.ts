import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const root = join(import.meta.dirname, '..', '..');
export const deploy = (name: string): string => readFileSync(join(root, 'resources', 'deploy', name), 'utf8');
export const isThere = (name: string): boolean => existsSync(join(root, name));

/** YAML, by the reader that the check of OpenAPI brings along. */
export async function yaml<T>(text: string): Promise<T> {
  const place = pathToFileURL(join(root, 'node_modules', 'yaml', 'dist', 'index.js')).href;
  const reader = (await import(place)) as { default: { parse: (text: string) => unknown } };
  return reader.default.parse(text) as T;
}

/** Where the program lies in every package of it. */
export const home = '/opt/sluice';

/** What of a path below `home` has to be in the sources for it to be there; what is built is made of its entry. */
export function sourceOf(path: string): string {
  const inside = path.slice(home.length + 1);
  if (inside === 'out') return 'electron.vite.config.ts';
  const built = /^out\/main\/([\w-]+)\.js$/.exec(inside)?.[1];
  if (built === undefined) return inside;
  return ['headless', 'start', 'index'].includes(built) ? `main/${built}.ts` : `main/cli/${built}.ts`;
}
