// dependency-cruiser rules made from the table in rooms.ts, plus: no value cycles, no orphans, no barrels, nothing
// unlisted.
import { rooms } from './rooms.ts';

const source = '^(engine|main|preload|renderer|test|resources)/';
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const anyOf = (paths) => `^(${paths.map(escaped).join('|')})`;
const packageOf = (name) =>
  name.endsWith('/') ? `node_modules/${escaped(name)}` : `node_modules/(@types/)?${escaped(name)}/`;
const npm = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown', 'undetermined'];

function rulesOf(room, may) {
  const from = { path: `^${escaped(room)}` };
  const seen = [room, ...may.rooms, ...may.types];
  const rules = [{ name: `${room}: rooms`, severity: 'error', from, to: { path: source, pathNot: anyOf(seen) } }];
  if (may.types.length > 0)
    rules.push({
      name: `${room}: types only`,
      severity: 'error',
      from,
      to: {
        path: anyOf(may.types),
        pathNot: may.rooms.length > 0 ? anyOf(may.rooms) : undefined,
        dependencyTypesNot: ['type-only'],
      },
    });
  if (!may.node) rules.push({ name: `${room}: no Node`, severity: 'error', from, to: { dependencyTypes: ['core'] } });
  if (may.packages !== null)
    rules.push({
      name: `${room}: packages`,
      severity: 'error',
      from,
      to:
        may.packages.length > 0
          ? { dependencyTypes: npm, pathNot: may.packages.map(packageOf) }
          : { dependencyTypes: npm },
    });
  for (const rule of rules) for (const key of Object.keys(rule.to)) if (rule.to[key] === undefined) delete rule.to[key];
  return rules;
}

export default {
  forbidden: [
    ...Object.entries(rooms).flatMap(([room, may]) => rulesOf(room, may)),
    {
      name: 'every room is in the table',
      severity: 'error',
      from: { path: '^(engine/[^/]+|main|preload|renderer)/', pathNot: anyOf(Object.keys(rooms)) },
      to: {},
    },
    {
      name: 'only engine/index, engine/sandbox-program and tests import the sandbox',
      severity: 'error',
      from: { pathNot: '^(engine/index\\.ts$|engine/sandbox-program\\.ts$|engine/sandbox/|test/)' },
      to: { path: '^engine/sandbox/' },
    },
    {
      name: 'the engine starts the sandbox lazily',
      severity: 'error',
      from: { path: '^engine/(index|networks)\\.ts$' },
      to: { path: '^engine/sandbox/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'config knows only domain and contract',
      severity: 'error',
      from: { path: '^engine/config\\.ts$' },
      to: { path: source, pathNot: '^engine/(domain|contract|config)/' },
    },
    {
      name: 'the engine knows neither Electron nor React',
      severity: 'error',
      from: { path: '^engine/' },
      to: { path: ['node_modules/(electron|react|react-dom|zustand)/', '^(main|preload|renderer)/'] },
    },
    {
      name: 'hosts without a window reach no file that has Electron',
      severity: 'error',
      from: { path: '^main/(headless|host|keyfile|cli/.*)\\.ts$' },
      to: { path: 'node_modules/electron/', reachable: true },
    },
    {
      name: 'nothing that runs imports a test',
      severity: 'error',
      from: { path: '^(engine|main|preload|renderer)/' },
      to: { path: '^test/' },
    },
    {
      name: 'no development tools in what runs',
      severity: 'error',
      from: { path: '^(engine|main)/', pathNot: '^main/dev\\.ts$' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(electron|@types)/',
      },
    },
    {
      name: 'no value cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no cycles of types',
      severity: 'error',
      from: { path: '^(engine|main|preload|renderer)/' },
      to: { circular: true },
    },
    {
      name: 'no barrels',
      severity: 'error',
      from: {},
      to: { path: '^(engine/.+|renderer/.+|test/.+)/index\\.tsx?$' },
    },
    {
      name: 'no orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '(\\.d\\.ts$|^test/|\\.config\\.ts$)' },
      to: {},
    },
    { name: 'everything resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|dist|test/tools/(canary|fixtures))/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'types', 'default'] },
  },
};
