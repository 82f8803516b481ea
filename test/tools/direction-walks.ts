import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * The walks of `engine/README.md` for any direction: each is put together from a row of the network on which the client
 * gives, and one of the network on which it receives.
 */

const folder = new URL('../../engine/', import.meta.url);
/** Most files that a stranger may have to open. */
const most = 10;

const networks: Readonly<Record<string, string>> = {
  Lightning: 'lightning',
  Arkade: 'arkade',
  Bitcoin: 'bitcoin',
  EVM: 'evm',
};

type Row = Readonly<Record<string, readonly string[]>>;

/** The columns of a table below a heading in bold, each by network; the files of a cell in their order. */
function table(text: string, title: string): readonly Row[] {
  const lines = (text.split(`**${title}**`)[1] ?? '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const columns: Record<string, readonly string[]>[] = [];
  for (const line of lines.slice(first + 2)) {
    if (!line.startsWith('|')) break;
    const [network = '', ...cells] = line.split('|').slice(1, -1);
    const name = networks[network.trim()] ?? network.trim();
    cells.forEach((cell, at) => ((columns[at] ??= {})[name] = pathsOf(cell)));
  }
  return columns;
}

function pathsOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

/** Every direction, from the folder in which they are. */
function directions(): readonly string[] {
  return readdirSync(fileURLToPath(new URL('swap/directions', folder))).map((file) => basename(file, '.ts'));
}

/** One walk of one direction: its files in order. */
interface Walk {
  readonly name: string;
  readonly files: readonly string[];
}

function walksOf(text: string, direction: string): readonly Walk[] {
  const [source = '', target = ''] = direction.split('-');
  const [creates] = table(text, 'A create');
  const [locks, ours] = table(text, "From the client's lock to ours");
  const [secret, claim] = table(text, 'From the secret to our claim');
  const of = (rows: Row | undefined, network: string): readonly string[] => rows?.[network] ?? [];
  const begin = ['api/dispatch.ts', 'api/handlers/create.ts', 'service/create/create.ts'];
  const own = ['contract', 'service'].map((room) => `${room}/directions/${direction}.ts`);
  return [
    { name: 'create', files: [...begin, ...own, ...of(creates, source)] },
    {
      name: 'lock to lock',
      files: [...of(locks, source), 'runtime/commit.ts', 'swap/provider/funding.ts', ...of(ours, target)],
    },
    { name: 'secret to claim', files: [...of(secret, target), 'runtime/commit.ts', ...of(claim, source)] },
  ];
}

function exists(path: string): boolean {
  return existsSync(fileURLToPath(new URL(path, folder)));
}

/** What is wrong with the walks of every direction, a sentence each. */
export function directionFaults(text: string): string[] {
  const all = directions();
  const faults = all.length === 0 ? ['no direction was found'] : [];
  for (const direction of all)
    for (const { name, files } of walksOf(text, direction)) {
      const walk = `the walk "${name}" of ${direction}`;
      const once = new Set(files);
      if (once.size < 6) faults.push(`${walk} has ${once.size} files: a row of its networks is missing`);
      if (once.size > most) faults.push(`${walk} opens ${once.size} files, and may open ${most}`);
      for (const file of once) if (!exists(file)) faults.push(`${walk} names engine/${file}, which does not exist`);
    }
  return faults;
}
