import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bakeCommand } from '../../engine/adapters/lnd/permissions.ts';
import { streams } from '../../engine/contract/routes.ts';
import { directionNames } from '../../engine/domain/chain.ts';
import { anchorsOf, blocksOf, codeOf, linksOf } from './documents.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string): string => readFileSync(join(top, name), 'utf8');
const docs = readdirSync(join(top, 'resources/docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `resources/docs/${name.replaceAll('\\', '/')}`)
  .sort();
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'engine/README.md', ...docs];
/** What tells of other times names commands and routes that there were; its links are followed all the same. */
const linking = [
  ...documents,
  'CHANGELOG.md',
  'engine/DECISIONS.md',
  'resources/changed-sentences.md',
  ...readdirSync(join(top, 'engine/facts'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `engine/facts/${name}`),
];

/** What a link of a document leads to that is not there. */
function brokenLinks(name: string): string[] {
  return linksOf(read(name)).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? name : normalize(join(dirname(name), path));
    if (!existsSync(join(top, target))) return true;
    return anchor !== undefined && !anchorsOf(read(target)).has(anchor);
  });
}

test.each(linking)('the links of %s lead to files and headings that are there', (name) => {
  expect(brokenLinks(name)).toEqual([]);
});

test('every document is listed in the first one', () => {
  const listed = linksOf(read('resources/docs/README.md')).map((link) => `resources/docs/${link.split('#')[0] ?? ''}`);
  expect(docs.filter((name) => name !== 'resources/docs/README.md' && !listed.includes(name))).toEqual([]);
});

describe('what the documents tell to run', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
  /** What `--help` says of each, which the check compares with the programs. */
  const helps = new Map(
    read('resources/docs/reference/commands.md')
      .split('\n## npm run ')
      .slice(1)
      .map((chapter) => [chapter.split('\n')[0] ?? '', chapter] as const),
  );

  test.each(documents)('%s names commands that there are, with options that they take', (name) => {
    const wrong = codeOf(read(name)).flatMap((code) =>
      [...code.replaceAll('\\\n', ' ').matchAll(/\bnpm (?:run ([\w:-]+)|(start|test))([^\n;&|#]*)/g)].flatMap(
        ([whole, run, short, rest = '']) => {
          const command = run ?? short ?? '';
          if (scripts[command] === undefined) return [whole];
          const help = helps.get(command);
          const options = help === undefined ? [] : (rest.match(/(?<=\s|\[)--[a-z][\w-]*/g) ?? []);
          return options.filter((option) => help?.includes(option) !== true).map((option) => `${command} ${option}`);
        },
      ),
    );
    expect(wrong).toEqual([]);
  });

  test.each(documents)('%s gives the programs of a package options that they take', (name) => {
    const wrong = codeOf(read(name)).flatMap((code) =>
      [...code.replaceAll(/\\\n\s*/g, ' ').matchAll(/\b(\w+)\.js\b([^\n;&|#]*)/g)].flatMap(
        ([, command = '', rest = '']) => {
          const help = helps.get(command);
          const options = help === undefined ? [] : (rest.match(/(?<=\s|\[)--[a-z][\w-]*/g) ?? []);
          return options.filter((option) => help?.includes(`${option} `) !== true).map((one) => `${command} ${one}`);
        },
      ),
    );
    expect(wrong).toEqual([]);
  });

  test.each(documents)('the shell reads what %s gives it', (name) => {
    // A line of a crontab begins with five fields of its time, and escapes each percent sign.
    const lines = blocksOf(read(name), 'text').flatMap((text) =>
      [...text.matchAll(/^(?:[\d*,/-]+ ){5}(.*)$/gm)].map(([, line = '']) => line.replaceAll('\\%', '%')),
    );
    const broken = [...blocksOf(read(name), 'sh'), ...lines].flatMap((code) => {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
      return status === 0 ? [] : [`${stderr}${code}`];
    });
    expect(broken).toEqual([]);
  });

  test('of the programs of a package are those that an image and a service name', () => {
    const code = ['container', 'systemd'].flatMap((name) => codeOf(read(`resources/docs/operate/${name}.md`)));
    const programs = new Set(code.flatMap((one) => [...one.matchAll(/\b(\w+)\.js\b/g)].map(([, name = '']) => name)));
    expect([...programs].filter((one) => helps.has(one)).sort()).toEqual(['backup', 'doctor', 'rescue', 'seed']);
  });
});

describe('the routes that the documents name', () => {
  const { paths } = JSON.parse(read('resources/openapi.json')) as { paths: Record<string, Record<string, unknown>> };
  const operations = [
    ...Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    ),
    ...Object.values(streams).map((path) => ({ method: 'GET', path })),
  ];
  const isThere = (method: string | null, path: string): boolean =>
    operations.some(
      (one) =>
        (method === null || one.method === method) &&
        new RegExp(`^${one.path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path),
    );

  test.each(documents)('of %s are operations of the API', (name) => {
    const all = codeOf(read(name)).flatMap((code) => [
      ...[...code.matchAll(/\b(GET|POST|PATCH|DELETE) (\/[^\s`?"]*)/g)].map(([, method = '', path = '']) => [
        method,
        path,
      ]),
      ...[...code.matchAll(/\$(?:BASE|NODE|NET)(\/[^\s`?"']*)/g)].map(([, path = '']) => [null, path]),
    ]) as [string | null, string][];
    // A part of a path that the shell fills in, and the page's own address.
    const named = all.filter(([, path]) => path !== '/' && !path.startsWith('/docs') && !path.includes('$('));
    expect(named.filter(([method, path]) => !isThere(method, path)).map((one) => one.join(' '))).toEqual([]);
  });
});

describe('the README', () => {
  const readme = read('README.md');

  test('is short', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(131);
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(8_000);
    expect(statSync(join(top, 'resources/docs/swap-in-progress.png')).size).toBeLessThan(150_000);
  });

  test('says which btcd ran, by its module', () => {
    const [, module] = /btcsuite\/btcd (v\S+)/.exec(read('test/regtest/tools/go.mod')) ?? [];
    expect(readme).toContain(`\`${module}\``);
  });

  test('has a row for each direction, and a file for each letter', () => {
    const names: Readonly<Record<string, string>> = {
      arkade: 'Arkade',
      lightning: 'Lightning',
      bitcoin: 'Bitcoin',
      evm: 'EVM',
    };
    const rows = directionNames.map((name) =>
      name
        .split('-')
        .map((part) => names[part] ?? part)
        .join(' to '),
    );
    expect(rows.filter((row) => !readme.includes(`\n| ${row} |`))).toEqual([]);
    const [, ran = ''] = readme.split('## What ran on which daemon');
    const letters = new Set(
      [...ran.matchAll(/\b1[12]-\d\d ((?:[a-z], )*[a-z]) \|/g)].flatMap(([, row = '']) => row.split(', ')),
    );
    const status = read('resources/docs/status.md');
    expect(letters.size).toBeGreaterThan(5);
    expect([...letters].filter((letter) => !new RegExp(`^\\| ${letter} +\\|`, 'm').test(status))).toEqual([]);
  });
});

test('a decision has its status first, and at most ten lines', () => {
  const entries = read('engine/DECISIONS.md').split(/^### /m).slice(1);
  const wrong = entries.filter((entry) => {
    const [, blank = '', first = '', ...rest] = (entry.split(/^## /m)[0] ?? '').trimEnd().split('\n');
    return blank !== '' || !/^\*(Stands|Replaced|Dropped)\b/.test(first) || rest.length > 9;
  });
  expect(entries.length).toBeGreaterThan(100);
  expect(wrong.map((entry) => entry.split('\n')[0])).toEqual([]);
});

test('the macaroon that the document makes is the one that the node needs', () => {
  expect(read('resources/docs/provide/lnd.md')).toContain(`\n${bakeCommand}\n`);
});
