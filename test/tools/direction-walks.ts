import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * The walks of `engine/README.md` for any direction: each is put together from a row of the network on which the client
 * gives, and one of the network on which it receives.
 */

const folder = new URL('../../engine/', import.meta.url);
/**
 * Most files that a stranger may have to open: ten, but where a walk ends in a transaction of ours, by the network that
 * it is on. The limits of each are beside its table, and may fall.
 */
const most = {
  create: { lightning: 10, arkade: 10, bitcoin: 10, evm: 10 },
  'lock to lock': { lightning: 10, arkade: 11, bitcoin: 11, evm: 12 },
  'secret to claim': { lightning: 10, arkade: 12, bitcoin: 12, evm: 13 },
} as const;

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
  readonly name: keyof typeof most;
  /** Of its last act. */
  readonly endsOn: string;
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
    { name: 'create', endsOn: source, files: [...begin, ...own, ...of(creates, source)] },
    {
      name: 'lock to lock',
      endsOn: target,
      files: [...of(locks, source), 'runtime/commit.ts', 'swap/provider/funding.ts', ...of(ours, target)],
    },
    {
      name: 'secret to claim',
      endsOn: source,
      files: [...of(secret, target), 'runtime/commit.ts', 'swap/provider/funding.ts', ...of(claim, source)],
    },
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
    for (const { name, endsOn, files } of walksOf(text, direction)) {
      const walk = `the walk "${name}" of ${direction}`;
      const once = new Set(files);
      if (once.size < 6) faults.push(`${walk} has ${once.size} files: a row of its networks is missing`);
      const limit = Object.entries(most[name]).find(([network]) => network === endsOn)?.[1] ?? 0;
      if (once.size > limit) faults.push(`${walk} opens ${once.size} files, and may open ${limit}`);
      for (const file of once) if (!exists(file)) faults.push(`${walk} names engine/${file}, which does not exist`);
    }
  return faults;
}
