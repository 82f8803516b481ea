// The types of a room, with its canary in it: the room must compile, and every line of canary/<room>.ts must not, or
// the room's guard is off. Usage: node test/tools/room-types.ts pure
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const compiler = fileURLToPath(new URL('../../node_modules/typescript-native/bin/tsc', import.meta.url));

function linesThatMustFail(canary: string): number[] {
  return readFileSync(new URL(`./${canary}`, import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line, i) => (line.startsWith('export ') ? [i + 1] : []));
}

function check(room: string): string[] {
  const canary = `canary/${room}.ts`;
  const project = fileURLToPath(new URL(`./tsconfig.${room}.json`, import.meta.url));
  const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', project], { encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => line !== '');
  const ofCanary = new RegExp(`${canary}\\((\\d+),`);
  const failed = new Set(lines.map((line) => Number(ofCanary.exec(line)?.[1])));
  // The lines of an error that are set in belong to the one before them.
  let inCanary = false;
  const ofRoom = lines.filter((line) => {
    if (!line.startsWith(' ')) inCanary = ofCanary.test(line);
    return !inCanary;
  });
  const unguarded = linesThatMustFail(canary).filter((line) => !failed.has(line));
  return [
    ...ofRoom,
    ...unguarded.map(
      (line) =>
        `test/tools/${canary}:${line} compiles: the guard of the ${room} rooms is off. Find the import that ` +
        'brings the types in.',
    ),
  ];
}

for (const room of process.argv.slice(2)) {
  const wrong = check(room);
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
}
