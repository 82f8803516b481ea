import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFolder } from './archive.ts';
import { copyCommitted } from './committed.ts';

export type Platform = 'linux-x64' | 'linux-arm64';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

/**
 * A node with its page and its packages: it needs Node and nothing else. The system's keychain is left out, for it is
 * compiled where it is installed: a seed on a server is opened by a passphrase.
 */
export function packServer(options: {
  root: string;
  /** Where the program and its page were built to. */
  out: string;
  name: string;
  platform: Platform;
  seconds: number;
  /** Where packages are installed once for each lockfile and platform; null for a release, whose are its own. */
  packages: string | null;
  to: string;
}): void {
  const { root, out, name, platform, seconds, packages, to } = options;
  const parent = mkdtempSync(join(packages ?? tmpdir(), 'sluice-release-'));
  try {
    const folder = join(parent, name);
    mkdirSync(folder);
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
    const optional = Object.keys(manifest.optionalDependencies);
    if (packages === null) install(root, folder, platform, optional);
    else execFileSync('cp', ['--archive', '--link', installedOnce({ root, platform, optional, packages }), folder]);
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(ofServer(manifest), null, 2)}\n`);
    cpSync(out, join(folder, 'out'), { recursive: true, filter: isOfServer });
    for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'])
      cpSync(join(root, file), join(folder, file));
    const parts = ['docs', 'deploy', 'config.schema.json', 'openapi.json', 'contracts'];
    copyCommitted(
      root,
      parts.map((part) => `resources/${part}`),
      folder,
    );
    writeFileSync(join(folder, 'LICENSES-OF-PACKAGES.txt'), licencesIn(join(folder, 'node_modules')));
    packFolder({ parent, name, seconds, to });
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** No compiled cache, no maps, no desktop: they are of one machine, or of no use to it. */
function isOfServer(path: string): boolean {
  return !/\/out\/(main\/compiled|preload|built-from|main\/index\.js)|\.map$/.test(path);
}

/** The packages of the lockfile for another machine than this one, too: nothing of them is run here. */
function install(root: string, folder: string, platform: Platform, optional: readonly string[]): void {
  const [os = '', cpu = ''] = platform.split('-');
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, file), join(folder, file));
  execFileSync(
    'npm',
    ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', `--os=${os}`, `--cpu=${cpu}`, '--libc=glibc'],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  for (const name of optional) rmSync(join(folder, 'node_modules', name), { recursive: true, force: true });
  for (const name of ['.bin', '.package-lock.json', 'electron', '.cache'])
    rmSync(join(folder, 'node_modules', name), { recursive: true, force: true });
  for (const file of ['package-lock.json', '.npmrc']) rmSync(join(folder, file));
}

/** The packages of this very lockfile for a platform: its path among those that were installed. */
function installedOnce(of: {
  root: string;
  platform: Platform;
  optional: readonly string[];
  packages: string;
}): string {
  const { root, platform, optional, packages } = of;
  const hash = createHash('sha256').update(platform);
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) hash.update(readFileSync(join(root, file)));
  const folder = join(packages, hash.digest('hex'));
  if (!existsSync(folder)) {
    // Under its name only when it is whole.
    const begun = mkdtempSync(`${folder}-`);
    install(root, begun, platform, optional);
    renameSync(begun, folder);
  }
  return join(folder, 'node_modules');
}

/** Every command runs what was built. */
function ofServer({ name, version, description, license, engines, dependencies, scripts }: Manifest): object {
  const program = /^node (?<flags>(?:--\S+ )*)main\/(?:cli\/)?(?<name>[\w-]+)\.ts$/;
  const built = Object.entries(scripts).flatMap(([command, line]) => {
    const parts = program.exec(line)?.groups;
    return parts === undefined || command === 'dev'
      ? []
      : [[command, `node ${parts['flags'] ?? ''}out/main/${parts['name']}.js`]];
  });
  return {
    ...{ name, version, private: true, description, license, type: 'module', engines },
    scripts: Object.fromEntries(built) as object,
    dependencies,
  };
}

/** Who wrote what the program runs with, and on which terms. */
function licencesIn(modules: string): string {
  return packagesIn(modules)
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
      const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
      const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
      return `${name} ${version}: ${typeof license === 'string' ? license : 'see its package'}\n${text}`;
    })
    .join(`\n${'-'.repeat(80)}\n`);
}

function packagesIn(modules: string): string[] {
  if (!existsSync(modules)) return [];
  return readdirSync(modules)
    .toSorted()
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
    )
    .map((name) => join(modules, name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .flatMap((folder) => [folder, ...packagesIn(join(folder, 'node_modules'))]);
}
