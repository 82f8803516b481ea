import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Where the daemons are, or the sentence that says why there are none. */
export type Daemons = { readonly btcd: string; readonly lnd: string } | { readonly absent: string };

const run = promisify(execFile);
const tools = join(import.meta.dirname, '..', 'tools');
const packages = ['github.com/btcsuite/btcd', 'github.com/lightningnetwork/lnd/cmd/lnd'];
export const lndVersion = '0.20.2-beta';
const btcdVersion = /btcsuite\/btcd v(\S+)/.exec(readFileSync(join(tools, 'go.mod'), 'utf8'))?.[1];
/** What stories run over, for a person. */
export const namesOfDaemons =
  process.env['SLUICE_REGTEST_BIN'] === undefined
    ? { lnd: `lnd ${lndVersion}`, btcd: `btcd ${btcdVersion}` }
    : { lnd: 'the lnd of SLUICE_REGTEST_BIN', btcd: 'the btcd of SLUICE_REGTEST_BIN' };
/** go.mod asks for 1.24; from 1.21 on Go fetches the toolchain that a module names by itself. */
const oldestGo = [1, 21] as const;
/** A slow machine beside other loads takes half an hour for the largest of them. */
export const buildLimitMs = 90 * 60_000;

const flags = [
  '-trimpath',
  // Otherwise lnd would report the commit of this project as its own.
  '-buildvcs=false',
  '-mod=readonly',
  '-p',
  '2',
  '-tags',
  'signrpc walletrpc chainrpc invoicesrpc routerrpc peersrpc',
  '-ldflags',
  `-s -w -X github.com/lightningnetwork/lnd/build.Commit=v${lndVersion}`,
];

/** Outside the checkout, so that a clean clone finds what another one built. */
export function cacheOfBuilds(): string {
  return (
    process.env['SLUICE_REGTEST_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sluice', 'regtest')
  );
}

/** One folder per set of sources and flags. */
function folderOfBuild(): string {
  const root = cacheOfBuilds();
  const key = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) key.update(readFileSync(join(tools, file)));
  key.update(JSON.stringify([process.platform, process.arch, packages, flags]));
  return join(root, key.digest('hex').slice(0, 16));
}

function daemonsIn(folder: string): Daemons | null {
  const daemons = { btcd: join(folder, 'btcd'), lnd: join(folder, 'lnd') };
  return existsSync(daemons.btcd) && existsSync(daemons.lnd) ? daemons : null;
}

/** What was built before; `SLUICE_REGTEST_BIN` names a folder with binaries of one's own. Builds nothing. */
export function findDaemons(): Daemons {
  const own = process.env['SLUICE_REGTEST_BIN'];
  if (own !== undefined) return daemonsIn(own) ?? { absent: `there is no btcd and lnd in SLUICE_REGTEST_BIN, ${own}` };
  return (
    daemonsIn(folderOfBuild()) ?? {
      absent: 'lnd and btcd are not built: "npm run test:regtest" builds them where Go is installed',
    }
  );
}

/** Builds the daemons unless they are there. Rejects when Go is there and the build fails. */
export async function buildDaemons(say: (sentence: string) => void): Promise<Daemons> {
  const daemons = findDaemons();
  if (!('absent' in daemons) || process.env['SLUICE_REGTEST_BIN'] !== undefined) return daemons;
  const go = await findGo();
  if (typeof go !== 'string') return go;
  const target = folderOfBuild();
  const root = join(target, '..');
  mkdirSync(root, { recursive: true });
  const building = mkdtempSync(join(root, 'building-'));
  const begun = performance.now();
  say(`building btcd and lnd ${lndVersion} into ${target} (about 5 minutes, once)`);
  try {
    await compiled('lnd and btcd', go, ['build', ...flags, '-o', `${building}/`, ...packages], {
      cwd: tools,
      env: {
        ...process.env,
        CGO_ENABLED: '0',
        GOFLAGS: '',
        GOWORK: 'off',
        GOTOOLCHAIN: process.env['GOTOOLCHAIN'] ?? 'auto',
      },
    });
    moveIntoPlace(building, target);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  say(`built in ${Math.round((performance.now() - begun) / 1_000)} s`);
  return findDaemons();
}

/** Runs a compiler to its end; what goes wrong is one sentence with the last that it said. */
export async function compiled(
  what: string,
  command: string,
  args: readonly string[],
  {
    limitMs = buildLimitMs,
    ...options
  }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly limitMs?: number },
): Promise<void> {
  try {
    await run(command, [...args], { ...options, timeout: limitMs, maxBuffer: 64 << 20 });
  } catch (cause) {
    throw new BuildFailed(`building ${what} ${failureOf(command, limitMs, cause as Ended)}`, { cause });
  }
}

interface Ended {
  readonly killed?: boolean;
  /** Of the process, or of the system where it could not be started. */
  readonly code?: number | string;
  readonly stdout?: string;
  readonly stderr?: string;
}

function failureOf(command: string, limitMs: number, { killed, code, stdout = '', stderr = '' }: Ended): string {
  if (code === 'ENOENT') return `failed: ${command} is not installed`;
  return killed === true
    ? `took longer than ${Math.ceil(limitMs / 60_000)} minutes and was ended: run it again on a machine with less ` +
        'to do, or name a folder of finished programs with SLUICE_REGTEST_BIN'
    : `failed: ${lastLine(`${stdout}\n${stderr}`)}`;
}

function lastLine(output: string): string {
  const line = output.trim().split('\n').at(-1) ?? '';
  return line === '' ? 'its compiler ended without a word' : line;
}

/**
 * A folder beside what is built, in which a build goes on where an earlier one was ended: it goes once the work is
 * done, and stays when that failed. Rejects while another process builds there.
 */
export async function buildBeside(target: string, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${target}-building`;
  const owner = join(folder, 'pid');
  mkdirSync(folder, { recursive: true });
  if (existsSync(owner) && isAlive(Number(readFileSync(owner, 'utf8'))))
    throw new BuildFailed(`${folder} is being built by another process: wait until that has ended`);
  writeFileSync(owner, String(process.pid));
  try {
    await work(folder);
    rmSync(folder, { recursive: true, force: true });
  } finally {
    rmSync(owner, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // Another user's would be told apart by EPERM: this folder is one user's.
  }
}

/** Its message is for whoever started the build. */
export class BuildFailed extends Error {}

/** Another process may have built the same meanwhile: then its folder stays. */
function moveIntoPlace(building: string, target: string): void {
  try {
    renameSync(building, target);
  } catch (error) {
    if (daemonsIn(target) === null) throw error;
  }
}

/** The compiler's command; a sentence where there is none that can build the daemons. */
export async function findGo(): Promise<string | { readonly absent: string }> {
  for (const go of ['go', '/usr/local/go/bin/go']) {
    const version = await versionOf(go);
    if (version === null) continue;
    const [major = 0, minor = 0] = version.replace(/^go/, '').split('.').map(Number);
    if (major > oldestGo[0] || (major === oldestGo[0] && minor >= oldestGo[1])) return go;
    return {
      absent: `Go ${version.replace(/^go/, '')} is too old to build lnd and btcd: ${oldestGo.join('.')} or newer is needed`,
    };
  }
  return { absent: 'no Go toolchain is installed, so lnd and btcd cannot be built: install Go 1.24 or newer' };
}

async function versionOf(go: string): Promise<string | null> {
  try {
    return (
      await run(go, ['env', 'GOVERSION'], { cwd: '/', env: { ...process.env, GOTOOLCHAIN: 'local' } })
    ).stdout.trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
