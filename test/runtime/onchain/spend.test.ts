import { describe, expect, test, vi } from 'vitest';
import { btcOn, sats, type Sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { unix } from '../../../engine/domain/time.ts';
import { scriptOfAddress } from '../../../engine/legs/onchain/address.ts';
import { onchainFailure } from '../../../engine/legs/onchain/failures.ts';
import type { HtlcTerms, TimeHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import { bitcoinScene, newWorld, ours, swapKey, type BitcoinScene, type SceneOptions } from './scene.ts';
import { clientPublic, clientSpend, elsewhere, scriptOf, termsOf } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

type Spend = Effect & { do: 'htlc.spend' };
const amount = sats(60_000);
const hour = 3_600;

interface Opened {
  readonly scene: BitcoinScene;
  readonly id: string;
  readonly coin: Outpoint;
  readonly terms: TimeHtlcTerms;
}

/** A coin of the client's that we learnt the secret of, `left` seconds before it may take it back. */
async function claiming(
  { left = 24 * hour, form = 'p2tr' as TimeHtlcTerms['form'], held = amount } = {},
  options: SceneOptions = {},
): Promise<Opened> {
  const world = options.world ?? newWorld();
  const terms = termsOf(ours, clientPublic, world.tip().mtp + left, form);
  const coin = world.faucet(scriptOf(terms), sats(held));
  if (coin === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const scene = await bitcoinScene({ ...options, world });
  const spend: Spend = {
    do: 'htlc.spend',
    purpose: 'claim',
    terms,
    script: scriptOf(terms),
    key: swapKey,
    coin,
    leastRate: 0,
    deadline: terms.refundLocktime,
  };
  return { scene, id: scene.open({ spend }, [spend], 'the secret'), coin, terms };
}

/** A coin of ours that nobody claimed. */
async function refunding(left: number, options: SceneOptions = {}): Promise<Opened> {
  const world = options.world ?? newWorld();
  const terms = termsOf(clientPublic, ours, world.tip().mtp + left);
  const coin = world.faucet(scriptOf(terms), amount);
  if (coin === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const scene = await bitcoinScene({ ...options, world });
  const spend: Spend = {
    do: 'htlc.spend',
    purpose: 'refund',
    terms,
    script: scriptOf(terms),
    key: swapKey,
    coin,
    leastRate: 0,
    deadline: unix(terms.refundLocktime + 8 * hour),
  };
  return { scene, id: scene.open({ spend }, [spend]), coin, terms };
}

const feeOf = ({ scene: { world }, coin }: Pick<Opened, 'scene' | 'coin'>) =>
  world.waiting(world.spend(coin)?.txid ?? '')?.fee ?? 0n;
const aWhile = (ms = 600) => new Promise((resolve) => setTimeout(resolve, ms));

test.each(['p2tr', 'p2wsh'] as const)('a claim of a %s takes the coin to the wallet', async (form) => {
  const { scene, id, coin } = await claiming({ form });
  await eventually(() => scene.world.spend(coin) !== undefined, 'it is sent');
  const fee = feeOf({ scene, coin });
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  expect([
    scene.heard(id, 'onchain.final')[0]?.fee,
    (await scene.wallet.balance([])).available,
    scene.rows(id).map(({ purpose, state }) => [purpose, state]),
  ]).toEqual([fee, amount - fee, [['claim', 'final']]]);
});

test('a claim that is buried leaves what the other leg of its swap has on the chain as it was', async () => {
  const { scene, id, coin } = await claiming();
  const { store, world } = scene;
  await eventually(() => world.spend(coin) !== undefined, 'it is sent');
  const other = { ...btcOn('bitcoin'), txid: 'ee'.repeat(32), subject: id, leg: 'arkade', purpose: 'refund' } as const;
  store.transactions.insert({ ...other, bytes: Uint8Array.of(1), inputs: [] }, world.clock.now());
  world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  expect([store.transactions.byId(other.txid)?.state, scene.heard(id, 'onchain.final')[0]?.leg]).toEqual([
    'prepared',
    'bitcoin',
  ]);
});

test('fault 96, bitcoin: dust at addresses of the wallet that nobody lists any more keeps no claim back', async () => {
  const lists = () => Promise.reject(onchainFailure('bitcoin-away', 'safe', 'too many coins at one script'));
  const { scene, id, coin } = await claiming({}, { lying: () => ({ coins: lists }) });
  await eventually(() => scene.world.spend(coin) !== undefined, 'it is sent');
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
});

test('fault 96, bitcoin: one such address keeps the wallet from no coin at others', async () => {
  let dusty = '';
  const scene = await bitcoinScene({
    lying: ({ coins }) => ({
      coins: (scripts, ...more) =>
        scripts.some((script) => toHex(script) === dusty)
          ? Promise.reject(onchainFailure('bitcoin-away', 'safe', 'too many coins at one script'))
          : coins(scripts, ...more),
    }),
  });
  await scene.deposit(50_000, 70_000);
  dusty = toHex(scriptOfAddress(await scene.wallet.address(), 'regtest') ?? new Uint8Array());
  await scene.deposit(1_000);
  expect((await scene.wallet.balance([])).available).toBe(120_000n);
});

test('fault 45, bitcoin: a refund waits until median time past is above the locktime, and not at it', async () => {
  const world = newWorld();
  // Time stands still: each block may be one second after the median at least, and is no more.
  while (world.tip().mtp < world.clock.now() + 5) world.mine(1);
  const { scene, id, coin, terms } = await refunding(4, { world });
  while (world.tip().mtp < terms.refundLocktime) world.mine(1);
  expect(world.tip().mtp).toBe(terms.refundLocktime);
  await aWhile();
  expect([scene.events(id), world.spend(coin)]).toEqual([[], undefined]);
  while (world.tip().mtp === terms.refundLocktime) world.mine(1);
  await eventually(() => world.spend(coin) !== undefined, 'it is sent');
  world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
});

test('a refund by height is sent once the tip is at it, and no block earlier', async () => {
  const world = newWorld();
  const { hash } = termsOf(clientPublic, ours, 0);
  const refundHeight = world.tip().height + 4;
  const terms: HtlcTerms = {
    form: 'musig',
    hash,
    claimer: clientPublic,
    refunder: ours,
    provider: 'refunder',
    sizeGuard: true,
    refundHeight,
  };
  const coin = world.faucet(scriptOf(terms), amount) ?? expect.fail('the faucet has no coin');
  world.mine(1);
  const scene = await bitcoinScene({ world });
  const spend: Spend = {
    do: 'htlc.spend',
    purpose: 'refund',
    terms,
    script: scriptOf(terms),
    key: swapKey,
    coin,
    leastRate: 0,
    deadline: unix(world.tip().mtp + 8 * hour),
  };
  const id = scene.open({ spend }, [spend]);
  while (world.tip().height < refundHeight - 1) world.mine(1);
  await aWhile();
  expect([scene.events(id), world.spend(coin)]).toEqual([[], undefined]);
  world.mine(1);
  await eventually(() => world.spend(coin) !== undefined, 'it is sent');
  world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
});

test('fault 30, bitcoin: a fee rises with what the chain asks, in steps that grow towards the deadline', async () => {
  const opened = await claiming();
  const { scene, id } = opened;
  const { world } = scene;
  await eventually(() => feeOf(opened) > 0n, 'it is sent');
  world.setFeeRate(350);
  const paid: bigint[] = [];
  for (const most of [amount / 8n, amount / 4n, amount / 2n, amount]) {
    await eventually(() => feeOf(opened) > most / 2n, `more than half of ${most}`);
    await aWhile();
    paid.push(feeOf(opened));
    if (most < amount) world.advance(6.5 * hour);
  }
  const last = paid.pop() ?? 0n;
  expect(paid).toEqual([amount / 8n, amount / 4n, amount / 2n]);
  expect(last).toBeGreaterThan(350n * 140n);
  expect(last).toBeLessThan(amount);
  expect(scene.fees(id)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^claim prepared at 1 sats per vbyte by the estimate for \d+ blocks, \d+ of 60000 sats$/),
      expect.stringMatching(/^fee of 1 sats per vbyte to be raised to 350 sats per vbyte: the chain asks for more$/),
      expect.stringMatching(/^claim prepared at .*, 7500 of 60000 sats, the most that it may cost now$/),
    ]),
  );
});

test('fault 31, bitcoin: a source that always says one sat costs no claim: it is raised at every block', async () => {
  const estimates = { first: 1 };
  const opened = await claiming({ left: 3 * hour }, { estimates });
  const { scene, coin } = opened;
  const { world } = scene;
  await eventually(() => feeOf(opened) > 0n, 'it is sent');
  world.setFeeRate(20);
  for (let i = 0; i < 80 && world.spend(coin)?.height === null; i++) {
    const before = feeOf(opened);
    world.advance(660);
    if (world.spend(coin)?.height !== null) break;
    for (let looks = 0; looks < 100 && feeOf(opened) === before; looks++) await aWhile(20);
  }
  expect(world.spend(coin)?.height).toBeTypeOf('number');
});

test('fault 59, bitcoin: a source that says a hundred times too much costs an eighth at most, early', async () => {
  const opened = await claiming({}, { estimates: { first: 400 } });
  await eventually(() => feeOf(opened) > 0n, 'it is sent');
  await aWhile();
  expect(feeOf(opened)).toBe(amount / 8n);
});

test.each([10_000, Number.NaN, -1])(
  'fault 31, bitcoin: %d is no estimate, and a fee climbs from the relay floor instead',
  async (first) => {
    const opened = await claiming({}, { estimates: { first } });
    const { world } = opened.scene;
    world.setFeeRate(400);
    await eventually(() => feeOf(opened) > 0n, 'it is sent');
    const early = feeOf(opened);
    world.advance(9 * hour);
    await eventually(() => feeOf(opened) > 8n * early, 'it climbs');
    expect([early < 2n * 150n, feeOf(opened) < 60n * early]).toEqual([true, true]);
  },
);

test('fault 32, bitcoin: a claim that a rising minimum drove out pays more, whatever estimates say', async () => {
  const opened = await claiming({}, { estimates: { first: 1 } });
  const { scene, coin, id } = opened;
  await eventually(() => scene.world.spend(coin) !== undefined, 'it is sent');
  scene.world.setFeeRate(4);
  scene.world.setMempoolMinimum(4);
  expect(scene.world.spend(coin)).toBe(undefined);
  await eventually(() => scene.world.spend(coin) !== undefined, 'it is back');
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
});

test('fault 14, bitcoin: a claim that a reorganisation or an eviction took is sent again, at each depth', async () => {
  const opened = await claiming();
  const { scene, coin, id } = opened;
  const { world } = scene;
  await eventually(() => world.spend(coin) !== undefined, 'it is sent');
  const { txid } = world.spend(coin) ?? { txid: '' };
  for (const depth of [1, 2, 4, 5]) {
    world.mine(depth);
    world.reorg(depth, [txid]);
    await eventually(() => world.waiting(txid) !== undefined, 'it is sent again');
  }
  world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
});

describe('fault 13, bitcoin: a reorganisation took the coin of a claim out of every mempool', () => {
  /** The claim was sent, and what made its coin is gone with it. */
  async function lost(minimum = 0): Promise<Opened & { readonly txid: string }> {
    const opened = await claiming();
    const { scene, coin } = opened;
    const { world } = scene;
    await eventually(() => world.spend(coin) !== undefined, 'it is sent');
    const { txid } = world.spend(coin) ?? { txid: '' };
    world.setMempoolMinimum(minimum);
    if (minimum > 0) world.setFeeRate(minimum);
    world.reorg(1, [coin.txid, txid]);
    return { ...opened, txid };
  }

  test('it is sent again together with what made it', async () => {
    const { scene, coin, id, txid } = await lost();
    const { world } = scene;
    await eventually(() => world.spend(coin)?.txid === txid && world.waiting(coin.txid) !== undefined, 'both are back');
    world.mine(6);
    await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  });

  test('it pays for both where no mempool takes that for what it pays', async () => {
    const { scene, coin, id, txid } = await lost(6);
    const { world } = scene;
    await eventually(() => world.spend(coin) !== undefined, 'both are back');
    expect([
      world.spend(coin)?.txid === txid,
      (world.waiting(world.spend(coin)?.txid ?? '')?.fee ?? 0n) > 1_000n,
    ]).toEqual([false, true]);
    world.mine(6);
    await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  });
});

describe('fault 247, bitcoin: a funding that no mempool takes any more, when its coin is taken back', () => {
  /** Sent, and its child may cost so much. */
  async function funded(push: Sats) {
    const scene = await bitcoinScene();
    const { world } = scene;
    await scene.deposit(200_000);
    const terms = termsOf(clientPublic, ours, world.tip().mtp + 2 * hour);
    const lockBefore = unix(terms.refundLocktime - 600);
    const fund: Effect = {
      ...{ do: 'htlc.fund', script: scriptOf(terms), amount, mostFee: sats(5_000), lockBefore, scriptSince: 0 },
    };
    const id = scene.open({ push }, [fund]);
    await eventually(() => scene.rows(id).some(({ state }) => state === 'accepted'), 'it is sent');
    return { scene, terms, coin: { txid: scene.payment(id).txid, vout: 0 } };
  }

  function refund(scene: BitcoinScene, terms: TimeHtlcTerms, coin: Outpoint): string {
    const deadline = unix(terms.refundLocktime + 8 * hour);
    const spend: Spend = {
      ...{
        do: 'htlc.spend',
        purpose: 'refund',
        terms,
        script: scriptOf(terms),
        key: swapKey,
        coin,
        leastRate: 0,
        deadline,
      },
    };
    return scene.open({ spend }, [spend]);
  }

  /** Dropped by a minimum that neither it nor what may push it pays; its locktime has passed. */
  async function evicted(rates: { minimum: number; blocks: number }) {
    const { scene, terms, coin } = await funded(sats(1_000));
    const { world } = scene;
    world.setMempoolMinimum(rates.minimum);
    world.setFeeRate(rates.blocks);
    world.advance(3 * hour);
    expect(world.transaction(coin.txid)).toBe(undefined);
    return { scene, coin, id: refund(scene, terms, coin) };
  }

  test('both go together, and the refund pays for what the funding lacks at once', async () => {
    const { scene, coin, id } = await evicted({ minimum: 10, blocks: 15 });
    const { world } = scene;
    await eventually(() => world.spend(coin) !== undefined, 'the refund is sent');
    const [parent, child] = [coin.txid, world.spend(coin)?.txid ?? ''].map((txid) => world.waiting(txid));
    const size = (parent?.tx.vsize ?? 0) + (child?.tx.vsize ?? 0);
    const pays = Number((parent?.fee ?? 0n) + (child?.fee ?? 0n)) / size;
    expect([pays >= 15, pays < 16, scene.rows(id).length]).toEqual([true, true, 1]);
    world.mine(6);
    await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  });

  test('it pays for itself alone where a child of the change pays for the funding already', async () => {
    const { scene, terms, coin } = await funded(sats(20_000));
    const { world } = scene;
    world.setFeeRate(12);
    await eventually(() => world.spend({ ...coin, vout: 1 }) !== undefined, 'a child pays for the funding');
    // Blocks come, and leave both out.
    world.setFeeRate(400);
    world.advance(3 * hour);
    world.setFeeRate(12);
    expect(world.waiting(coin.txid)).not.toBe(undefined);
    const id = refund(scene, terms, coin);
    await eventually(() => world.spend(coin) !== undefined, 'the refund is sent');
    const own = world.waiting(world.spend(coin)?.txid ?? '');
    const pays = Number(own?.fee ?? 0n) / (own?.tx.vsize ?? 1);
    await aWhile(500);
    expect([pays >= 12, pays < 13, scene.rows(id).length]).toEqual([true, true, 1]);
  });

  test('it pays more for both where blocks are dearer', async () => {
    const { scene, coin } = await evicted({ minimum: 5, blocks: 5 });
    const { world } = scene;
    await eventually(() => world.spend(coin) !== undefined, 'the refund is sent');
    const first = world.spend(coin)?.txid;
    world.setFeeRate(12);
    await eventually(() => world.spend(coin)?.txid !== first, 'a dearer one is there');
    world.mine(1);
    expect(world.spend(coin)?.height).toBeTypeOf('number');
  });
});

test("the client's refund in the mempool ends no claim; buried, it does", async () => {
  const { scene, coin, id, terms } = await claiming({ left: -100 });
  const { world } = scene;
  await eventually(() => world.spend(coin) !== undefined, 'it is sent');
  const first = world.spend(coin)?.txid;
  const theirs = clientSpend(terms, { ...coin, amount }, { claim: false, rate: 60 });
  world.submit(theirs.bytes);
  await eventually(() => ![first, theirs.txid].includes(world.spend(coin)?.txid ?? ''), 'ours takes its place again');
  const { txid } = world.spend(coin) ?? { txid: '' };
  world.reorg(1, [txid]);
  world.include([theirs.bytes]);
  world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.refused', 'it is over');
  expect([scene.heard(id, 'onchain.refused')[0]?.why, new Set(scene.rows(id).map(({ state }) => state))]).toEqual([
    'spent',
    new Set(['dead']),
  ]);
});

test('fault 17, bitcoin: a refund is never sent against a claim, whatever that pays, and goes on after it', async () => {
  const { scene, coin, id, terms } = await refunding(2 * hour);
  const { world } = scene;
  const claim = clientSpend(terms, { ...coin, amount }, { claim: true, rate: 1 });
  world.submit(claim.bytes);
  world.setFeeRate(5);
  world.advance(3 * hour);
  await aWhile(1_000);
  expect([world.spend(coin)?.txid, scene.rows(id)]).toEqual([claim.txid, []]);
  world.reorg(1, [claim.txid]);
  await eventually(() => world.spend(coin) !== undefined, 'the refund is sent');
  const refund = world.spend(coin)?.txid ?? '';
  world.reorg(1, [refund]);
  world.submit(clientSpend(terms, { ...coin, amount }, { claim: true, rate: 1, to: elsewhere }).bytes);
  await aWhile(1_500);
  expect(world.spend(coin)?.txid).toBe(claim.txid);
  world.setFeeRate(1);
  world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.refused', 'it is over');
});

test('a refund waits while nobody can read whether the coin is being claimed', async () => {
  const lies: { spend?: BitcoinPort['spend'] } = {};
  const { scene, coin } = await refunding(-100, {
    lying: (port) => ({ spend: (outpoint) => (lies.spend ?? port.spend)(outpoint) }),
  });
  await eventually(() => scene.world.spend(coin) !== undefined, 'it is sent');
  const { txid } = scene.world.spend(coin) ?? { txid: '' };
  lies.spend = async () => ({ txid: 'ab'.repeat(32), height: null });
  scene.world.reorg(1, [txid]);
  await aWhile(1_000);
  const meanwhile = scene.world.spend(coin);
  delete lies.spend;
  await eventually(() => scene.world.spend(coin)?.txid === txid, 'it is sent again');
  expect(meanwhile).toBe(undefined);
});

test('fault 2, bitcoin: a process that dies at any call of the chain claims once, and forgets nothing', async () => {
  const world = newWorld();
  const images: string[] = [];
  const wrap = (port: BitcoinPort): Partial<BitcoinPort> =>
    Object.fromEntries(
      (['tip', 'spend', 'transaction', 'broadcast', 'feeRate', 'coins'] as const).map((call) => [
        call,
        async (...args: unknown[]) => {
          if (scene !== null && images.length < 200) images.push(scene.image());
          return (port[call] as (...all: unknown[]) => unknown)(...args);
        },
      ]),
    );
  let scene: BitcoinScene | null = null;
  const opened = await claiming({}, { world, lying: wrap });
  scene = opened.scene;
  await eventually(() => world.spend(opened.coin) !== undefined, 'it is sent');
  world.setFeeRate(7);
  await eventually(() => feeOf(opened) > 900n, 'it is raised');
  await opened.scene.stop();
  const every = Math.max(1, Math.floor(images.length / 12));
  for (const folder of images.filter((_, i) => i % every === 0)) {
    world.reorg(1, [world.spend(opened.coin)?.txid ?? '']);
    const next = await bitcoinScene({ world, folder });
    await eventually(() => world.spend(opened.coin) !== undefined, 'it is claimed');
    await next.stop();
  }
});
