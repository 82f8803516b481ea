// How many files outside a direction's own places name one: each of them is a place that a new direction would have to
// touch. npm run check holds the number, which may fall and never rise.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { directionNames, wireDirections } from '../../engine/domain/chain.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A direction's own place is a file or a folder of its name; a stored form of before is written once and never again.
 */
const own = new RegExp(`/(${directionNames.join('|')})(/|\\.tsx?$)|^engine/store/migrations/`);

/**
 * The table of the names, a registry with a line for each direction in contract, service, taker and demo, and the pairs
 * of another interface with what they are made of.
 */
const most = 7;

/** `arkade-lightning`, `ArkadeLightning`, `arkade_to_lightning`, as comments and code spell it. */
function spellings(name: (typeof directionNames)[number]): string[] {
  const pascal = name.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  return [name, pascal, pascal.slice(0, 1).toLowerCase() + pascal.slice(1), wireDirections[name]];
}

const named = new RegExp(directionNames.flatMap(spellings).join('|'));
const files = execFileSync('git', ['ls-files', 'engine', 'main', 'preload', 'renderer'], { cwd: top, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file));
if (files.length === 0) throw new Error('no file was looked at: nothing is counted');
const others = files.filter((file) => !own.test(file) && named.test(readFileSync(`${top}/${file}`, 'utf8')));
console.log(`${others.length} files outside a direction's own places name one, at most ${most} may`);
for (const file of others) console.log(`  ${file}`);
if (others.length > most) process.exitCode = 1;
if (others.length < most) {
  console.error(`they became fewer: set the limit to ${others.length}`);
  process.exitCode = 1;
}
