import { execFile } from 'node:child_process';
import { existsSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildBeside, cacheOfBuilds, compiled } from './build.ts';

/** The crate that carries Bitcoin Core's own source tree, and the version that the tree calls itself. */
const crate = { name: 'libbitcoinkernel-sys', version: '0.4.1' } as const;
export const coreVersion = '31.99';

export type Core = { readonly program: string; readonly source: string } | { readonly absent: string };

const run = promisify(execFile);
/** No wallet, no window, no tests of its own: the node alone. Unoptimised it is built in a fraction of the time. */
const settings = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DCMAKE_CXX_FLAGS_RELEASE=-O0',
  ...['ENABLE_WALLET', 'BUILD_GUI', 'BUILD_TESTS', 'BUILD_BENCH', 'BUILD_TX', 'BUILD_UTIL', 'BUILD_CLI'].map(
    (name) => `-D${name}=OFF`,
  ),
  ...['ENABLE_IPC', 'WITH_ZMQ', 'WITH_EMBEDDED_ASMAP'].map((name) => `-D${name}=OFF`),
];

/** What was built before, beside lnd and btcd, or in the folder that `SLUICE_REGTEST_BIN` names. Builds nothing. */
export function findCore(): Core {
  const own = process.env['SLUICE_REGTEST_BIN'];
  const program = own === undefined ? join(folderOfCore(), 'bitcoind') : join(own, 'bitcoind');
  return existsSync(program)
    ? { program, source: join(folderOfCore(), 'src') }
    : { absent: 'Bitcoin Core is not built: "npm run test:regtest -- core" builds it, some ten minutes on two cores' };
}

function folderOfCore(): string {
  return join(cacheOfBuilds(), `core-${coreVersion}-${crate.version}`);
}

/** Builds Bitcoin Core unless it is there; a sentence where something that it needs is not. */
export async function buildCore(say: (sentence: string) => void): Promise<Core> {
  const core = findCore();
  if (!('absent' in core) || process.env['SLUICE_REGTEST_BIN'] !== undefined) return core;
  for (const tool of ['cargo', 'cmake', 'ninja', 'c++'])
    if (!(await answers(tool))) return { absent: `Bitcoin Core cannot be built: ${tool} is not installed` };
  for (const [header, name] of [
    ['/usr/include/boost/multi_index_container.hpp', 'libboost-dev'],
    ['/usr/include/event2/event.h', 'libevent-dev'],
  ] as const)
    if (!existsSync(header)) return { absent: `Bitcoin Core cannot be built: ${name} is not installed` };
  say(`building Bitcoin Core ${coreVersion} into ${folderOfCore()} (some ten minutes on two cores, once)`);
  await buildBeside(folderOfCore(), async (building) => {
    const tree = join(building, 'tree');
    if (!existsSync(tree)) {
      const copy = join(building, 'copy');
      cpSync(await fetchSource(building), copy, { recursive: true });
      renameSync(copy, tree);
    }
    await compiled('Bitcoin Core', 'cmake', ['-B', 'build', '-G', 'Ninja', ...settings], { cwd: tree });
    await compiled('Bitcoin Core', 'ninja', ['-C', 'build', 'bitcoind'], { cwd: tree });
    const done = join(building, 'done');
    mkdirSync(done, { recursive: true });
    renameSync(join(tree, 'build', 'bin', 'bitcoind'), join(done, 'bitcoind'));
    // Its texts are read by a test: what it refuses, and in which words.
    cpSync(join(tree, 'src'), join(done, 'src'), {
      recursive: true,
      filter: (path) => !/\/(leveldb|secp256k1|test|qt)(\/|$)/.test(path),
    });
    rmSync(folderOfCore(), { recursive: true, force: true });
    renameSync(done, folderOfCore());
  });
  return findCore();
}

async function answers(tool: string): Promise<boolean> {
  return run(tool, ['--version']).then(
    () => true,
    () => false,
  );
}

/** The tree as the registry of crates has it. */
async function fetchSource(folder: string): Promise<string> {
  const scratch = join(folder, 'fetch');
  mkdirSync(join(scratch, 'src'), { recursive: true });
  writeFileSync(join(scratch, 'src', 'lib.rs'), '');
  writeFileSync(
    join(scratch, 'Cargo.toml'),
    `[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n${crate.name} = ` +
      `"=${crate.version}"\n`,
  );
  const home = process.env['CARGO_HOME'] ?? join(homedir(), '.cargo');
  await compiled('Bitcoin Core', 'cargo', ['fetch'], { cwd: scratch });
  const registry = join(home, 'registry', 'src');
  for (const index of readdirSync(registry)) {
    const tree = join(registry, index, `${crate.name}-${crate.version}`, 'bitcoin');
    if (existsSync(tree)) return tree;
  }
  throw new Error(`cargo fetched ${crate.name} ${crate.version}, and its sources are not where it keeps them`);
}
