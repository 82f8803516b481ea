import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { directionFaults } from './direction-walks.ts';
import { rooms } from './rooms.ts';

/**
 * Draws the rooms of `rooms.ts` into `engine/README.md`, between its two marks. With `--check` says whether the picture
 * is fresh, and whether each walk names files that exist, none twice, and no more of them than it may; those of any
 * direction, which are put together from the rows of its networks, too.
 */
const folder = new URL('../../engine/', import.meta.url);
const file = new URL('README.md', folder);
const begin = '<!-- The picture is written by `npm run generate`. -->';
const end = '<!-- The end of the picture. -->';

/** How many files a stranger may have to open, by the title of the walk. */
const most: Readonly<Record<string, number>> = {
  'A Lightning to Arkade swap is created': 10,
  'A preimage is seen, and the claim is sent': 11,
  'The owner changes a setting': 8,
};

/** The files above the rooms are one place in the picture: they plug the rooms together. */
const plug = 'engine';
const nameOf = (path: string): string =>
  path
    .replace(/^engine\//, '')
    .replace(/\/$/, '')
    .replaceAll('/', '-');

/** A file that the table names beside a room is drawn as that room. */
function placeOf(path: string): string {
  if (path.endsWith('/')) return nameOf(path);
  const room = Object.keys(rooms).find((one) => path.startsWith(one) || `${one.slice(0, -1)}.ts` === path);
  return room === undefined ? plug : nameOf(room);
}

type Edges = Map<string, Set<string>>;

function edgesOf(kind: 'rooms' | 'types'): Edges {
  const edges: Edges = new Map();
  for (const [room, may] of Object.entries(rooms))
    edges.set(
      nameOf(room),
      new Set(
        may[kind]
          .filter((to) => !to.startsWith('resources/'))
          .map(placeOf)
          .filter((to) => to !== nameOf(room)),
      ),
    );
  return edges;
}

/** Whether one leads to the other, by any way but the direct one where that is left out. */
function leads(edges: Edges, from: string, to: string, direct: 'direct too' | 'not directly'): boolean {
  const reached = new Set<string>();
  const open = [...(edges.get(from) ?? [])].filter((next) => direct === 'direct too' || next !== to);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === to) return true;
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(edges.get(next) ?? []));
  }
  return false;
}

function picture(): string {
  const values = edgesOf('rooms');
  const types = edgesOf('types');
  const targets = new Set([...values.values()].flatMap((to) => [...to]));
  values.set(plug, new Set([...values.keys()].filter((room) => !targets.has(room) && room in engineRooms)));
  const lines = ['flowchart TD', `  ${plug}["engine/*.ts"]`];
  for (const room of Object.keys(rooms)) lines.push(`  ${nameOf(room)}["${room.replace(/\/$/, '')}"]`);
  for (const [from, tos] of values)
    for (const to of tos) if (!leads(values, from, to, 'not directly')) lines.push(`  ${from} --> ${to}`);
  for (const [from, tos] of types)
    for (const to of tos) if (!leads(values, from, to, 'direct too')) lines.push(`  ${from} -.-> ${to}`);
  return ['```mermaid', ...lines, '```'].join('\n');
}

const engineRooms = Object.fromEntries(
  Object.keys(rooms)
    .filter((room) => room.startsWith('engine/'))
    .map((room) => [nameOf(room), room]),
);

function withPicture(text: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`engine/README.md has lost the marks of its picture: ${begin} and ${end}`);
  return `${before}${begin}\n\n${picture()}\n\n${end}${after}`;
}

/** What is wrong with the walks, a sentence each. */
function faultsOf(text: string): string[] {
  const faults: string[] = [];
  for (const [title, limit] of Object.entries(most)) {
    const section = text.split(`\n## ${title}\n`)[1]?.split('\n## ')[0];
    if (section === undefined) {
      faults.push(`the walk "${title}" is missing`);
      continue;
    }
    const steps = [...section.matchAll(/^\d+\. \[[^\]]+\]\(([^)]+)\)/gm)].map((match) => match[1] ?? '');
    const numbered = [...section.matchAll(/^\d+\. /gm)].length;
    if (steps.length !== numbered) faults.push(`a step of "${title}" does not begin with the link of its file`);
    if (steps.length === 0 || steps.length > limit)
      faults.push(`"${title}" opens ${steps.length} files, and may open 1 to ${limit}`);
    if (new Set(steps).size !== steps.length) faults.push(`"${title}" counts a file twice`);
  }
  for (const [, path = ''] of text.matchAll(/\]\(([^):#]+)\)/g))
    if (!existsSync(fileURLToPath(new URL(path, folder)))) faults.push(`engine/${path} does not exist`);
  return [...faults, ...directionFaults(text)];
}

const text = readFileSync(file, 'utf8');
const drawing = withPicture(text);
if (!process.argv.includes('--check')) {
  writeFileSync(file, drawing);
} else if (text !== drawing) {
  console.error(
    'The picture of engine/README.md does not follow from rooms.ts: run `node test/tools/engine-readme.ts` and ' +
      'commit the result.',
  );
  process.exitCode = 1;
}
for (const fault of faultsOf(drawing)) {
  console.error(`engine/README.md: ${fault}`);
  process.exitCode = 1;
}
