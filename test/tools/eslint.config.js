// Lint rules that read one file at a time; those that need types are in oxlint.json. Passed with --config; run from
// the top of the project.
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { plainNames } from './plain-names.js';

const pureRooms = ['engine/domain', 'engine/contract', 'engine/legs', 'engine/swap', 'engine/quote'].map(
  (room) => `${room}/**/*.ts`,
);

const everywhere = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only: a default export has no name to search for.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import the thing from the file that makes it.' },
  { selector: 'TSEnumDeclaration', message: 'A union of strings instead of an enum.' },
  {
    selector:
      ':matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator:not([id.typeAnnotation]) > :matches(ArrowFunctionExpression[expression=false], FunctionExpression)',
    message: 'At top level a function with a body is a function declaration.',
  },
];

const noReexport = {
  selector: 'ExportNamedDeclaration[source]',
  message: 'No re-exports: import the thing from the file that makes it.',
};

const noClockNoChance = [
  { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'Pure rooms are told the time.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Pure rooms are told the time.' },
  { selector: "CallExpression[callee.name='Date']", message: 'Pure rooms are told the time.' },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Pure rooms are given their randomness.',
  },
];

const impureGlobals = [
  'fetch',
  'process',
  'Buffer',
  'console',
  'crypto',
  'performance',
  'require',
  'global',
  'globalThis',
  'window',
  'document',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'queueMicrotask',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
  'localStorage',
  'indexedDB',
].map((name) => ({ name, message: 'Pure rooms have no outside world.' }));

const noSecondCurve = {
  group: ['@noble/curves', '@noble/curves/*', '@scure/bip32'],
  message: 'The engine signs, verifies and derives with engine/legs/secp256k1.ts.',
};

const suite = '/^(it|test|describe)$/';
const titled = ['', '.object', '.callee.object', '.callee.object.object']
  .map((root) => `[callee${root}.name=${suite}]`)
  .join(', ');

/** Of `test('...')`, `test.skip('...')`, `test.each(rows)('...')` and `test.concurrent.each(rows)('...')`. */
const noHookOfAll = {
  selector: 'Program > ExpressionStatement > CallExpression[callee.name=/^(before|after)(Each|All)$/]',
  message: 'What several files import ends what it began by onTestFinished, or by what it answers.',
};
const shortTitles = {
  selector: `CallExpression:matches(${titled}) > :matches(Literal[value.length>=100], TemplateLiteral:has(> TemplateElement[value.raw.length>=100])):first-child`,
  message: 'The title of a test is under 100 characters: one claim, in plain words.',
};

/**
 * Where the process lives: what nobody waits for goes through `inBackground`, for a rejected promise ends everything.
 */
const noVoidedCall = {
  selector: 'UnaryExpression[operator="void"] > CallExpression',
  message:
    'A call that nobody waits for may reject and end the process: hand it to inBackground, or write a statement.',
};

export default defineConfig(
  {
    ignores: [
      'out/**',
      'dist/**',
      'node_modules/**',
      '.cache/**',
      '**/*.d.ts',
      'test/tools/canary/**',
      'test/tools/fixtures/**',
    ],
  },
  // What Prettier does not break: comments, and code that has no place for it. Sentences are broken by hand.
  {
    rules: {
      'max-len': [
        'error',
        {
          code: 120,
          ignoreUrls: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignorePattern: '^import ',
        },
      ],
    },
  },
  // What is longer is made of steps that have names.
  {
    files: ['engine/**/*.ts', 'main/**/*.ts', 'preload/**/*.ts', 'renderer/**/*.{ts,tsx}'],
    rules: { 'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }] },
  },
  // What is longer is parts that a newcomer finds by name.
  {
    files: ['engine/**/*.ts', 'main/**/*.ts', 'preload/**/*.ts', 'renderer/**/*.{ts,tsx}'],
    rules: { 'max-lines': ['error', 300] },
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['engine/**/*.ts', 'main/**/*.ts', 'preload/**/*.ts', 'renderer/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}'],
    plugins: { names: { rules: { plain: plainNames } } },
    rules: { 'names/plain': 'error' },
  },
  {
    files: ['engine/**/*.ts', 'main/**/*.ts', 'renderer/**/*.{ts,tsx}'],
    rules: { 'names/plain': ['error', ['seen', 'Seen', 'taken', 'wanted']] },
  },
  // A column of the stored effects bears this name.
  { files: ['engine/store/effects.ts'], rules: { 'names/plain': ['error', ['asked']] } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/no-namespace': 'error',
      '@typescript-eslint/no-require-imports': 'error',
      '@typescript-eslint/no-empty-object-type': 'error',
      '@typescript-eslint/no-unsafe-function-type': 'error',
      'no-restricted-syntax': ['error', ...everywhere, noReexport],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: ['error', 'always'],
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-debugger': 'error',
      'no-constant-condition': ['error', { checkLoops: false }],
      'no-fallthrough': 'error',
      'no-self-compare': 'error',
      'no-unsafe-finally': 'error',
      'no-useless-catch': 'error',
      'no-loss-of-precision': 'error',
      'no-async-promise-executor': 'error',
      'no-promise-executor-return': 'off',
      'no-useless-escape': 'error',
    },
  },
  {
    files: ['runtime', 'service', 'connections', 'store', 'taker']
      .map((room) => `engine/${room}/**/*.ts`)
      .concat('engine/node.ts'),
    rules: { 'no-restricted-syntax': ['error', ...everywhere, noReexport, noVoidedCall] },
  },
  { files: ['engine/index.ts'], rules: { 'no-restricted-syntax': ['error', ...everywhere] } },
  {
    files: pureRooms,
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-syntax': ['error', ...everywhere, noReexport, ...noClockNoChance],
    },
  },
  {
    files: ['engine/swap/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...everywhere,
        noReexport,
        ...noClockNoChance,
        { selector: 'AwaitExpression', message: 'A direction decides at once: it never waits.' },
      ],
    },
  },
  // A story is told from outside; what needs a node in process is a scene.
  {
    files: ['test/stories/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex:
                '/support/((scene|node|world|client|openings)\\.ts$|sandbox-ports/)|/engine/(runtime|service|api|adapters|swap)/',
              message: 'A story talks to a node over HTTP: what needs one in this process belongs in test/scenes.',
            },
          ],
        },
      ],
    },
  },
  // Two libraries for the curve: what the one signed, the other judges.
  {
    files: ['engine/**/*.ts', 'main/**/*.ts'],
    ignores: ['engine/sandbox/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [noSecondCurve] }] },
  },
  // And two for transactions: the Bitcoin chain's are built with one, Arkade's with that of its SDK.
  {
    files: ['engine/legs/onchain/**/*.ts', 'engine/adapters/bitcoin/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            noSecondCurve,
            {
              group: ['@scure/btc-signer', '@scure/btc-signer/*'],
              message: 'What goes to the Bitcoin chain is built with bitcoinjs-lib.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['engine/sandbox/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['tiny-secp256k1', 'bip32', 'bitcoinjs-lib', 'bitcoinjs-lib/*', '**/legs/secp256k1.ts'],
              message:
                'The sandbox judges with code of its own and @noble/curves, so that the engine does not judge itself.',
            },
          ],
        },
      ],
    },
  },
  // A test knows what it put in: `!` there is an assertion that fails as loudly as any other.
  { files: ['test/**'], rules: { '@typescript-eslint/no-non-null-assertion': 'off' } },
  {
    files: ['test/**/*.test.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, noReexport, shortTitles] },
  },
  // Files that share a process evaluate what they import once: a hook there would run around the first of them alone.
  {
    files: ['test/**/*.{ts,tsx}'],
    ignores: ['test/**/*.test.{ts,tsx}', 'test/tools/nothing-is-left.ts'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, noReexport, noHookOfAll] },
  },
  // Tools demand a default export of their configuration.
  { files: ['electron.vite.config.ts', 'test/tools/*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
);
