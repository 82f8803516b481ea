// Checks who imports whom: npm run check runs it. It fails when it saw no modules, and when the rules no longer catch
// the forbidden imports of fixtures/imports.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { forbiddenInFixture } from './imports-expected.ts';
import { rooms } from './rooms.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const fixture = fileURLToPath(new URL('./fixtures/imports', import.meta.url));

async function cruiseTree(baseDir: string, folders: string[]): Promise<ICruiseResult> {
  const options = await extractOptions(fileURLToPath(new URL('./imports.config.js', import.meta.url)));
  const { output } = await cruise(folders, { ...options, baseDir }, undefined, {
    tsConfig: extractTsConfig(`${top}/tsconfig.json`),
  });
  if (typeof output === 'string') throw new Error('dependency-cruiser answered text instead of a result');
  return output;
}

function sentences(result: ICruiseResult): string[] {
  return result.summary.violations
    .map(
      (violation) =>
        `${violation.rule.name} | ${violation.from}${violation.to === violation.from ? '' : ` -> ${violation.to}`}`,
    )
    .sort();
}

function sourcesOf(room: string): number {
  const files = readdirSync(`${top}/${room}`, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts')).length;
}

async function project(): Promise<string[]> {
  const result = await cruiseTree(top, ['engine', 'main', 'preload', 'renderer', 'test']);
  const modules = result.modules.map((module) => module.source);
  const problems = sentences(result);
  for (const room of Object.keys(rooms)) {
    const sources = sourcesOf(room);
    const cruised = modules.filter((source) => source.startsWith(room)).length;
    if (cruised < sources) problems.push(`${room} has ${sources} source files, but only ${cruised} were looked at`);
  }
  if (modules.length === 0) problems.push('no module was looked at: the rules guard nothing');
  console.log(`${modules.length} modules, ${result.summary.totalDependenciesCruised ?? 0} imports`);
  return problems;
}

async function guard(): Promise<string[]> {
  const violations = sentences(await cruiseTree(fixture, ['engine', 'main', 'renderer']));
  return [
    ...forbiddenInFixture.filter((line) => !violations.includes(line)).map((line) => `the rules miss: ${line}`),
    ...violations
      .filter((line) => !forbiddenInFixture.includes(line))
      .map((line) => `the rules catch too much: ${line}`),
  ];
}

const problems = [...(await project()), ...(await guard())];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
