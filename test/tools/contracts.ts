// Writes the compiled contracts; with --check only says whether they are those of the sources, the compiler and the
// settings, without compiling: test/contracts/compiled.test.ts compiles and compares every byte.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { compile, compilerVersion, hashOfSource, ownSources, settings, sha256 } from './solidity.ts';

interface Build {
  readonly compiler: string;
  readonly settings: unknown;
  readonly sources: Readonly<Record<string, string>>;
  /** The hash of every file written beside this one. */
  readonly written: Readonly<Record<string, string>>;
}

const top = fileURLToPath(new URL('../..', import.meta.url));
const record = 'build.json';

/** Where Solidity lies, and where what it compiles to is kept. */
const builds = [
  { from: 'resources/contracts', into: 'resources/contracts/compiled' },
  { from: 'resources/contracts/sandbox', into: 'resources/contracts/sandbox/compiled' },
  { from: 'test/contracts/solidity', into: 'test/contracts/kit/compiled' },
] as const;

function asText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function write({ from, into }: (typeof builds)[number]): Promise<void> {
  const { sources, artifacts } = await compile(from, ownSources(from));
  const files = Object.entries(artifacts).map(([name, artifact]) => [`${name}.json`, asText(artifact)] as const);
  const build: Build = {
    compiler: compilerVersion(),
    settings,
    sources,
    written: Object.fromEntries(files.map(([name, text]) => [name, sha256(text)])),
  };
  rmSync(`${top}${into}`, { recursive: true, force: true });
  mkdirSync(`${top}${into}`, { recursive: true });
  for (const [name, text] of [...files, [record, asText(build)] as const]) writeFileSync(`${top}${into}/${name}`, text);
}

function problemsOf({ from, into }: (typeof builds)[number]): string[] {
  const build = JSON.parse(readFileSync(`${top}${into}/${record}`, 'utf8')) as Build;
  const problems: string[] = [];
  if (build.compiler !== compilerVersion())
    problems.push(`${into} was written by solc ${build.compiler}, and ${compilerVersion()} is installed`);
  if (!isDeepStrictEqual(build.settings, settings)) problems.push(`${into} was compiled with other settings`);
  const changed = Object.entries(build.sources).filter(([path, hash]) => hashOfSource(from, path) !== hash);
  const added = ownSources(from).filter((path) => !(path in build.sources));
  const sources = [...changed.map(([path]) => path), ...added];
  if (sources.length > 0) problems.push(`${into} does not follow from ${sources.join(', ')}`);
  const there = readdirSync(`${top}${into}`).filter((file) => file !== record);
  const edited = there.filter((file) => build.written[file] !== sha256(readFileSync(`${top}${into}/${file}`, 'utf8')));
  const missing = Object.keys(build.written).filter((file) => !there.includes(file));
  if (edited.length + missing.length > 0)
    problems.push(`not as they were written: ${[...edited, ...missing].map((file) => `${into}/${file}`).join(', ')}`);
  return problems;
}

if (process.argv.includes('--check')) {
  const problems = builds.flatMap(problemsOf);
  for (const problem of problems) console.error(`${problem}.`);
  if (problems.length > 0) {
    console.error(`Run \`node test/tools/${basename(import.meta.filename)}\` and commit the result.`);
    process.exitCode = 1;
  }
} else {
  for (const build of builds) await write(build);
}
