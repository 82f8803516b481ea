// Who may import whom. The table that dependency-cruiser enforces; a room that is not listed here may not exist.

interface May {
  /** Other rooms it may import values from. */
  readonly rooms: readonly string[];
  /** Other rooms it may import types from, and nothing else. */
  readonly types: readonly string[];
  /** The npm packages it may use, a trailing slash for a whole scope; null for any. */
  readonly packages: readonly string[] | null;
  /** Whether it may use Node's own modules. */
  readonly node: boolean;
}

const byteLibraries = ['@scure/', '@noble/', 'bitcoinjs-lib', 'tiny-secp256k1', 'bip32', 'viem'];

export const rooms: Readonly<Record<string, May>> = {
  'engine/domain/': { rooms: [], types: [], packages: ['@noble/hashes/'], node: false },
  'engine/contract/': { rooms: ['engine/domain/'], types: [], packages: ['zod'], node: false },
  'engine/legs/': { rooms: ['engine/domain/'], types: [], packages: [...byteLibraries, 'zod'], node: false },
  'engine/swap/': {
    rooms: ['engine/domain/', 'engine/legs/'],
    types: ['engine/contract/'],
    packages: ['zod'],
    node: false,
  },
  'engine/quote/': {
    rooms: ['engine/domain/', 'engine/legs/'],
    types: ['engine/contract/'],
    packages: [],
    node: false,
  },
  'engine/store/': {
    // What is owed is read by the shapes of its networks.
    rooms: ['engine/domain/', 'engine/contract/', 'engine/swap/effect-shapes.ts', 'engine/swap/leg-of.ts'],
    types: ['engine/swap/', 'engine/legs/leg.ts', 'engine/legs/onchain/key-spend.ts'],
    // What is noted in files beside the database has a shape.
    packages: ['better-sqlite3', 'zod'],
    node: true,
  },
  'engine/adapters/': {
    rooms: ['engine/domain/', 'engine/legs/', 'engine/quote/', 'resources/contracts/compiled/'],
    types: [],
    packages: null,
    node: true,
  },
  'engine/runtime/': {
    rooms: ['engine/domain/', 'engine/legs/', 'engine/quote/', 'engine/store/'],
    types: ['engine/swap/', 'engine/taker/'],
    packages: null,
    node: true,
  },
  'engine/taker/': {
    rooms: ['engine/domain/', 'engine/contract/', 'engine/legs/', 'engine/swap/'],
    types: ['engine/quote/'],
    packages: null,
    node: false,
  },
  'engine/api/': {
    rooms: ['engine/contract/', 'engine/runtime/', 'engine/taker/', 'engine/store/', 'engine/domain/'],
    types: [],
    packages: null,
    node: true,
  },
  // Another interface of the same node: what it says is translated to what the service does.
  'engine/boltz/': {
    rooms: [
      'engine/domain/',
      'engine/contract/',
      'engine/legs/',
      'engine/swap/',
      'engine/quote/',
      'engine/store/',
      'engine/runtime/',
      'engine/service/',
      'engine/api/',
    ],
    types: [],
    packages: ['zod', '@scure/', '@noble/', 'bip32'],
    node: true,
  },
  'engine/service/': {
    rooms: [
      'engine/domain/',
      'engine/contract/',
      'engine/legs/',
      'engine/swap/',
      'engine/quote/',
      'engine/store/',
      'engine/runtime/',
      'engine/taker/',
    ],
    types: ['engine/api/service.ts', 'engine/config.ts'],
    packages: null,
    node: true,
  },
  'engine/doctor/ask/': {
    rooms: ['engine/adapters/', 'engine/connections/', 'engine/domain/', 'engine/store/'],
    types: ['engine/doctor/judge/', 'engine/config.ts', 'engine/config/', 'engine/legs/'],
    packages: [],
    node: true,
  },
  // What was found is judged without asking anybody: the probes are types here.
  'engine/doctor/judge/': {
    rooms: ['engine/domain/', 'engine/legs/'],
    types: ['engine/contract/', 'engine/adapters/', 'engine/store/'],
    packages: [],
    node: false,
  },
  'engine/sandbox/': {
    rooms: ['engine/legs/', 'engine/quote/', 'engine/adapters/', 'engine/domain/', 'resources/sandbox/'],
    types: ['engine/contract/'],
    packages: null,
    node: true,
  },
  // Without a node: what open swaps hold is brought home from the seed and a bundle.
  'engine/rescue/': {
    rooms: [
      'engine/domain/',
      'engine/legs/',
      'engine/quote/',
      'engine/adapters/',
      'engine/connections/',
      'engine/runtime/',
      'engine/service/',
      'engine/store/',
    ],
    types: ['engine/config.ts', 'engine/swap/'],
    packages: ['zod', 'viem'],
    node: true,
  },
  'engine/config/': {
    rooms: ['engine/domain/', 'engine/contract/', 'engine/legs/', 'resources/chains.json'],
    types: [],
    packages: ['zod'],
    node: true,
  },
  'engine/connections/': {
    rooms: [
      'engine/domain/',
      'engine/legs/',
      'engine/config/',
      'engine/config.ts',
      'engine/adapters/',
      'engine/store/',
      'engine/runtime/',
      'engine/service/',
    ],
    types: ['engine/contract/'],
    packages: [],
    node: true,
  },
  'main/': {
    rooms: [
      'engine/index.ts',
      'engine/sandbox-program.ts',
      'engine/config.ts',
      'engine/git-commit.ts',
      'engine/machine-clock.ts',
      'engine/store/seed-marks.ts',
      'engine/contract/',
      'engine/domain/',
      'preload/api.ts',
    ],
    types: ['preload/setup.ts'],
    packages: null,
    node: true,
  },
  'preload/': {
    rooms: ['engine/domain/', 'engine/contract/'],
    types: ['main/', 'engine/index.ts'],
    packages: ['electron'],
    node: false,
  },
  'renderer/': {
    rooms: ['engine/domain/', 'engine/contract/'],
    types: ['preload/api.ts', 'preload/setup.ts'],
    packages: ['react', 'react-dom', 'zustand', 'zod', 'qr', 'qrcode', '@base-ui/', '@tanstack/'],
    node: false,
  },
};
