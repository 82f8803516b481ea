import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Built } from '../crash/support/program.ts';

/** Where the built node chooses how often it looks, as `engine/intervals.ts` says it. */
const choice = /return isSandbox \? \w+\$?\d* : ([\w$]+);/;

/**
 * The same programs with a node that looks as rarely as on real networks, in a folder of their own beside them: on the
 * sandbox's networks a node is quick, for somebody waits.
 */
export function withRealRhythm(built: Built): Built {
  const folder = mkdtempSync(`${dirname(built.headless)}-real-`);
  cpSync(dirname(built.headless), folder, { recursive: true });
  const chunks = join(folder, 'chunks');
  const those = readdirSync(chunks)
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ path: join(chunks, name), text: readFileSync(join(chunks, name), 'utf8') }))
    .filter(({ text }) => choice.test(text));
  const [chunk] = those;
  if (chunk === undefined || those.length > 1)
    throw new Error(`the build chooses its rhythm at ${those.length} places: see ${choice}`);
  writeFileSync(chunk.path, chunk.text.replace(choice, 'return $1;'));
  const at = (path: string) => join(folder, basename(path));
  return {
    headless: at(built.headless),
    sandbox: at(built.sandbox),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
