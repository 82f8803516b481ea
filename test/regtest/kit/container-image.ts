import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Docker or podman: what is used here of both is the same. */
export interface Builder {
  readonly name: string;
  readonly program: string;
}

export interface Container {
  /** What the program of a command prints inside of it; throws where it fails. */
  node(...args: readonly string[]): string;
  shell(line: string): string;
  /** The exit code of the image's own health check, run inside of it. */
  health(): number;
  /** SIGTERM, as a supervisor sends it: the exit code, and how long the end took. */
  stop(): { readonly code: number; readonly ms: number };
  end(): void;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const file = join('resources', 'deploy', 'container', 'Containerfile');
const image = 'sluice:test';
const node = '/opt/sluice/node_modules/.bin/node';
const graceSeconds = 60;

/** One that builds here, or why there is none. */
export function findBuilder(): Builder | { readonly absent: string } {
  if (process.env['SLUICE_REGTEST_LONG'] !== '1')
    return { absent: 'it takes minutes, and runs with "core" or by the name of its file' };
  const program = ['podman', 'docker'].find((one) => spawnSync(one, ['info'], { timeout: 30_000 }).status === 0);
  if (program === undefined) return { absent: 'neither podman nor docker works here' };
  const bases = readFileSync(join(root, file), 'utf8').matchAll(/^FROM (\S+)/gm);
  for (const [, base = ''] of bases)
    if ([['image', 'inspect'], ['pull']].every((does) => spawnSync(program, [...does, base]).status !== 0))
      return { absent: `the base image ${base} is not here, and no registry gave it` };
  return { name: run(program, ['--version']), program };
}

export function buildImage({ program }: Builder): void {
  const form = program === 'podman' ? ['--format', 'docker'] : [];
  run(program, ['build', ...form, '-f', file, '-t', image, '.']);
}

interface Options {
  /** Flags of `run`: mounts, and the network, which is none of its own beyond loopback. */
  readonly flags?: readonly string[];
  /** Behind the entry of the image; its own when empty. */
  readonly args?: readonly string[];
}

/** As compose.yaml runs it: no capabilities, and a root that is never written. */
const narrow = [
  '--read-only',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--tmpfs=/tmp:mode=1777,size=64m',
  '--network=none',
];

/** Runs a command of Node in a container of its own, and answers what it prints. */
export function runOnce({ program }: Builder, { flags = [], args = [] }: Options): string {
  const own = ['run', '--rm', ...narrow, ...flags, `--entrypoint=${node}`];
  return run(program, [...own, image, ...args]);
}

export function openContainer({ program }: Builder, { flags = [], args = [] }: Options): Container {
  const name = `sluice-test-${randomBytes(4).toString('hex')}`;
  run(program, ['run', '-d', '--name', name, ...narrow, ...flags, image, ...args]);
  const inside = (...command: readonly string[]): string => run(program, ['exec', name, ...command]);
  const inspect = (what: string): string => run(program, ['inspect', '--format', what, name]);
  return {
    node: (...of) => inside(node, ...of),
    shell: (line) => inside('sh', '-c', line),
    health() {
      const [, ...command] = JSON.parse(inspect('{{json .Config.Healthcheck.Test}}')) as string[];
      return spawnSync(program, ['exec', name, ...command]).status ?? -1;
    },
    stop() {
      const begun = performance.now();
      run(program, ['stop', '-t', String(graceSeconds), name]);
      return { code: Number(inspect('{{.State.ExitCode}}')), ms: performance.now() - begun };
    },
    end: () => void run(program, ['rm', '-f', '-v', name]),
  };
}

export function removeVolumes({ program }: Builder, names: readonly string[]): void {
  run(program, ['volume', 'rm', '-f', ...names]);
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  });
  if (status !== 0)
    throw new Error(`${program} ${args.slice(0, 2).join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return stdout.trim();
}
