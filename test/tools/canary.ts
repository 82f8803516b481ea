// Proves that the compiler still guards a room: every line of canary/<room>.ts must be an error when it is compiled with
// that room. Usage: node test/tools/canary.ts pure page
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

function linesThatMustFail(file: string): number[] {
  return readFileSync(new URL(`./${file}`, import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line, i) => (line.startsWith('export ') ? [i + 1] : []));
}

function linesThatCompile(room: string): number[] {
  const file = `canary/${room}.ts`;
  const project = fileURLToPath(new URL(`./tsconfig.${room}-canary.json`, import.meta.url));
  const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', project], { encoding: 'utf8' });
  const failed = new Set([...stdout.matchAll(new RegExp(`${file}\\((\\d+),`, 'g'))].map((found) => Number(found[1])));
  return linesThatMustFail(file).filter((line) => !failed.has(line));
}

for (const room of process.argv.slice(2)) {
  const compiled = linesThatCompile(room);
  for (const line of compiled)
    console.error(
      `test/tools/canary/${room}.ts:${line} compiles: the guard of the ${room} rooms is off. Find the import that brings the types in.`,
    );
  if (compiled.length > 0) process.exitCode = 1;
  else console.log(`${room}: the canary fails to compile, as it must`);
}
