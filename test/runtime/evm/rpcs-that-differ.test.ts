import { afterEach, describe, expect, it } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage, type Sha256 } from '../../../engine/domain/hash.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { seconds, unix } from '../../../engine/domain/time.ts';
import { accountOf } from '../../../engine/legs/evm/account.ts';
import type { EvmEvent, SeenLock } from '../../../engine/legs/evm/events.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';
import { bitcoinCoin } from '../../../engine/quote/coin-price.ts';
import { evmLockWatching } from '../../../engine/runtime/networks/evm/watch-locks.ts';
import type { WatchOptions } from '../../../engine/runtime/networks/watching.ts';
import type { LockEventRow } from '../../../engine/store/evm-locks.ts';
import type { Store } from '../../../engine/store/store.ts';
import { openStore } from '../../store/support.ts';
import { startTellers, type Happening, type Log, type Manner, type Tellers } from '../../support/evm-tellers.ts';

const network = 'evm:137';
const key = new Uint8Array(32).fill(0x77);
const htlc = asEvmAddress(new Uint8Array(20).fill(0xc1));
const client = asEvmAddress(new Uint8Array(20).fill(0xc4));
const preimage = asPreimage(new Uint8Array(32).fill(0x33));
const hash = sha256Of(preimage);
const maxTipAge = seconds(600);
/** Blocks that a leap of a liar's tip goes, and the seconds that make it look like the chain's own. */
const leap = { tipBy: 5_000, timeBy: 250 - 10_000 };

type Look = Extract<EvmEvent, { is: 'evm.seen' }>;

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

interface Scene {
  readonly chain: Tellers;
  readonly store: Store;
  readonly lock: LockTerms;
  port(): EvmPort;
  last(): Look | null;
  /** The last look has heard of the one lock, and of this about it. */
  lockIs(test: (lock: SeenLock) => boolean): Promise<SeenLock>;
  behave(...manners: readonly Manner[]): void;
  /** What looks failed with in the life of now. */
  readonly failures: readonly unknown[];
  stop(): Promise<void>;
  /** The node goes down and comes back. */
  restart(): Promise<void>;
  /** So many looks. */
  looks(count?: number): Promise<void>;
}

async function sceneOf(
  count: number,
  { alsoAgreed = false, watchesToo }: { readonly alsoAgreed?: boolean; readonly watchesToo?: Sha256 } = {},
): Promise<Scene> {
  const chain = await startTellers(count, htlc);
  ending.push(() => chain.stop());
  const { store } = openStore();
  const since = chain.height();
  const lock = {
    preimageHash: hash,
    amount: 1_000n,
    token: client,
    refundAddress: accountOf(key),
    claimAddress: client,
  };
  const terms: LockTerms = { ...lock, timelock: BigInt(chain.now() + 86_400) };
  let running = start();
  ending.push(() => running.stop());

  function start() {
    const real = connectEvm({
      chainId: 137,
      rpc: chain.tellers.map(({ url }) => url),
      key,
      boundTo: null,
      wall: () => chain.now(),
      maxTipAge: () => maxTipAge,
      agreedBefore: () => store.evmLocks.agreed?.(network) ?? null,
    });
    let looks = 0;
    const counting = async <T>(read: () => Promise<T>): Promise<T> => read().finally(() => (looks += 1));
    const port: EvmPort = { ...real, heads: () => counting(() => real.heads()), tip: () => counting(() => real.tip()) };
    let look: Look | null = null;
    const failures: unknown[] = [];
    const watching = evmLockWatching.open({
      ports: { [network]: port },
      store,
      evm: () => ({
        confirmations: [16, 64],
        gas: { maxShareBps: 1, maxFeeGwei: 0 },
        singleSource: sats(0),
        price: bitcoinCoin,
        pegged: null,
        standing: null,
      }),
      deliver: (id: string, event: EvmEvent) => {
        if (id === 'swap' && event.is === 'evm.seen') look = event;
        return true;
      },
      onFailure: (_id: unknown, cause: unknown) => failures.push(cause),
      pollMs: 10,
      wall: () => unix(chain.now()),
    } as unknown as WatchOptions);
    if (watching === null) throw new Error('nothing watches locks');
    watching.add('swap', {
      on: 'evm-lock',
      network,
      htlc,
      hash,
      wanted: { are: 'one', key: swapKey(terms) },
      since,
    });
    if (alsoAgreed) {
      const { amount: least, ...agreed } = terms;
      const locks = { are: 'agreed', lock: agreed, least, by: client } as const;
      watching.add('another', { on: 'evm-lock', network, htlc, hash, wanted: locks, since });
    }
    if (watchesToo !== undefined) {
      const other = { are: 'one', key: new Uint8Array(32) } as const;
      watching.add('others', { on: 'evm-lock', network, htlc, hash: watchesToo, wanted: other, since });
    }
    watching.start();
    return { port, failures, look: () => look, looks: () => looks, stop: () => watching.stop() };
  }

  async function until<T>(test: () => T | null | undefined | false): Promise<T> {
    for (;;) {
      const value = test();
      if (value !== null && value !== undefined && value !== false) return value;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  const scene: Scene = {
    chain,
    store,
    lock: terms,
    port: () => running.port,
    last: () => running.look(),
    lockIs: (test) =>
      until(() => {
        const [one, ...more] = running.look()?.locks ?? [];
        return one !== undefined && more.length === 0 && test(one) && one;
      }),
    behave: (...manners) => chain.tellers.forEach(({ behave }, i) => behave(manners[i] ?? {})),
    get failures() {
      return running.failures;
    },
    stop: () => running.stop(),
    async restart() {
      await running.stop();
      running = start();
    },
    async looks(more = 4) {
      const before = running.looks();
      await until(() => running.looks() >= before + more);
    },
  };
  await until(() => running.look());
  return scene;
}

const isClaimed = ({ state }: SeenLock): boolean => state.is === 'redeemed';
const claim = { is: 'redeemed', preimage } as const;

/** What one RPC of several may do while the others are honest. */
const lies: Readonly<Record<string, (scene: Scene) => Manner>> = {
  'leaps ahead with times that can be': () => leap,
  'leaps ahead by more than any chain makes': () => ({ tipBy: 1_000_000_000 }),
  'is a thousand blocks back with the time of now': () => ({ tipBy: -1_000, timeBy: 2_000 }),
  'is a thousand blocks back with the time of then': () => ({ tipBy: -1_000 }),
  'says a later year': () => ({ timeBy: 31_536_000 }),
  'leaves out all logs': () => ({ hides: true }),
  'stands still': ({ chain }) => ({ stillAt: chain.height() }),
  'is down': () => ({ down: true }),
  'tells a refund that never was': ({ chain, lock }) => ({
    adds: [chain.logOf(chain.height() + 2, lock, { is: 'refunded' })],
  }),
};

describe.each([2, 3])('of %i RPCs', (count) => {
  it.each(Object.keys(lies))('fault 64, evm: one that %s hides no claim, now or after a restart', async (name) => {
    const scene = await sceneOf(count);
    const lie = lies[name]?.(scene) ?? {};
    scene.behave(lie);
    await scene.looks();
    scene.chain.happen(scene.lock, { is: 'created' });
    scene.chain.mine(3);
    await scene.looks();
    scene.chain.happen(scene.lock, claim);
    const one = await scene.lockIs(isClaimed);
    expect(one.state).toMatchObject({ preimage });
    // Whoever reads from the disk begins below everything that only a liar named.
    expect(scene.store.evmLocks.scanned({ network, htlc })).toBeLessThanOrEqual(scene.chain.height());
    await scene.restart();
    await scene.lockIs(isClaimed);
    scene.behave();
    scene.chain.mine(100);
    await scene.lockIs(({ state }) => state.is === 'redeemed' && state.confirmations > 64);
  });

  it.each(Object.keys(lies))(
    'fault 64, evm: one that %s ends no lock, and what it hid is read once it is honest',
    async (name) => {
      const scene = await sceneOf(count);
      scene.behave(lies[name]?.(scene) ?? {});
      await scene.looks();
      scene.chain.happen(scene.lock, { is: 'created' });
      scene.chain.mine(40);
      const { state } = await scene.lockIs(() => true);
      await scene.looks();
      expect(state).toEqual({ is: 'active' });
      scene.chain.happen(scene.lock, { is: 'refunded' });
      scene.chain.mine(300);
      await scene.looks();
      await scene.restart();
      scene.behave();
      scene.chain.mine(1);
      await scene.lockIs((lock) => lock.state.is === 'refunded' && lock.state.confirmations > 300);
    },
  );
});

const troubles = ['leaps ahead with times that can be', 'leaves out all logs', 'stands still', 'is down'] as const;
/** Two that leap together agree with each other: no count of three holds against that. */
const pairs = troubles
  .flatMap((one, i) => troubles.slice(i).map((other) => [one, other] as const))
  .filter(([one, other]) => one !== troubles[0] || other !== one);

it.each(pairs)('fault 64, evm: of three RPCs one that %s and one that %s hide no claim', async (one, other) => {
  const scene = await sceneOf(3);
  scene.behave(lies[one]?.(scene) ?? {}, lies[other]?.(scene) ?? {});
  await scene.looks();
  scene.chain.happen(scene.lock, { is: 'created' });
  scene.chain.mine(3);
  await scene.looks();
  scene.chain.happen(scene.lock, claim);
  expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  await scene.restart();
  await scene.lockIs(isClaimed);
});

it.each([2, 3])(
  'fault 64, evm: of %i RPCs one that takes its false tip back alone shows what comes then',
  async (count) => {
    const scene = await sceneOf(count);
    scene.chain.happen(scene.lock, { is: 'created' });
    scene.chain.mine(3);
    await scene.lockIs(() => true);
    scene.behave(leap);
    scene.chain.mine();
    await scene.looks(8);
    scene.behave({}, { down: true }, { stillAt: scene.chain.height() });
    await scene.looks();
    scene.chain.happen(scene.lock, claim);
    expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
    await scene.restart();
    await scene.lockIs(isClaimed);
  },
);

it('fault 64, evm: every start reads again from where two agreed, whatever the last one left told since', async () => {
  const scene = await sceneOf(2);
  await scene.looks();
  scene.behave({ hides: true }, { down: true });
  scene.chain.happen(scene.lock, { is: 'created' });
  scene.chain.happen(scene.lock, claim);
  scene.chain.mine(400);
  await scene.looks(8);
  await scene.restart();
  await scene.looks(8);
  scene.behave({ hides: true });
  await scene.lockIs(isClaimed);
});

it('fault 64, evm: a lock in blocks that one RPC has not come to is not missed by the end of its window', async () => {
  const scene = await sceneOf(2);
  const window = scene.chain.now() + 60;
  scene.behave({ hides: true }, { stillAt: scene.chain.height() });
  scene.chain.happen(scene.lock, { is: 'created' });
  scene.chain.mine(100);
  await scene.looks(8);
  expect(scene.last()?.locks.length === 1 || (scene.last()?.asked ?? 0) < window).toBe(true);
  scene.behave({ hides: true }, {});
  await scene.lockIs(() => true);
});

describe.each([
  [1, 200],
  [2, 200],
  [2, 403],
] as const)('%i RPCs that keep no logs of so long ago, said with status %i', (count, prunedBy) => {
  /** All of them, while the node was away for long enough. */
  const forgetful = (scene: Scene, keeps: number): void =>
    scene.behave(...scene.chain.tellers.map(() => ({ keeps, prunedBy })));

  async function away(scene: Scene, keeps: number, meanwhile: () => void): Promise<void> {
    await scene.stop();
    meanwhile();
    forgetful(scene, keeps);
    await scene.restart();
    await scene.looks(8);
  }

  it('fault 228, evm: the claim of our lock among them is owed, also after a restart, until one has it', async () => {
    const scene = await sceneOf(count);
    scene.chain.happen(scene.lock, { is: 'created' });
    scene.chain.mine(10);
    await scene.lockIs(() => true);
    await away(scene, 300, () => {
      scene.chain.happen(scene.lock, claim);
      scene.chain.mine(5_000);
    });
    expect([scene.last(), scene.store.evmLocks.of({ network, htlc }, hash).length]).toEqual([null, 1]);
    expect(String(scene.failures.at(-1))).toMatch(/keep the logs of blocks before \d+/);
    scene.chain.mine(500);
    await scene.looks(8);
    await scene.restart();
    await scene.looks(8);
    expect(scene.last()).toBeNull();
    scene.behave();
    await scene.restart();
    expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  });

  it('fault 228, evm: what they still have of it is read, from the first block on', async () => {
    const scene = await sceneOf(count);
    scene.chain.happen(scene.lock, { is: 'created' });
    scene.chain.mine(10);
    await scene.lockIs(() => true);
    await away(scene, 3_000, () => {
      scene.chain.mine(2_000);
      scene.chain.happen(scene.lock, claim);
      scene.chain.mine(2_950);
    });
    expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  });

  it('fault 228, evm: a lock that stands after them did not end there, and is followed on', async () => {
    const scene = await sceneOf(count);
    scene.chain.happen(scene.lock, { is: 'created' });
    scene.chain.mine(10);
    await scene.lockIs(() => true);
    await away(scene, 300, () => scene.chain.mine(5_000));
    expect((await scene.lockIs(() => true)).state.is).toBe('active');
    expect(scene.store.evmLocks.scanned({ network, htlc })).toBeGreaterThan(scene.chain.height() - 100);
    scene.chain.happen(scene.lock, claim);
    expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  });
});

it('fault 228, evm: of three RPCs the one that has the logs is waited for, however far it is behind', async () => {
  const scene = await sceneOf(3);
  scene.chain.happen(scene.lock, { is: 'created' });
  scene.chain.mine(10);
  await scene.lockIs(() => true);
  await scene.stop();
  scene.chain.mine(22_000);
  scene.chain.happen(scene.lock, claim);
  scene.chain.mine(2_000);
  scene.behave({}, { keeps: 300 }, { keeps: 300 });
  await scene.restart();
  expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
});

it('fault 284, evm: the claim of our lock in blocks that one RPC alone tells is owed until it shows it', async () => {
  const scene = await sceneOf(2);
  scene.chain.happen(scene.lock, { is: 'created' });
  scene.chain.mine(200);
  await scene.lockIs(() => true);
  await scene.looks(8);
  await scene.stop();
  const scanned = () => scene.store.evmLocks.scanned({ network, htlc }) ?? 0;
  const before = scanned();
  scene.chain.happen(scene.lock, claim);
  scene.chain.mine(3_000);
  scene.behave({ hides: true }, { keeps: 300 });
  await scene.restart();
  await scene.looks(8);
  expect([scene.last(), scanned()]).toEqual([null, before]);
  expect(String(scene.failures.at(-1))).toMatch(/keep the logs of blocks before \d+/);
  // One that tells the truth is enough.
  scene.behave({}, { keeps: 300 });
  await scene.restart();
  expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  await scene.looks(8);
  expect(scanned()).toBeGreaterThan(scene.chain.height() - 100);
});

it('fault 228, evm: a lock that stood after one gap is asked about again after the next', async () => {
  const scene = await sceneOf(1);
  scene.chain.happen(scene.lock, { is: 'created' });
  scene.chain.mine(10);
  await scene.lockIs(() => true);
  await scene.stop();
  scene.chain.mine(5_000);
  scene.behave({ keeps: 300 });
  await scene.restart();
  await scene.lockIs(() => true);
  scene.behave({ down: true });
  scene.chain.happen(scene.lock, claim);
  scene.chain.mine(5_000);
  scene.behave({ keeps: 300 });
  await scene.looks(8);
  expect(scene.last()?.locks.some(isClaimed)).toBe(false);
  expect(String(scene.failures.at(-1))).toMatch(/keep the logs of blocks before \d+/);
  scene.behave();
  await scene.restart();
  expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
});

/** Claims of locks that strangers make of nothing: in one block they are more than 2 MB of an answer. */
function strangersClaims(scene: Scene): readonly (readonly [LockTerms, typeof claim])[] {
  return Array.from({ length: 3_700 }, (_, i) => {
    const own = asPreimage(new Uint8Array(32).fill(i % 251));
    return [
      { ...scene.lock, preimageHash: sha256Of(own), amount: BigInt(i) },
      { ...claim, preimage: own },
    ] as const;
  });
}

it('fault 339, evm: a block that strangers fill with claims hides ours neither from a swap nor a search', async () => {
  const scene = await sceneOf(1);
  scene.chain.happen(scene.lock, { is: 'created' });
  await scene.lockIs(() => true);
  scene.chain.happenTogether([...strangersClaims(scene), [scene.lock, claim]]);
  expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  await scene.stop();
  const to = scene.chain.height();
  const events = await scene.port().events({ htlc, from: to - 5, to });
  expect([events.length, events.at(-1)?.what, scene.failures]).toEqual([3_702, claim, []]);
});

it('fault 339, evm: one of two RPCs that takes seconds for each block keeps no claim from us', async () => {
  const scene = await sceneOf(2);
  scene.chain.happen(scene.lock, { is: 'created' });
  scene.chain.mine(100);
  await scene.lockIs(() => true);
  scene.behave({ blockMs: 3_000 });
  scene.chain.happen(scene.lock, claim);
  expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  // It is not asked again while it is at work, and the next look does not wait for it.
  const before = performance.now();
  scene.chain.mine();
  await scene.looks();
  expect(performance.now() - before).toBeLessThan(10_000);
  scene.behave();
  scene.chain.mine(100);
  await scene.lockIs(({ state }) => state.is === 'redeemed' && state.confirmations > 100);
});

it('fault 341, evm: locks of a hash that one RPC makes up are a few, and hide no claim of it', async () => {
  const scene = await sceneOf(2, { alsoAgreed: true });
  const { chain, lock } = scene;
  chain.happen(lock, { is: 'created' });
  await scene.lockIs(() => true);
  const inBlock = 1_000;
  const adds = Array.from({ length: 3 * inBlock }, (_, i) => {
    const at = chain.height() + 1 + Math.floor(i / inBlock);
    return { ...chain.logOf(at, { ...lock, amount: lock.amount + 1n + BigInt(i) }, { is: 'created' }), index: i };
  });
  scene.behave({ adds });
  const questions = chain.tellers[1]?.methods ?? [];
  questions.length = 0;
  chain.mine();
  chain.happen(lock, claim);
  chain.mine();
  expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  const rows = scene.store.evmLocks.of({ network, htlc }, hash).filter(({ event }) => event === 'created');
  const looked = questions.filter((method) => method === 'eth_call' || method === 'eth_getTransactionReceipt');
  expect([rows.length, looked.length < 1_000, questions.length > 0]).toEqual([33, true, true]);
});

/** Of the last of several RPCs. */
const lastOf = (count: number, manner: Manner): readonly Manner[] => [...Array<Manner>(count - 1).fill({}), manner];

const otherClaims: Readonly<Record<string, (log: Log) => Log>> = {
  'with 32 other bytes': (log) => (isClaimLog(log) ? { ...log, data: `0x${'44'.repeat(32)}` } : log),
  'under another hash': (log) => {
    const [topic = '', , key = ''] = log.topics;
    const own = asPreimage(new Uint8Array(32).fill(0x55));
    if (!isClaimLog(log)) return log;
    return { ...log, topics: [topic, `0x${toHex(sha256Of(own))}`, key], data: `0x${toHex(own)}` };
  },
  'at another height': (log) => (isClaimLog(log) ? { ...log, height: log.height - 15 } : log),
};

function isClaimLog({ topics: [topic] }: Log): boolean {
  return topic === '0x935f11873f0f4154186d30d8d4181c7694ac59f800873f9c44b0a5122043660a';
}

describe.each([2, 3])('of %i RPCs', (count) => {
  it.each(Object.keys(otherClaims))('fault 356, evm: one that tells the claim %s hides it not', async (name) => {
    const scene = await sceneOf(count, { watchesToo: sha256Of(asPreimage(new Uint8Array(32).fill(0x55))) });
    scene.chain.happen(scene.lock, { is: 'created' });
    scene.chain.mine(20);
    await scene.lockIs(() => true);
    const tells = otherClaims[name];
    if (tells === undefined) throw new Error('no lie');
    scene.behave(...lastOf(count, { tells }));
    scene.chain.happen(scene.lock, claim);
    expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
    scene.chain.mine(200);
    await scene.looks(8);
    await scene.restart();
    expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  });
});

it('fault 356, evm: a refund that one RPC tells fifteen blocks too low has one confirmation', async () => {
  const scene = await sceneOf(3);
  scene.chain.happen(scene.lock, { is: 'created' });
  scene.chain.mine(20);
  await scene.lockIs(() => true);
  const isRefund = ({ topics }: Log): boolean => topics.length === 3;
  const tells = (log: Log): Log => (isRefund(log) ? { ...log, height: log.height - 15 } : log);
  scene.behave(...lastOf(3, { tells }));
  scene.chain.happen(scene.lock, { is: 'refunded' });
  const { state } = await scene.lockIs((lock) => lock.state.is === 'refunded' && lock.state.confirmations > 0);
  expect(state).toMatchObject({ confirmations: 1 });
});

it.each([
  [
    'in a block that it makes up',
    (log: Log, tip: number): Log => ({ ...log, height: tip, txid: `0x${'99'.repeat(32)}` }),
  ],
  ['higher', (log: Log, tip: number): Log => ({ ...log, height: tip })],
])('fault 372, evm: a claim that one RPC tells again %s stays as deep as it is', async (_, again) => {
  const scene = await sceneOf(3);
  const { chain, lock } = scene;
  chain.happen(lock, { is: 'created' });
  chain.happen(lock, claim);
  const once = chain.logOf(chain.height(), lock, claim);
  await scene.lockIs(isClaimed);
  chain.mine(20);
  scene.behave(...lastOf(3, { adds: [again(once, chain.height())] }));
  chain.mine(3);
  await scene.looks(4);
  const { state } = await scene.lockIs(isClaimed);
  expect(state).toMatchObject({ confirmations: 24 });
});

it('fault 373, evm: a lock that is claimed is no other one at the height that one RPC tells', async () => {
  const scene = await sceneOf(2);
  const { chain, lock } = scene;
  chain.happen(lock, { is: 'created' });
  const made = chain.logOf(chain.height(), lock, { is: 'created' });
  chain.happen(lock, claim);
  await scene.lockIs(isClaimed);
  chain.mine(20);
  scene.behave(...lastOf(2, { adds: [{ ...made, height: chain.height() }] }));
  chain.mine(3);
  await scene.looks(4);
  expect((await scene.lockIs(() => true)).state).toMatchObject({ is: 'redeemed', preimage });
});

describe.each([2, 3])('of %i RPCs, the last of which tells a claimed lock again', (count) => {
  it.each([
    ['made', false],
    ['made and claimed', true],
  ])('fault 373, evm: one that a made-up transaction %s is no second lock', async (_, claimsToo) => {
    const scene = await sceneOf(count);
    const { chain, lock } = scene;
    chain.happen(lock, { is: 'created' });
    const made = chain.logOf(chain.height(), lock, { is: 'created' });
    chain.happen(lock, claim);
    const ended = chain.logOf(chain.height(), lock, claim);
    await scene.lockIs(isClaimed);
    chain.mine(20);
    const second = { ...made, height: chain.height() - 1, txid: `0x${'98'.repeat(32)}` };
    const end = { ...ended, height: chain.height(), txid: `0x${'99'.repeat(32)}` };
    scene.behave(...lastOf(count, { adds: claimsToo ? [second, end] : [second] }));
    chain.mine(3);
    await scene.looks(8);
    expect(scene.last()?.locks).toMatchObject([{ state: { is: 'redeemed', preimage, confirmations: 24 } }]);
  });
});

describe('what an earlier build saved of the word of one RPC', () => {
  /** The lock and its end, saved so and deeper than what is read anew. */
  async function savedAs(
    end: Happening,
    change: (row: LockEventRow) => LockEventRow,
    {
      blocks = 20,
      changeLock = (row) => row,
    }: { readonly blocks?: number; readonly changeLock?: (row: LockEventRow) => LockEventRow } = {},
  ): Promise<Scene> {
    const scene = await sceneOf(2);
    const { chain, store } = scene;
    chain.happen(scene.lock, { is: 'created' });
    chain.mine(blocks);
    await scene.lockIs(() => true);
    chain.happen(scene.lock, end);
    await scene.lockIs(({ state }) => state.is === end.is);
    await scene.stop();
    const of = { network, htlc } as const;
    const rows = store.evmLocks.of(of, hash).map((row) => (row.event === end.is ? change(row) : changeLock(row)));
    chain.mine(100);
    const to = chain.height();
    store.atomically(() => store.evmLocks.replace(of, { from: 0, to, settled: to - 64, at: null }, rows, []));
    await scene.restart();
    return scene;
  }

  it('fault 356, evm: a claim with other bytes is read again', async () => {
    const scene = await savedAs(claim, (row) => ({ ...row, body: new Uint8Array(32) }));
    expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  });

  it('fault 356, evm: an end before its lock is read again', async () => {
    const scene = await savedAs({ is: 'refunded' }, (row) => ({ ...row, height: row.height - 21 }));
    await scene.lockIs(({ state }) => state.is === 'refunded');
  });

  it('fault 374, evm: a lock that was told above its claim is read again, and the claim with it', async () => {
    const above = (row: LockEventRow): LockEventRow => ({ ...row, height: row.height + 250 });
    const scene = await savedAs(claim, (row) => row, { blocks: 200, changeLock: above });
    expect((await scene.lockIs(isClaimed)).state).toMatchObject({ preimage });
  });

  it('fault 356, evm: a refund at a lower height is as deep as its receipt says', async () => {
    const scene = await savedAs({ is: 'refunded' }, (row) => ({ ...row, height: row.height - 15 }));
    const { state } = await scene.lockIs((lock) => lock.state.is === 'refunded' && lock.state.confirmations > 0);
    expect(state).toMatchObject({ confirmations: 101 });
  });
});

it('a block costs each RPC its tip, and its logs once for each contract', async () => {
  const scene = await sceneOf(2);
  await scene.looks();
  const blocks = 10;
  for (const { methods } of scene.chain.tellers) methods.length = 0;
  for (let i = 0; i < blocks; i++) {
    scene.chain.mine();
    await scene.looks(3);
  }
  for (const { methods } of scene.chain.tellers) {
    const logs = methods.filter((method) => method === 'eth_getLogs').length;
    expect(logs).toBeLessThanOrEqual(blocks + 1);
    expect(methods.filter((method) => method !== 'eth_getLogs' && method !== 'eth_getBlockByNumber')).toEqual([]);
    expect(methods.length - logs).toBeLessThanOrEqual(5 * blocks);
  }
});
