import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema } from '../../engine/config/schema.ts';
import { readConfig } from '../../engine/config.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { metricFacts } from '../../engine/service/metrics/list.ts';
import { readFlags } from '../../main/flags.ts';
import { nodeFlags } from '../../main/node-flags.ts';
import { deploy, home, isThere, root, sourceOf, yaml } from './files.ts';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  optionalDependencies: Record<string, string>;
};
const port = String(configSchema.parse({}).port);
const program = `${home}/node_modules/.bin/node`;
const entry = `${home}/out/main/headless.js`;

/** The flags of the program are those behind its entry; throws where it would refuse them. */
function flagsOf(command: readonly string[]) {
  expect(command[0]).toBe(program);
  expect(command.slice(1, command.indexOf(entry))).toEqual(expect.arrayContaining([...nodeFlags]));
  const flags = readFlags(command.slice(command.indexOf(entry) + 1));
  if (isRefusal(flags)) throw new Error(flags.sentence);
  return flags;
}

function pathsIn(text: string): string[] {
  return [...new Set(text.match(/\/opt\/sluice\/[\w./-]+/g) ?? [])].filter((path) => !path.includes('/node_modules'));
}

const everyFile = [
  'systemd/sluice.service',
  'container/Containerfile',
  'container/compose.yaml',
  'umbrel/umbrel-app.yml',
  'umbrel/docker-compose.yml',
  'start9/manifest.yaml',
];

test.each(everyFile)('%s names nothing of the program that is not there, and no word of a seed', (name) => {
  const text = deploy(name);
  expect(pathsIn(text).filter((path) => !isThere(sourceOf(path)))).toEqual([]);
  expect(text).not.toMatch(/mnemonic|seed[-_ ]?words|SLUICE_SEED/i);
  for (const [, at = ''] of text.matchAll(/http:\/\/127\.0\.0\.1:\d+(\/[\w/]*)/g)) expect(at).toBe('/health/live');
  for (const [, number] of text.matchAll(/127\.0\.0\.1:(\d+)\b/g)) expect(number).toBe(port);
});

describe('the systemd unit', () => {
  const unit = deploy('systemd/sluice.service');
  const all = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  test('is started with flags that the program takes, from credentials and in folders that the unit names', () => {
    const { config, dataDir, passphraseFile } = flagsOf((all('ExecStart')[0] ?? '').split(' '));
    const credentials = all('LoadCredential').map((one) => one.split(':')[0]);
    expect([config, passphraseFile]).toEqual(credentials.map((name) => `\${CREDENTIALS_DIRECTORY}/${name}`));
    const states = (all('StateDirectory')[0] ?? '').split(' ').map((name) => `/var/lib/${name}`);
    expect([dataDir, all('Environment')[0]]).toEqual([states[0], `XDG_STATE_HOME=${states[1]}`]);
    expect([all('Type'), all('NotifyAccess')]).toEqual([['notify'], ['all']]);
  });

  const analyze = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' }).status === 0;
  test.skipIf(!analyze)('has no line that systemd refuses, on a machine without the program', () => {
    const path = join(root, 'resources/deploy/systemd/sluice.service');
    const { stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    const complaints = stderr.split('\n').filter((line) => line.includes('sluice.service'));
    expect(complaints.filter((line) => !/ Command \/opt\/sluice\/\S+ is not executable/.test(line))).toEqual([]);
  });

  test.skipIf(!analyze)('is exposed no more than the document says', () => {
    const path = join(root, 'resources/deploy/systemd/sluice.service');
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', path], { encoding: 'utf8' });
    const score = /Overall exposure level for sluice\.service: ([\d.]+)/.exec(stdout)?.[1];
    const document = readFileSync(join(root, 'resources/docs/operate/systemd.md'), 'utf8');
    expect(Number(score)).toBeLessThanOrEqual(Number(/exposure level of ([\d.]+)/.exec(document)?.[1]));
  });
});

interface ComposeService {
  image: string;
  user?: string;
  read_only?: boolean;
  network_mode?: string;
  volumes?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  command?: string[];
  secrets?: string[];
  healthcheck?: { test: string[] };
}
interface Compose {
  services: Record<string, ComposeService>;
  volumes?: Record<string, unknown>;
  secrets?: Record<string, { file: string }>;
}

/** What the environment of a container says is a configuration that the program takes. */
function environmentIsTaken(environment: Record<string, string>): void {
  const variables = { LND_IP: '10.0.0.1', APP_LIGHTNING_NODE_IP: '10.0.0.1', APP_LIGHTNING_NODE_GRPC_PORT: '10009' };
  const filled = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+)\}/g, (_, one: keyof typeof variables) => variables[one] ?? 'node.example'),
    ]),
  );
  const content = {
    network: 'signet',
    lnd: { macaroonFile: '/config/sluice.macaroon', certFile: '/c', socket: 'x:1' },
  };
  const config = readConfig({ flags: {}, environment: filled, file: { name: 'x', content }, stored: {} });
  expect(isRefusal(config) ? config.sentence : 'taken').toBe('taken');
}

describe('the container', () => {
  const text = deploy('container/Containerfile');
  const json = (instruction: string): string[] =>
    JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(text)?.[1] ?? '[]') as string[];

  test('runs the program with flags that it takes, not as root, and with the health of the node', () => {
    const { config, dataDir, passphraseFile } = flagsOf([...json('ENTRYPOINT'), ...json('CMD')]);
    expect([config, dataDir, passphraseFile]).toEqual([
      '/config/sluice.json',
      '/data',
      '/run/secrets/sluice_passphrase',
    ]);
    expect([/^USER 1000:1000$/m.test(text), /^HEALTHCHECK /m.test(text)]).toEqual([true, true]);
    expect(text.match(/^FROM /gm)?.length).toBe(2);
  });

  test('is built with the Node of the lockfile, and copies what the program needs', () => {
    const versions = new Set(
      Object.entries(manifest.optionalDependencies)
        .filter(([name]) => name.startsWith('node-'))
        .map(([, version]) => version),
    );
    expect([...text.matchAll(/library\/node:([\d.]+)-/g)].map(([, version]) => version)).toEqual([...versions]);
    for (const [, path = ''] of text.matchAll(/--from=build ((?:\/opt\/sluice\/\S+ )+)/g))
      for (const one of path.trim().split(' '))
        expect([
          one,
          ['out', 'node_modules'].includes(one.slice(home.length + 1)) || isThere(one.slice(home.length + 1)),
        ]).toEqual([one, true]);
  });

  test('has a health check that fails where nothing answers', () => {
    const check = json(' {2}CMD');
    expect(check.slice(0, 2)).toEqual([program, '-e']);
    const { status } = spawnSync(process.execPath, ['-e', (check[2] ?? '').replace(port, '9')], { encoding: 'utf8' });
    expect(status).toBe(1);
  });

  test('is composed with a proxy in its namespace, with its volumes and its secret', async () => {
    const { services, volumes = {}, secrets = {} } = await yaml<Compose>(deploy('container/compose.yaml'));
    const { node, proxy } = services;
    expect([node?.read_only, node?.user, node?.secrets, proxy?.network_mode]).toEqual([
      true,
      '1000:1000',
      Object.keys(secrets),
      'service:node',
    ]);
    expect(node?.volumes?.filter((one) => !one.startsWith('.')).map((one) => one.split(':')[0])).toEqual(
      Object.keys(volumes),
    );
    expect([node?.ports, proxy?.command?.slice(2)]).toEqual([
      [`127.0.0.1:${port}:8733`],
      ['--from', 'http://:8733', '--to', `127.0.0.1:${port}`],
    ]);
    expect(node?.image).toBe(`sluice:${manifest.version}`);
    // The proxy waits for it, and an image in the form of OCI brings none.
    expect(node?.healthcheck?.test).toEqual(['CMD', ...json(' {2}CMD')]);
    environmentIsTaken(node?.environment ?? {});
  });

  test('has what its document runs, and a writable place for the copy of the bundle', async () => {
    const document = readFileSync(join(root, 'resources/docs/operate/container.md'), 'utf8');
    const named = pathsIn(document).map(sourceOf);
    expect(named).toEqual(
      expect.arrayContaining(['seed', 'doctor', 'backup', 'rescue'].map((one) => `main/cli/${one}.ts`)),
    );
    expect(named.filter((path) => !isThere(path))).toEqual([]);
    const [, place = ''] = /"copyTo": "(\/\w+)\//.exec(document) ?? [];
    const { services } = await yaml<Compose>(deploy('container/compose.yaml'));
    expect(services['node']?.volumes?.map((one) => one.split(':').slice(1).join(':'))).toContain(place);
  });
});

/** As the tools of Umbrel check a manifest (umbreld's type of it, and the limits of its command-line tool). */
const umbrelManifest = z.strictObject({
  manifestVersion: z.union([z.literal(1), z.literal(1.1)]),
  id: z.string().regex(/^[a-z]+(-[a-z]+)*$/),
  name: z.string().min(1).max(50),
  tagline: z.string().min(1).max(100),
  category: z.enum(['files', 'bitcoin', 'media', 'networking', 'social', 'automation', 'finance', 'ai', 'developer']),
  version: z.string().min(1),
  port: z.int().min(0).max(65_535),
  description: z.string().min(1).max(5_000),
  developer: z.string().min(1).max(50),
  website: z.url(),
  submitter: z.string().min(1).max(50),
  submission: z.url(),
  repo: z.url().or(z.literal('')),
  support: z.url(),
  gallery: z.array(z.string()),
  releaseNotes: z.string().max(5_000),
  dependencies: z.array(z.string()),
  path: z.string(),
  defaultUsername: z.string(),
  defaultPassword: z.string(),
});

describe('the package for Umbrel', () => {
  test('has a manifest of their form, with our port and version', async () => {
    const app = umbrelManifest.parse(await yaml(deploy('umbrel/umbrel-app.yml')));
    expect([String(app.port), app.version]).toEqual([port, manifest.version]);
  });

  test('starts the node with flags and settings that it takes, behind their proxy', async () => {
    const { services } = await yaml<{ services: Record<string, ComposeService> }>(deploy('umbrel/docker-compose.yml'));
    const { app_proxy: theirs, node, proxy } = services;
    const { dataDir } = flagsOf([program, ...nodeFlags, entry, ...(node?.command ?? [])]);
    expect([dataDir, node?.read_only, node?.user, proxy?.network_mode]).toEqual([
      '/data',
      true,
      '1000:1000',
      'service:node',
    ]);
    expect([
      theirs?.environment?.['APP_HOST'],
      String(theirs?.environment?.['APP_PORT']),
      proxy?.command?.slice(2),
    ]).toEqual(['sluice_node_1', '8733', ['--from', 'http://:8733', '--to', `127.0.0.1:${port}`]]);
    environmentIsTaken(node?.environment ?? {});
  });
});

const docker = z.strictObject({
  type: z.literal('docker'),
  image: z.string(),
  entrypoint: z.string(),
  args: z.array(z.string()),
  mounts: z.record(z.string(), z.string()).optional(),
  inject: z.boolean().optional(),
  system: z.boolean().optional(),
  'io-format': z.enum(['json', 'yaml', 'toml']).optional(),
  'sigterm-timeout': z.string().optional(),
});

/** The manifest of StartOS 0.3, by its published example and the limits of its packer. */
const startosManifest = z.strictObject({
  id: z.string().regex(/^[a-z]+(-[a-z]+)*$/),
  title: z.string(),
  version: z.string().regex(/^\d+\.\d+\.\d+(\.\d+)?$/),
  'release-notes': z.string(),
  license: z.string(),
  'wrapper-repo': z.url(),
  'upstream-repo': z.url(),
  'support-site': z.url(),
  'marketing-site': z.url(),
  build: z.array(z.string()),
  'min-os-version': z.string().regex(/^\d+\.\d+\.\d+$/),
  description: z.strictObject({ short: z.string().max(160), long: z.string().max(5_000) }),
  assets: z.strictObject({ license: z.string(), icon: z.string(), instructions: z.string() }),
  main: docker,
  'health-checks': z.record(z.string(), docker.extend({ name: z.string(), 'success-message': z.string() })),
  config: z.null(),
  properties: z.null(),
  dependencies: z.record(
    z.string(),
    z.strictObject({
      version: z.string(),
      requirement: z.strictObject({ type: z.enum(['required', 'opt-in', 'opt-out']), how: z.string().optional() }),
      description: z.string(),
      config: z.null(),
    }),
  ),
  volumes: z.record(z.string(), z.looseObject({ type: z.enum(['data', 'assets', 'pointer', 'backup']) })),
  interfaces: z.record(
    z.string(),
    z.strictObject({
      name: z.string(),
      description: z.string(),
      'tor-config': z.strictObject({ 'port-mapping': z.record(z.string(), z.string()) }),
      'lan-config': z.record(z.string(), z.strictObject({ ssl: z.boolean(), internal: z.int() })),
      ui: z.boolean(),
      protocols: z.array(z.string()),
    }),
  ),
  alerts: z.strictObject({ uninstall: z.string(), restore: z.string() }),
  backup: z.strictObject({ create: docker, restore: docker }),
  actions: z.strictObject({}),
});

describe('the package for StartOS', () => {
  test('has a manifest of their form, that starts the node with flags that it takes', async () => {
    const service = startosManifest.parse(await yaml(deploy('start9/manifest.yaml')));
    const { dataDir } = flagsOf([service.main.entrypoint, ...service.main.args]);
    expect([dataDir, service.version]).toEqual(['/data/node', `${manifest.version}.0`]);
    expect(Object.keys(service.volumes)).toEqual(Object.keys(service.main.mounts ?? {}));
  });

  test('has each file that it names, or the document says that it is missing', async () => {
    const { assets, build } = startosManifest.parse(await yaml(deploy('start9/manifest.yaml')));
    const document = readFileSync(join(root, 'resources/docs/operate/container.md'), 'utf8');
    const missing = Object.values(assets).filter((name) => !isThere(`resources/deploy/start9/${name}`));
    expect([missing.filter((name) => !document.includes(`\`${name}\``)), build]).toEqual([[], ['make']]);
    expect([isThere('resources/deploy/start9/Makefile'), document.includes('`Makefile`')]).toEqual([false, true]);
    expect(missing).toEqual(['LICENSE', 'icon.png']);
  });

  test('hands on the port that it opens to the port of the node', async () => {
    const { interfaces } = startosManifest.parse(await yaml(deploy('start9/manifest.yaml')));
    const forward = deploy('start9/forward.mjs');
    const [opened, to] = [...forward.matchAll(/port: (\d+)/g)].map(([, number]) => number);
    expect([opened, to]).toEqual([interfaces['main']?.['tor-config']['port-mapping']['80'], port]);
  });
});

test('what is built or fetched is not copied into an image, and what it is built of is', () => {
  const left = deploy('container/Containerfile.dockerignore').trim().split('\n');
  const ofOwner = ['config', 'secrets', 'second'].map((name) => `resources/deploy/container/${name}`);
  expect(left).toEqual(['.git', '.cache', 'dist', 'node_modules', 'out', 'test/.cache', ...ofOwner]);
});

test('each query of the dashboard names metrics and labels that there are', () => {
  interface Panel {
    title: string;
    type: string;
    targets?: { expr: string; legendFormat: string }[];
  }
  const { panels } = JSON.parse(deploy('grafana.json')) as { panels: Panel[] };
  const targets = panels.flatMap(({ title, targets: of = [] }) => of.map((one) => ({ title, ...one })));
  const shown = new Set<string>();
  for (const { title, expr, legendFormat } of targets) {
    const names = expr.match(/\b(sluice|process)_\w+/g) ?? [];
    expect([title, names.length]).toEqual([title, 1]);
    for (const name of names) {
      const facts = metricFacts[name as keyof typeof metricFacts];
      expect([title, name, facts === undefined]).toEqual([title, name, false]);
      shown.add(name);
      const by = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
      const legend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? '');
      expect([
        title,
        [...by, ...legend].filter((label) => !(facts.labels as readonly string[]).includes(label)),
      ]).toEqual([title, []]);
      expect([title, facts.type === 'counter']).toEqual([title, /\b(rate|increase)\(/.test(expr)]);
    }
  }
  expect(Object.keys(metricFacts).filter((name) => !shown.has(name))).toEqual([]);
  expect(panels.filter(({ type, targets: of = [] }) => type !== 'row' && of.length === 0)).toEqual([]);
});
