// Writes the first blocks of the sandbox's EVM chains; with --check only says whether they are made of the contracts as
// they are, without making them: test/sandbox/evm/genesis.test.ts makes them again and compares.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownContracts } from '../../engine/adapters/evm/contracts.ts';
import { artifactText, artifacts } from './evm/market.ts';
import { type Prepared, prepareNativeChain, prepareTokenChain } from './evm/chains.ts';
import { sha256 } from './solidity.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const folder = 'resources/sandbox';
const record = `${folder}/evm-build.json`;

interface Build {
  /** The hash of everything that the chains are made of. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly written: Readonly<Record<string, string>>;
}

function asText(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

function inputs(): Build['inputs'] {
  const own = [137, 31].flatMap((chainId) => ownContracts(chainId));
  const tokens = readdirSync(`${top}resources/contracts/sandbox/compiled`);
  const tools = ['evm/builder.ts', 'evm/chains.ts', 'evm/market.ts'];
  const files = [
    'resources/contracts/permit2-runtime.hex',
    'engine/sandbox/world/evm/faucet-account.ts',
    ...tokens.map((file) => `resources/contracts/sandbox/compiled/${file}`),
    ...tools.map((file) => `test/tools/${file}`),
  ];
  return Object.fromEntries([
    ...own.map(({ name, initCode }) => [name, sha256(initCode)]),
    ...Object.values(artifacts).map((path) => [path, sha256(artifactText(path))]),
    ...files.map((file) => [file, sha256(readFileSync(`${top}${file}`, 'utf8'))]),
  ]) as Build['inputs'];
}

async function write(): Promise<void> {
  const chains: readonly [number, Prepared][] = [
    [137, await prepareTokenChain()],
    [31, await prepareNativeChain()],
  ];
  const files = [
    ...chains.map(([chainId, { genesis }]) => [`evm-${chainId}.json`, asText(genesis)] as const),
    ['evm-places.json', asText(Object.fromEntries(chains.map(([chainId, { places }]) => [chainId, places])))] as const,
  ];
  mkdirSync(`${top}${folder}`, { recursive: true });
  for (const [name, text] of files) writeFileSync(`${top}${folder}/${name}`, text);
  const written = Object.fromEntries(files.map(([name, text]) => [name, sha256(text)]));
  writeFileSync(`${top}${record}`, asText({ inputs: inputs(), written } satisfies Build));
}

function problems(): string[] {
  const build = JSON.parse(readFileSync(`${top}${record}`, 'utf8')) as Build;
  const now = inputs();
  const names = new Set([...Object.keys(build.inputs), ...Object.keys(now)]);
  const changed = [...names].filter((name) => build.inputs[name] !== now[name]);
  const edited = Object.entries(build.written).filter(
    ([name, hash]) => sha256(readFileSync(`${top}${folder}/${name}`, 'utf8')) !== hash,
  );
  return [
    ...changed.map((name) => `${folder} was made with another ${name}`),
    ...edited.map(([name]) => `${folder}/${name} is not as it was written`),
  ];
}

if (process.argv.includes('--check')) {
  const stale = problems();
  for (const problem of stale) console.error(`${problem}.`);
  if (stale.length > 0) {
    console.error(`Run \`node test/tools/${basename(import.meta.filename)}\` and commit the result.`);
    process.exitCode = 1;
  }
} else {
  await write();
}
