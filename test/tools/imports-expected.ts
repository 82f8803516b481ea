/** What the rules must find in fixtures/imports: no less, and no more. */
export const forbiddenInFixture: readonly string[] = [
  'engine/adapters/: rooms | engine/adapters/takes-runtime.ts -> engine/runtime/commit.ts',
  'engine/api/: rooms | engine/api/takes-sandbox.ts -> engine/sandbox/world.ts',
  'engine/domain/: no Node | engine/domain/reaches-out.ts -> crypto',
  'engine/domain/: rooms | engine/domain/imports-legs.ts -> engine/legs/script.ts',
  'engine/legs/: no Node | engine/legs/reads-a-file.ts -> fs',
  'engine/swap/: packages | engine/swap/takes-a-package.ts -> ../../../../node_modules/@noble/curves/secp256k1.js',
  'engine/swap/: rooms | engine/swap/takes-store.ts -> engine/store/table.ts',
  'engine/swap/: types only | engine/swap/takes-values.ts -> engine/contract/records.ts',
  'every room is in the table | engine/unlisted/thing.ts -> engine/domain/money.ts',
  'everything resolves | engine/legs/lost.ts -> ./nowhere.ts',
  'hosts without a window reach no file that has Electron | main/headless.ts -> ' +
    '../../../../node_modules/electron/index.js',
  'main/: rooms | main/reaches-in.ts -> engine/runtime/commit.ts',
  'no barrels | engine/legs/uses-barrel.ts -> engine/legs/evm/index.ts',
  'no cycles of types | engine/runtime/again.ts -> engine/runtime/commit.ts',
  'no cycles of types | engine/store/book.ts -> engine/store/shelf.ts',
  'no orphans | engine/domain/alone.ts',
  'no value cycles | engine/runtime/again.ts -> engine/runtime/commit.ts',
  'only engine/index, engine/sandbox-program and tests import the sandbox | engine/api/takes-sandbox.ts -> ' +
    'engine/sandbox/world.ts',
  'renderer/: rooms | renderer/takes-main.ts -> main/reaches-in.ts',
  'the engine knows neither Electron nor React | engine/runtime/opens-a-window.ts -> ' +
    '../../../../node_modules/electron/index.js',
];
