import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { EngineOptions } from '../../engine/index.ts';
import { desktopChoice } from '../../main/choice.ts';
import { createDesktopNode, type DesktopNode } from '../../main/desktop-node.ts';
import { nearWords } from '../../main/draft.ts';
import { readFlags } from '../../main/flags.ts';
import { spawnWithNode } from '../../main/sandbox-process.ts';
import { keychainAccount } from '../../main/seed.ts';
import type { SetupRequest } from '../../main/setup-request.ts';
import { createSetup, type Setup } from '../../main/setup.ts';
import type { SetupState } from '../../preload/setup.ts';
import { memoryKeychain } from './support/memory-keychain.ts';
import { smallEngine } from './support/small-engine.ts';

// BIP-39 test vectors: https://github.com/trezor/python-mnemonic/blob/master/vectors.json
const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const passphrase = 'correct horse battery';
const networks = new URL('./support/small-sandbox.ts', import.meta.url).pathname;

let home: string;
let calls: { options: EngineOptions[]; log: string[]; pauses: number[] };
let nodes: DesktopNode[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-setup-'));
  calls = { options: [], log: [], pauses: [] };
  nodes = [];
});
afterEach(async () => {
  for (const node of nodes) await node.close();
  rmSync(home, { recursive: true, force: true });
});

interface Desk {
  readonly setup: Setup;
  readonly node: DesktopNode;
  readonly keychain: ReturnType<typeof memoryKeychain>;
  ask(request: SetupRequest): Promise<unknown>;
  running(): Promise<SetupState>;
}

/** A desktop without a window: what it was started with, what its keychain is, and what its owner answers. */
async function desk(
  args: string[],
  more: { keychain?: Desk['keychain']; seals?: boolean; confirms?: boolean; openSwaps?: number } = {},
): Promise<Desk> {
  const flags = readFlags(['--port', '0', ...args]);
  if (isRefusal(flags)) throw new Error(flags.sentence);
  const environment = { XDG_DATA_HOME: home };
  const keychain = more.keychain ?? memoryKeychain();
  const say = () => {};
  const log = { info: say, warn: say, error: say } as unknown as EngineOptions['log'];
  const node = createDesktopNode({
    environment,
    platform: 'linux',
    log,
    keychain,
    spawnSandbox: spawnWithNode(networks),
    page: null,
    startEngine: async () => async (options) => ({
      ...(await smallEngine(calls)(options)),
      dispatch: async () => ({
        status: 200,
        body: { open_swaps: more.openSwaps ?? 0, at_risk_sats: 0, paused: null },
      }),
    }),
  });
  nodes.push(node);
  const setup = createSetup({
    node,
    flags,
    environment,
    choice: desktopChoice(flags, environment, 'linux'),
    keychain,
    keychainSeals: () => more.seals ?? true,
    confirmShow: async () => more.confirms ?? false,
    pause: async (ms) => void calls.pauses.push(ms),
    startAtLogin: { get: () => false, set: () => {} },
  });
  const refusal = await setup.begin();
  if (refusal !== null) throw new Error(refusal.sentence);
  return {
    setup,
    node,
    keychain,
    ask: (request) => setup.answer(request),
    async running() {
      await expect.poll(() => node.state().is, { timeout: 60_000 }).toBe('running');
      return setup.state();
    },
  };
}

function real(): string[] {
  const config = join(home, 'sluice.json');
  writeFileSync(config, JSON.stringify({ network: 'regtest' }));
  return ['--config', config, '--data-dir', join(home, 'node')];
}

describe('a folder without a seed', () => {
  test('waits for words, and starts once those that were made are read back and locked by a passphrase', async () => {
    const { setup, ask, running } = await desk(real());
    const blank = await setup.state();
    expect(blank).toEqual({
      ...{ network: 'regtest', chosen: true, seed: 'absent', ways: [], keychain: true },
      ...{ draft: null, node: 'off', failure: null },
    });
    expect(await ask({ do: 'lock', keychain: false, passphrase })).toEqual({ done: false, why: 'no-words' });
    const made = (await ask({ do: 'make', words: 24 })) as { check: number[] };
    const list = ((await ask({ do: 'show' })) as { words: string[] }).words;
    expect([list.length, new Set(made.check).size]).toEqual([24, 3]);
    expect(await ask({ do: 'lock', keychain: false, passphrase })).toEqual({ done: false, why: 'not-verified' });
    const read = made.check.map((place) => ({ place, word: list[place - 1]! }));
    const other = list[read[0]!.place - 1] === 'zoo' ? 'zone' : 'zoo';
    const wrong = [{ ...read[0]!, word: other }, { ...read[1]!, word: 'lader' }, read[2]!];
    expect(await ask({ do: 'verify', words: wrong })).toEqual({
      done: true,
      verified: false,
      words: [
        { place: made.check[0], is: 'wrong', near: [] },
        { place: made.check[1], is: 'unlisted', near: expect.arrayContaining(['ladder']) },
        { place: made.check[2], is: 'right', near: [] },
      ],
    });
    expect(await ask({ do: 'verify', words: read })).toMatchObject({ verified: true });
    expect([
      await ask({ do: 'lock', keychain: false, passphrase: null }),
      await ask({ do: 'lock', keychain: false, passphrase: 'short' }),
      existsSync(join(home, 'node', 'seed.sealed')),
    ]).toEqual([{ done: false, why: 'no-way' }, { done: false, why: 'passphrase-short', count: 12 }, false]);
    expect(await ask({ do: 'lock', keychain: false, passphrase })).toEqual({ done: true });
    expect(await running()).toMatchObject({ seed: 'open', ways: ['passphrase'], draft: null, node: 'running' });
    expect(await ask({ do: 'make', words: 12 })).toEqual({ done: false, why: 'seed-exists' });
    expect(await ask({ do: 'show' })).toEqual({ done: false, why: 'passphrase-needed' });
    expect(await ask({ do: 'show', passphrase: 'another' })).toEqual({ done: false, why: 'wrong-passphrase' });
    expect(await ask({ do: 'show', passphrase })).toEqual({ done: true, words: list });
    expect(readFileSync(join(home, 'node', 'seed.sealed'), 'utf8')).not.toContain(list[0]);
  });

  test('takes words from paper, names their first fault, and counts their keys as used', async () => {
    const { ask, running } = await desk(real());
    expect([
      await ask({ do: 'restore', words: 'legal winner' }),
      await ask({ do: 'restore', words: words.replace('year', 'yaer') }),
      await ask({ do: 'restore', words: words.replace('yellow', 'thank') }),
    ]).toEqual([
      { done: false, why: 'word-count', count: 2 },
      { done: false, why: 'unlisted', place: 4, near: expect.arrayContaining(['year']) },
      { done: false, why: 'words-do-not-fit' },
    ]);
    expect(await ask({ do: 'restore', words: words.toUpperCase() })).toEqual({ done: true, count: 12 });
    expect(await ask({ do: 'lock', keychain: true, passphrase: null })).toEqual({ done: true });
    await running();
    expect(existsSync(join(home, 'node', 'high-water.last'))).toBe(true);
  });

  test('forgets words that were not locked', async () => {
    const { setup, ask } = await desk(real());
    await ask({ do: 'restore', words });
    expect((await setup.state()).draft).toEqual({ count: 12, from: 'restored', verified: true, check: [] });
    await ask({ do: 'forget' });
    expect([(await setup.state()).draft, await ask({ do: 'show' })]).toEqual([null, { done: false, why: 'no-seed' }]);
  });

  test('is not locked by a keychain that seals nothing or does not keep what it is given', async () => {
    const forgetful = { ...memoryKeychain(), get: async () => null };
    for (const more of [{ seals: false }, { keychain: memoryKeychain(false) }, { keychain: forgetful }]) {
      const { setup, ask, node } = await desk(real(), more);
      await ask({ do: 'restore', words });
      expect(await ask({ do: 'lock', keychain: true, passphrase: null })).toEqual({
        done: false,
        why: 'keychain-away',
      });
      expect((await setup.state()).draft).not.toBeNull();
      await node.close();
    }
    expect(existsSync(join(home, 'node', 'seed.sealed'))).toBe(false);
  });
});

describe('a sealed seed', () => {
  async function sealed(request: { keychain: boolean; passphrase: string | null }): Promise<Desk['keychain']> {
    const first = await desk(real());
    await first.ask({ do: 'restore', words });
    await first.ask({ do: 'lock', ...request });
    await first.running();
    await first.node.close();
    return first.keychain;
  }

  test('by a passphrase: the node is off until it is typed, and a wrong one leaves it off', async () => {
    const keychain = await sealed({ keychain: false, passphrase });
    const { setup, ask, running } = await desk(real(), { keychain });
    expect(await setup.state()).toMatchObject({ seed: 'sealed', ways: ['passphrase'], node: 'off', failure: null });
    expect(await ask({ do: 'unlock', passphrase: 'wrong horse battery' })).toEqual({
      done: false,
      why: 'wrong-passphrase',
    });
    const [one, other] = [ask({ do: 'unlock', passphrase }), ask({ do: 'unlock', passphrase })];
    expect([await one, await other]).toEqual([{ done: true }, { done: false, why: 'busy' }]);
    expect(await running()).toMatchObject({ seed: 'open', node: 'running' });
    expect(calls.options[1]?.seed).toEqual(calls.options[0]?.seed);
  });

  test('a wrong passphrase waits longer each time, never beyond half a minute, and harms nothing', async () => {
    const keychain = await sealed({ keychain: false, passphrase });
    const file = readFileSync(join(home, 'node', 'seed.sealed'));
    const { ask, running } = await desk(real(), { keychain });
    const wrongs: SetupRequest[] = [
      ...Array.from({ length: 6 }, () => ({ do: 'unlock' as const, passphrase: 'wrong horse battery' })),
      { do: 'show', passphrase: 'wrong horse battery' },
      { do: 'compare', words, passphrase: 'wrong horse battery' },
    ];
    for (const wrong of wrongs) expect(await ask(wrong)).toEqual({ done: false, why: 'wrong-passphrase' });
    expect(calls.pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(readFileSync(join(home, 'node', 'seed.sealed'))).toEqual(file);
    expect(await ask({ do: 'unlock', passphrase })).toEqual({ done: true });
    await running();
    await ask({ do: 'show', passphrase: 'wrong again' });
    expect(calls.pauses.at(-1)).toBe(500);
  }, 60_000);

  test('by the keychain: the node starts by itself, and its words are shown only to a yes outside the page', async () => {
    const keychain = await sealed({ keychain: true, passphrase: null });
    expect([...keychain.entries.keys()]).toEqual([keychainAccount(join(home, 'node'))]);
    const cautious = await desk(real(), { keychain });
    await cautious.running();
    expect(await cautious.ask({ do: 'show' })).toEqual({ done: false, why: 'declined' });
    await cautious.node.close();
    const willing = await desk(real(), { keychain, confirms: true });
    await willing.running();
    expect(await willing.ask({ do: 'show' })).toEqual({ done: true, words: words.split(' ') });
    const others = 'letter advice cage absurd amount doctor acoustic avoid letter advice cage above';
    expect([
      await willing.ask({ do: 'compare', words }),
      await willing.ask({ do: 'compare', words: others }),
      await willing.ask({ do: 'compare', words: 'one two' }),
    ]).toEqual([
      { done: true, same: true },
      { done: true, same: false },
      { done: false, why: 'word-count', count: 2 },
    ]);
    await willing.node.close();
    const locked = await desk(real(), { keychain: memoryKeychain(false) });
    expect(await locked.setup.state()).toMatchObject({
      ...{ seed: 'sealed', ways: ['keychain'], node: 'off' },
      failure: expect.stringMatching(/^The keychain of this system does not give the key/),
    });
  });
});

describe('which network', () => {
  test('is the sandbox until its owner chooses, and the choice is for every later start', async () => {
    const first = await desk([]);
    expect(await first.running()).toMatchObject({ network: 'sandbox', chosen: false, ways: ['key-file'] });
    expect(await first.ask({ do: 'choose', network: 'mainnet' })).toEqual({ done: true });
    expect(await first.setup.state()).toMatchObject({ network: 'mainnet', chosen: true, seed: 'absent', node: 'off' });
    expect(calls.log).toEqual(['engine stopped']);
    await first.node.close();
    const second = await desk([]);
    expect(await second.setup.state()).toMatchObject({ network: 'mainnet', chosen: true });
    expect(await second.ask({ do: 'choose', network: 'sandbox' })).toEqual({ done: true });
    expect(await second.running()).toMatchObject({ network: 'sandbox', chosen: true });
  });

  test('is not to be chosen where the start says it, nor while swaps with money are open', async () => {
    const fixed = await desk(real());
    expect(await fixed.ask({ do: 'choose', network: 'mainnet' })).toEqual({ done: false, why: 'fixed-by-start' });
    await fixed.node.close();
    const busy = await desk([], { openSwaps: 1 });
    await busy.running();
    expect(await busy.ask({ do: 'choose', network: 'signet' })).toEqual({ done: true });
    await busy.ask({ do: 'restore', words });
    await busy.ask({ do: 'lock', keychain: true, passphrase: null });
    await busy.running();
    expect(await busy.ask({ do: 'choose', network: 'sandbox' })).toEqual({ done: false, why: 'swaps-open' });
    expect((await busy.setup.state()).node).toBe('running');
  });
});

test('a slip of the pen has its words of the list, and what is no word has none', () => {
  expect([nearWords('lader')[0], nearWords('abandn')[0], nearWords('xxxxxxxxxxxxxxxxxxxx')]).toEqual([
    'ladder',
    'abandon',
    [],
  ]);
});
