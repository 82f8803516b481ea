// The Solidity compiler, with the settings that everything of ours is compiled with.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Code {
  readonly object: string;
  readonly immutableReferences: Readonly<
    Record<string, readonly { readonly start: number; readonly length: number }[]>
  >;
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly sources: Readonly<Record<string, unknown>>;
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { abi: unknown[]; evm: { bytecode: Code; deployedBytecode: Code } }>>>
  >;
}

type Source = { readonly contents: string } | { readonly error: string };

/** What is kept of a compiled contract. */
export interface Artifact {
  readonly abi: readonly unknown[];
  readonly bytecode: `0x${string}`;
  readonly runtime: `0x${string}`;
  /** The places in the runtime code that the constructor fills in, in bytes. */
  readonly immutables: readonly { readonly start: number; readonly length: number }[];
}

export interface Compiled {
  /** The hash of every source that went in, libraries included, by its path. */
  readonly sources: Readonly<Record<string, string>>;
  readonly artifacts: Readonly<Record<string, Artifact>>;
}

const top = fileURLToPath(new URL('../..', import.meta.url));
const libraries = 'node_modules/';

/** Code carries no metadata: a comment then moves no address that is made of the code. */
export const settings = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
} as const;

/** Half the time and code that does the same: for what is compiled to be tested once. */
export const hastySettings = {
  ...settings,
  optimizer: {
    enabled: true,
    runs: 1,
    details: { yulDetails: { stackAllocation: true, optimizerSteps: 'dhfoDgvulfnTUtnIf' } },
  },
} as const;

/** The version of the compiler that is installed; its start alone takes longer than a look at its package. */
export function compilerVersion(): string {
  const { version } = JSON.parse(readFileSync(`${top}${libraries}solc/package.json`, 'utf8')) as { version: string };
  return version;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The hash of a source by the path that the compiler has for it; null where there is none any more. */
export function hashOfSource(folder: string, path: string): string | null {
  try {
    return sha256(readSource(folder, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function readSource(folder: string, path: string): string {
  return readFileSync(path.startsWith('@') ? `${top}${libraries}${path}` : `${top}${folder}/${path}`, 'utf8');
}

export function ownSources(folder: string): string[] {
  return readdirSync(`${top}${folder}`)
    .filter((file) => file.endsWith('.sol'))
    .sort();
}

/**
 * Compiles the named files of a folder; `replaced` stands in for files of the same name. Throws what the compiler
 * refuses.
 */
export async function compile(
  folder: string,
  files: readonly string[],
  replaced: Readonly<Record<string, string>> = {},
  chosen: typeof settings | typeof hastySettings = settings,
): Promise<Compiled> {
  // Nine megabytes of it, which a look at hashes need not load.
  const { default: solc } = await import('solc');
  const compileText: (input: string, callbacks: { import(path: string): Source }) => string = solc.compile;
  const read = (path: string) => replaced[path] ?? readSource(folder, path);
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: read(file) }])),
    settings: {
      ...chosen,
      outputSelection: Object.fromEntries(
        files.map((file) => [
          file,
          {
            '*': [
              'abi',
              'evm.bytecode.object',
              'evm.deployedBytecode.object',
              'evm.deployedBytecode.immutableReferences',
            ],
          },
        ]),
      ),
    },
  };
  const answer = compileText(JSON.stringify(input), {
    import: (path) => {
      try {
        return { contents: read(path) };
      } catch (error) {
        return { error: String(error) };
      }
    },
  });
  const output = JSON.parse(answer) as Output;
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  return {
    sources: Object.fromEntries(
      Object.keys(output.sources)
        .sort()
        .map((path) => [path, sha256(read(path))]),
    ),
    artifacts: artifactsOf(output),
  };
}

function artifactsOf({ contracts }: Output): Record<string, Artifact> {
  const artifacts: Record<string, Artifact> = {};
  for (const [name, { abi, evm }] of Object.values(contracts).flatMap((file) => Object.entries(file))) {
    if (evm.bytecode.object === '') continue;
    artifacts[name] = {
      abi,
      bytecode: `0x${evm.bytecode.object}`,
      runtime: `0x${evm.deployedBytecode.object}`,
      immutables: Object.values(evm.deployedBytecode.immutableReferences)
        .flat()
        .sort((one, other) => one.start - other.start),
    };
  }
  return artifacts;
}
