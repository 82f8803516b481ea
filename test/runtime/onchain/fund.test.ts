import { describe, expect, test, vi } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { OnlyIf } from '../../../engine/legs/only-if.ts';
import type { Effect } from '../../../engine/swap/machine.ts';
import type { TimeHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { onchainFailure } from '../../../engine/legs/onchain/failures.ts';
import { arkadeFailure } from '../../../engine/legs/arkade/failures.ts';
import type { BitcoinPort } from '../../../engine/legs/onchain/port.ts';
import type { WalletCoin } from '../../../engine/legs/onchain/wallet-coin.ts';
import { noUnpaidCosts, type UnpaidCosts } from '../../../engine/runtime/unpaid.ts';
import { readTransaction } from '../../../engine/adapters/bitcoin/raw.ts';
import { feeReserve } from '../../../engine/quote/ceilings.ts';
import { bytesOf } from '../../../engine/quote/gas.ts';
import { openStore } from '../../store/support.ts';
import { bitcoinScene, newWorld, ours, swapKey, type BitcoinScene, type SceneOptions, type Script } from './scene.ts';
import { clientPublic, clientSpend, scriptOf, termsOf } from './support.ts';
import { eventually, patience } from './patience.ts';

vi.setConfig(patience);

const amount = sats(60_000);

function termsNow(world: BitcoinScene['world'], seconds = 6 * 3_600): TimeHtlcTerms {
  return termsOf(clientPublic, ours, world.tip().mtp + seconds);
}

const fundOf = (terms: TimeHtlcTerms, mostFee = 5_000n): Effect => ({
  do: 'htlc.fund',
  script: scriptOf(terms),
  amount,
  mostFee: sats(mostFee),
  lockBefore: unix(terms.refundLocktime - 600),
  scriptSince: 0,
});

/** A funding that waits in the mempool. */
async function waiting(
  scene: BitcoinScene,
  script: Script = {},
): Promise<{ id: string; terms: TimeHtlcTerms; txid: string }> {
  const terms = termsNow(scene.world);
  const id = scene.open(script, [fundOf(terms)]);
  await eventually(() => scene.heard(id, 'htlc.prepared').length > 0, 'it is prepared');
  const { txid } = scene.payment(id);
  await eventually(() => scene.world.waiting(txid) !== undefined, 'it is sent');
  return { id, terms, txid };
}

const childOf = ({ world }: BitcoinScene, txid: string) => world.spend({ txid, vout: 1 })?.txid;
const notAfter = (world: BitcoinScene['world'], seconds: number): OnlyIf => ({
  notAfter: unix(world.clock.now() + seconds),
});

type Broadcast = Effect & { do: 'onchain.broadcast' };

/** The same database, whose funding is sent in another way. */
function sentAs(folder: string, id: string, change: (effect: Broadcast) => Broadcast): string {
  const { store, db } = openStore(folder);
  for (const row of store.effects.waiting()) {
    if (row.subject !== id || row.effect.do !== 'onchain.broadcast') continue;
    store.effects.done(row.id);
    store.effects.insert(id, change(row.effect), 0);
  }
  db.close();
  return folder;
}

/** The same, not after that moment. */
function withCondition(folder: string, id: string, moment: number, coin: WalletCoin | undefined): string {
  if (coin === undefined) throw new Error('a funding spends a coin');
  const cancel = { coin, holds: amount, by: unix(moment) };
  return sentAs(folder, id, (effect) => ({ ...effect, onlyIf: { notAfter: unix(moment) }, cancel }));
}

test('fault 32, bitcoin: a funding spends confirmed coins, and leaves change that can push it', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(100_000, 80_000);
  const { id, txid, terms } = await waiting(scene);
  const tx = scene.world.waiting(txid)?.tx;
  const { coins, change, fee } = scene.payment(id);
  expect({
    coins: coins.map((coin) => coin.amount),
    sequences: tx?.inputs.map(({ sequence }) => sequence),
    outputs: tx?.outputs.map(({ amount: value }) => value),
    script: tx?.outputs[0]?.script,
    rows: scene.rows(id),
    reserved: scene.store.transactions.reservedCoins(),
  }).toEqual({
    coins: [100_000n],
    sequences: [0xfffffffe],
    outputs: [amount, 100_000n - amount - fee],
    script: scriptOf(terms),
    rows: [{ txid, purpose: 'fund', state: 'accepted', replaces: null }],
    reserved: coins.map(({ outpoint }) => outpoint),
  });
  expect(change?.amount).toBeGreaterThanOrEqual(feeReserve);
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  expect([scene.heard(id, 'onchain.final')[0]?.fee, scene.rows(id)[0]?.state]).toEqual([fee, 'final']);
});

test('fault 67, bitcoin: a funding is counted with its refund, and the next one is refused', async () => {
  const counted = new Map<string, bigint>();
  const most = 290n;
  const scene = await bitcoinScene({
    unpaid: {
      ready: async () => undefined,
      full: () => ([...counted.values()].reduce((sum, one) => sum + one, 0n) >= most ? 'it is used up' : null),
      relayFull: () => null,
      charged: () => null,
      paysRelay: () => false,
      note: ({ swap, network, place, amount: cost }) => void counted.set(`${swap} ${network} ${place}`, cost),
    },
  });
  await scene.deposit(100_000, 100_000, 100_000);
  const { id, txid, terms } = await waiting(scene);
  const { fee } = scene.payment(id);
  expect([...counted]).toEqual([
    [`${id} bitcoin fund`, fee],
    [`${id} bitcoin refund to come`, BigInt(bytesOf.refund)],
  ]);
  const refused = scene.open({}, [fundOf(termsNow(scene.world, 7 * 3_600))]);
  await eventually(() => scene.heard(refused, 'htlc.refused').length > 0, 'the second one is refused');
  expect(scene.heard(refused, 'htlc.refused')[0]?.reason).toBe('it is used up');
  scene.world.mine(1);
  expect([scene.world.coinsOf(scriptOf(terms)).length, scene.store.transactions.byId(txid)?.state]).toEqual([
    1,
    'accepted',
  ]);
});

test('fault 287, bitcoin: who pays for a funding is asked before it is judged, while time is left', async () => {
  let answers = false;
  let isReady = false;
  const unpaid: UnpaidCosts = {
    ...noUnpaidCosts,
    async ready() {
      if (!answers) throw arkadeFailure('not-connected', 'safe', 'the operator is away');
      isReady = true;
    },
    full: () => (isReady ? null : 'it is used up'),
  };
  const scene = await bitcoinScene({ unpaid });
  await scene.deposit(100_000);
  const late = termsNow(scene.world);
  const refused = scene.open({}, [{ ...fundOf(late), lockBefore: unix(scene.world.tip().mtp - 1) } as Effect]);
  await eventually(() => scene.heard(refused, 'htlc.refused').length > 0, 'no time is left for an answer');
  const id = scene.open({}, [fundOf(termsNow(scene.world))]);
  await eventually(() => (scene.store.effects.waitingFor('htlc.fund')[0]?.attempts ?? 0) > 0, 'it waits');
  expect(scene.heard(id, 'htlc.refused')).toEqual([]);
  answers = true;
  await eventually(() => scene.heard(id, 'htlc.prepared').length > 0, 'it is prepared');
});

test('fault 44, bitcoin: a wallet without what later fees may need funds nothing', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(60_000 + Number(feeReserve));
  const poor = scene.open({}, [fundOf(termsNow(scene.world))]);
  await eventually(() => scene.at(poor) === 'over: htlc.refused', 'it is refused');
  expect(scene.heard(poor, 'htlc.refused')[0]?.reason).toMatch(/60000 and 25000 for later fees are needed/);
  expect([scene.world.mempool().length, scene.store.transactions.reservedCoins()]).toEqual([0, []]);
});

/** A funding that was tried once, and costs more than it may now. */
async function tooDear(coin = 200_000, unpaid: UnpaidCosts = noUnpaidCosts) {
  const scene = await bitcoinScene({ unpaid });
  await scene.deposit(coin);
  scene.world.setFeeRate(50);
  const id = scene.open({}, [fundOf(termsNow(scene.world))]);
  const refused = () => scene.heard(id, 'htlc.refused');
  const isTried = () => (scene.store.effects.waitingFor('htlc.fund')[0]?.attempts ?? 0) > 0;
  await eventually(() => isTried() || refused().length > 0, 'it is tried');
  expect([refused(), scene.world.mempool().length, scene.store.transactions.reservedCoins()]).toEqual([[], 0, []]);
  return { scene, id, refused };
}

test('fault 361, bitcoin: a funding that is too dear at one moment waits for a cheaper one', async () => {
  const { scene, id } = await tooDear();
  scene.world.setFeeRate(2);
  await eventually(() => scene.heard(id, 'htlc.prepared').length > 0, 'it is prepared');
});

test('fault 361, bitcoin: one that is too dear for what strangers may cost waits as well', async () => {
  const unpaid: UnpaidCosts = {
    ...noUnpaidCosts,
    full: (_, __, cost) => ((cost ?? 0n) > 2_000n ? 'it is used up' : null),
  };
  const { scene, id } = await tooDear(200_000, unpaid);
  scene.world.setFeeRate(2);
  await eventually(() => scene.heard(id, 'htlc.prepared').length > 0, 'it is prepared');
});

test('fault 361, bitcoin: a funding makes no coin for one that waits for a cheaper block', async () => {
  const { scene } = await tooDear(2_000_000);
  const id = scene.open({}, [fundOf(termsNow(scene.world), 50_000n)]);
  await eventually(() => scene.heard(id, 'htlc.prepared').length > 0, 'it is prepared');
  const { txid } = scene.payment(id);
  await eventually(() => scene.world.waiting(txid) !== undefined, 'it is sent');
  expect(scene.world.transaction(txid)?.tx.outputs.length).toBe(2);
});

test('fault 361, bitcoin: a funding that stays too dear is refused once too little time is left', async () => {
  const { scene, id, refused } = await tooDear();
  scene.world.advance(6 * 3_600);
  await eventually(() => refused().length > 0, 'it is refused');
  expect([refused()[0]?.reason, scene.rows(id)]).toEqual(['too little time was left when its coins were there', []]);
});

test.each([
  ['ten thousand times too high', { first: 10_000, second: 2 }, 6],
  ['zero', { first: 0 }, 1],
  ['no number', { first: NaN }, 1],
])('fault 59, bitcoin: an estimate that is %s makes no other funding', async (_, estimates, most) => {
  const scene = await bitcoinScene({ estimates });
  await scene.deposit(200_000);
  const { id } = await waiting(scene);
  expect(scene.payment(id).rate).toBeGreaterThanOrEqual(1);
  expect(scene.payment(id).rate).toBeLessThanOrEqual(most + 0.1);
});

test('fault 56, bitcoin: the change of a funding is counted while it waits, and by the next start too', async () => {
  const world = newWorld();
  const scene = await bitcoinScene({ world });
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene);
  const { fee } = scene.payment(id);
  const change = 200_000n - amount - fee;
  const held = async ({ wallet, store }: BitcoinScene) => {
    const { available, pending } = await wallet.balance(store.transactions.reservedCoins());
    return { available, pending };
  };
  const before = await held(scene);
  await scene.stop();
  const next = await bitcoinScene({ world, folder: scene.folder });
  const after = await held(next);
  world.mine(6);
  await eventually(() => next.at(id) === 'over: onchain.final', 'it is buried');
  expect([before, after, await held(next)]).toEqual([
    { available: 0n, pending: change },
    { available: 0n, pending: change },
    { available: change, pending: 0n },
  ]);
  // And by a wallet that knows nothing but the seed and how far its keys go.
  expect(await next.wallet.balance([{ txid, vout: 0 }])).toMatchObject({ available: change, pending: 0n });
});

test('two fundings at once take different coins', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(100_000, 100_000);
  const ids = [1, 2].map((hours) => scene.open({}, [fundOf(termsNow(scene.world, hours * 3_600))]));
  await eventually(() => scene.world.mempool().length === 2, 'both are sent');
  const [one, two] = ids.map((id) => scene.payment(id).coins[0]?.outpoint);
  expect(one).not.toEqual(two);
});

test('a coin of the amount that lies at the HTLC already is not paid a second time', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const terms = termsNow(scene.world);
  scene.world.faucet(scriptOf(terms), amount);
  const id = scene.open({}, [fundOf(terms)]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([scene.at(id), scene.rows(id)]).toEqual(['open', []]);
});

test('fault 96, bitcoin: a funding whose script nobody lists has an end, and pays nothing', async () => {
  const scene = await bitcoinScene({
    lying: () => ({
      coins: () => Promise.reject(onchainFailure('bitcoin-away', 'safe', 'too many coins at one script')),
    }),
  });
  const late = { ...fundOf(termsNow(scene.world)), lockBefore: unix(1) } as Effect;
  const id = scene.open({}, [late]);
  await eventually(() => scene.heard(id, 'htlc.refused').length > 0, 'it is refused');
  expect([scene.heard(id, 'htlc.refused')[0]?.unsure, scene.rows(id)]).toEqual([true, []]);
});

test('a funding that waits is pushed by its child, and the child is replaced, never the funding', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene);
  scene.world.setFeeRate(12);
  await eventually(() => childOf(scene, txid) !== undefined, 'a child pays for it');
  const first = childOf(scene, txid);
  scene.world.setFeeRate(40);
  await eventually(() => childOf(scene, txid) !== first, 'the child pays more');
  const second = childOf(scene, txid) ?? '';
  const family = [txid, second].map((one) => scene.world.waiting(one));
  const [fee, size] = [
    family.reduce((sum, entry) => sum + Number(entry?.fee), 0),
    family.reduce((sum, entry) => sum + (entry?.tx.vsize ?? 0), 0),
  ];
  expect(fee / size).toBeGreaterThanOrEqual(40);
  expect(fee / size).toBeLessThan(41);
  expect(scene.rows(id)).toEqual(
    expect.arrayContaining([
      { txid, purpose: 'fund', state: 'accepted', replaces: null },
      { txid: first, purpose: 'push', state: 'accepted', replaces: null },
      { txid: second, purpose: 'push', state: 'accepted', replaces: first },
    ]),
  );
  expect(scene.fees(id).slice(1)).toEqual([
    expect.stringMatching(
      /^funding pushed to 12(\.\d)? sats per vbyte by a child for \d+ sats: the chain asks for more$/,
    ),
    expect.stringMatching(
      /^funding pushed to 40(\.\d)? sats per vbyte by a child for \d+ sats: the chain asks for more$/,
    ),
  ]);
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  expect([scene.heard(id, 'onchain.final')[0]?.fee, scene.store.transactions.reservedCoins()]).toEqual([
    BigInt(fee),
    [],
  ]);
  expect(scene.rows(id).map(({ txid: one, state }) => [one, state])).toEqual(
    expect.arrayContaining([
      [txid, 'final'],
      [first, 'dead'],
      [second, 'final'],
    ]),
  );
});

test('fault 109, bitcoin: a child that was just signed is given its time, though the wall was set back', async () => {
  let [skew, blocks] = [0, 0];
  const scene = await bitcoinScene({
    skew: () => skew,
    lying: ({ tip }) => ({ tip: async () => ({ ...(await tip()), height: (await tip()).height + blocks }) }),
  });
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene);
  [skew, blocks] = [-86_400, 10];
  await eventually(() => childOf(scene, txid) !== undefined, 'a child pays for it');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(scene.rows(id).filter(({ purpose }) => purpose === 'push').length).toBe(1);
});

test('fault 48, bitcoin: a child takes no more than it may, whatever the chain asks', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene, { push: sats(3_000) });
  scene.world.setFeeRate(400);
  await eventually(() => childOf(scene, txid) !== undefined, 'a child pays what it may');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const child = scene.world.waiting(childOf(scene, txid) ?? '');
  expect([child?.fee, scene.rows(id).length]).toEqual([3_000n, 2]);
});

test('what pushed a funding is booked with it, though it is mined long after', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene, { push: sats(3_000) });
  scene.world.setFeeRate(400);
  await eventually(() => childOf(scene, txid) !== undefined, 'a child pays what it may');
  const child = childOf(scene, txid) ?? '';
  scene.world.include([scene.world.waiting(txid)!.tx.bytes]);
  scene.world.mine(6);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([scene.at(id), scene.world.waiting(child)?.fee]).toEqual(['sending', 3_000n]);
  scene.world.setFeeRate(1);
  scene.world.mine(1);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'both are in blocks');
  expect([
    scene.heard(id, 'onchain.final')[0]?.fee,
    scene
      .rows(id)
      .map(({ txid: one, state }) => [one, state])
      .toSorted(),
  ]).toEqual([
    scene.payment(id).fee + 3_000n,
    [
      [txid, 'final'],
      [child, 'final'],
    ].toSorted(),
  ]);
});

test('a funding that the mempool dropped is sent again, and with its child where the minimum rose', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const { txid } = await waiting(scene);
  scene.world.reorg(1, [txid]);
  await eventually(() => scene.world.waiting(txid) !== undefined, 'it is sent again');
  scene.world.setFeeRate(9);
  await eventually(() => childOf(scene, txid) !== undefined, 'a child pays for it');
  const child = childOf(scene, txid) ?? '';
  scene.world.reorg(1, [txid, child]);
  await eventually(() => childOf(scene, txid) === child, 'both are sent again');
});

test.each([
  ['an honest estimate', {}],
  ['an estimate that never rises', { first: 1 }],
])(
  'fault 32, bitcoin: a funding that a rising minimum drove out comes back with a child, by %s',
  async (_, estimates) => {
    const scene = await bitcoinScene({ estimates });
    await scene.deposit(200_000);
    const { id, txid } = await waiting(scene);
    scene.world.setFeeRate(8);
    scene.world.setMempoolMinimum(8);
    expect(scene.world.waiting(txid)).toBe(undefined);
    await eventually(() => scene.world.waiting(txid) !== undefined, 'it is back');
    expect(childOf(scene, txid)).toBeTypeOf('string');
    scene.world.mine(6);
    await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
  },
  30_000,
);

test.each([1, 3, 5])(
  'fault 14, bitcoin: a reorganisation of a funding %i deep mines the same one again, once',
  async (depth) => {
    const scene = await bitcoinScene();
    await scene.deposit(200_000);
    const { id, txid, terms } = await waiting(scene);
    scene.world.mine(depth);
    scene.world.reorg(depth, [txid]);
    await eventually(() => scene.world.waiting(txid) !== undefined, 'it is sent again');
    scene.world.mine(6);
    await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
    expect(scene.world.coinsOf(scriptOf(terms)).map(({ outpoint }) => outpoint)).toEqual([{ txid, vout: 0 }]);
  },
);

test('too late before it was ever sent, it never is, and its coins are free', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const id = scene.open({ onlyIf: notAfter(scene.world, -1) }, [fundOf(termsNow(scene.world))]);
  await eventually(() => scene.at(id) === 'over: onchain.refused', 'it is refused');
  const [refused] = scene.heard(id, 'onchain.refused');
  expect([
    refused?.why,
    scene.world.mempool(),
    scene.rows(id)[0]?.state,
    scene.store.transactions.reservedCoins(),
  ]).toEqual(['late', [], 'dead', []]);
});

test('fault 1, bitcoin: a process that dies while it sends has not sent it twice, nor forgotten it', async () => {
  const world = newWorld();
  const images: string[] = [];
  const scene: BitcoinScene = await bitcoinScene({
    world,
    lying: (port) => ({
      async broadcast(bytes) {
        images.push(scene.image());
        const answer = await port.broadcast(bytes);
        images.push(scene.image());
        return answer;
      },
    }),
  });
  await scene.deposit(200_000);
  const { id, txid, terms } = await waiting(scene, { onlyIf: notAfter(world, 3_600) });
  await eventually(() => images.length >= 2, 'two moments');
  await scene.stop();
  for (const folder of images.slice(0, 2)) {
    world.reorg(1, [txid]);
    const next = await bitcoinScene({ world, folder });
    await eventually(() => world.waiting(txid) !== undefined, 'the same one is sent');
    await next.stop();
  }
  world.mine(6);
  const last = await bitcoinScene({ world, folder: images[1] ?? '' });
  await eventually(() => last.at(id) === 'over: onchain.final', 'it is buried');
  expect(world.coinsOf(scriptOf(terms)).length).toBe(1);
});

test('one that may have been sent, that nobody shows and that is late by now has its coin taken back', async () => {
  const world = newWorld();
  const lost = async (): Promise<never> => {
    image ??= scene.image();
    throw new Error('the process dies here');
  };
  let image: string | null = null;
  const scene: BitcoinScene = await bitcoinScene({ world, lying: () => ({ broadcast: lost }) });
  await scene.deposit(200_000);
  const terms = termsNow(world);
  const id = scene.open({ onlyIf: notAfter(world, 3_600) }, [fundOf(terms)]);
  await eventually(() => image !== null, 'it was about to be sent');
  await scene.stop();
  world.advance(4_000);
  const late = await bitcoinScene({ world, folder: image ?? '' });
  await eventually(() => world.mempool().length === 1, 'its coin is on the way home');
  const { txid, coins } = late.payment(id);
  const cancel = world.spend(coins[0]?.outpoint ?? { txid: '', vout: 0 })?.txid;
  expect([cancel === txid, late.at(id), world.coinsOf(scriptOf(terms))]).toEqual([false, 'sending', []]);
  world.mine(6);
  await eventually(() => late.at(id) === 'over: onchain.refused', 'it is over');
  expect([
    late.heard(id, 'onchain.refused')[0]?.why,
    late
      .rows(id)
      .map(({ purpose, state }) => [purpose, state])
      .toSorted(),
    late.store.transactions.reservedCoins(),
    late.store.ledger.of(id).map(({ kind }) => kind),
  ]).toEqual([
    'late',
    [
      ['cancel', 'final'],
      ['fund', 'dead'],
    ],
    [],
    ['network-fee-paid'],
  ]);
});

describe('fault 248, bitcoin: a funding that came too late and may be out', () => {
  /** Its coin is on the way home, and the client has back what it gave after so many seconds. */
  async function cancelling(
    left: number,
    {
      change = (effect) => effect,
      feeRate = 1,
      lying,
    }: { change?: (effect: Broadcast) => Broadcast; feeRate?: number } & Pick<SceneOptions, 'lying'> = {},
  ): Promise<{ late: BitcoinScene; id: string; cancel: () => string | undefined }> {
    const world = newWorld();
    const lost = async (): Promise<never> => {
      image ??= scene.image();
      throw new Error('the process dies here');
    };
    let image: string | null = null;
    const scene: BitcoinScene = await bitcoinScene({ world, lying: () => ({ broadcast: lost }) });
    await scene.deposit(200_000);
    const onlyIf = notAfter(world, 3_600);
    const cancelBy = unix(world.clock.now() + 4_000 + left);
    const id = scene.open({ onlyIf, cancelBy }, [fundOf(termsNow(world))]);
    await eventually(() => image !== null, 'it was about to be sent');
    await scene.stop();
    world.advance(4_000);
    world.setFeeRate(feeRate);
    const folder = sentAs(image ?? '', id, change);
    const late = await bitcoinScene({ world, folder, ...(lying === undefined ? {} : { lying }) });
    const [coin] = late.payment(id).coins;
    const cancel = () => world.spend(coin?.outpoint ?? { txid: '', vout: 0 })?.txid;
    await eventually(() => cancel() !== undefined, 'its coin is on the way home');
    return { late, id, cancel };
  }

  test('its coin is taken back at a higher fee where blocks are dearer', async () => {
    const { late, id, cancel } = await cancelling(12 * 3_600);
    const { world } = late;
    const first = cancel();
    world.setFeeRate(30);
    await eventually(() => cancel() !== first, 'a dearer one is there');
    world.mine(6);
    await eventually(() => late.at(id) === 'over: onchain.refused', 'it is over');
    expect(
      late
        .rows(id)
        .map(({ purpose, state }) => [purpose, state])
        .toSorted(),
    ).toEqual([
      ['cancel', 'dead'],
      ['cancel', 'final'],
      ['fund', 'dead'],
    ]);
  });

  test('an effect of before says nothing of its coin, which is taken back, and dearer where blocks are', async () => {
    const change = ({ cancel: _, ...effect }: Broadcast): Broadcast => effect;
    const { late, id, cancel } = await cancelling(12 * 3_600, { change });
    const { world } = late;
    const first = cancel();
    world.setFeeRate(30);
    await eventually(() => cancel() !== first, 'a dearer one is there');
    world.mine(6);
    await eventually(() => late.at(id) === 'over: onchain.refused', 'it is over');
  });

  test('its coin costs no more than the funding holds, however much the coin does', async () => {
    const change = ({ cancel: of, ...effect }: Broadcast): Broadcast =>
      of === undefined ? effect : { ...effect, cancel: { ...of, holds: sats(400) } };
    const { late, cancel } = await cancelling(1_800, { change, feeRate: 300 });
    const { world } = late;
    expect(world.waiting(cancel() ?? '')?.fee).toBe(111n);
    world.advance(1_500);
    await eventually(() => (world.waiting(cancel() ?? '')?.fee ?? 0n) === 400n, 'it pays all of it');
  });

  test('what takes its coin back is sent again, and made no other, while nobody says what spends it', async () => {
    let unread = false;
    const away = () => Promise.reject(onchainFailure('bitcoin-away', 'safe', 'no source answers'));
    const { late, id, cancel } = await cancelling(12 * 3_600, {
      lying: (port) => ({ spend: (...ask) => (unread ? away() : port.spend(...ask)) }),
    });
    const { world } = late;
    const first = cancel() ?? '';
    unread = true;
    world.setFeeRate(30);
    world.reorg(1, [first]);
    await eventually(() => cancel() === first, 'the same one is there again');
    expect(late.rows(id).filter(({ purpose }) => purpose === 'cancel').length).toBe(1);
    unread = false;
    await eventually(() => ![undefined, first].includes(cancel()), 'a dearer one is there');
  });

  test('no ceiling keeps its coin out of a block once the client has back its own', async () => {
    const { late, cancel } = await cancelling(1_800);
    const { world } = late;
    world.setFeeRate(300);
    await eventually(() => (world.waiting(cancel() ?? '')?.fee ?? 0n) === 7_500n, 'it pays an eighth of it');
    world.advance(1_500);
    await eventually(() => (world.waiting(cancel() ?? '')?.fee ?? 0n) > 30_000n, 'it pays more than half of it');
  });
});

test('in a restored database nothing is funded that may have been, and what is there is told of', async () => {
  const world = newWorld();
  const images: string[] = [];
  const scene: BitcoinScene = await bitcoinScene({
    world,
    lying: (port) => ({
      async feeRate(blocks) {
        images.push(scene.image());
        return port.feeRate(blocks);
      },
    }),
  });
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene);
  await scene.stop();
  world.reorg(1, [txid]);
  const next = await bitcoinScene({ world, folder: images[0] ?? '', restored: true });
  await eventually(() => next.at(id) === 'over: htlc.refused', 'it is refused');
  expect([next.heard(id, 'htlc.refused')[0]?.unsure, world.waiting(txid), next.rows(id)]).toEqual([
    true,
    undefined,
    [],
  ]);
});

test('fault 5: what a restored wallet paid an HTLC with is found behind its coins, though it is claimed', async () => {
  const world = newWorld();
  const scene = await bitcoinScene({ world });
  await scene.deposit(400_000);
  const folder = scene.image();
  const since = world.tip().height;
  const { txid, terms } = await waiting(scene);
  world.mine(6);
  // The change pays for another one, and that one's for a third: only the last of it lies in the wallet.
  for (const hours of [1, 2]) {
    const id = scene.open({}, [fundOf(termsNow(world, hours * 3_600))]);
    await eventually(() => scene.heard(id, 'htlc.prepared').length > 0, 'it is prepared');
    await eventually(() => world.mempool().length > 0, 'it is sent');
    world.mine(6);
  }
  world.submit(clientSpend(terms, { txid, vout: 0, amount }, { claim: true }).bytes);
  world.mine(6);
  await scene.stop();
  const next = await bitcoinScene({ world, folder, restored: true });
  const payment = next.wallet.paymentTo(scriptOf(terms), amount, since);
  const others = [
    next.wallet.paymentTo(scriptOf(terms), sats(amount - 1n), since),
    next.wallet.paymentTo(scriptOf(terms), amount, world.tip().height),
  ];
  expect([await payment, ...(await Promise.all(others))]).toEqual([{ txid, vout: 0 }, null, null]);
});

test.each(['on the chain', 'nowhere'])(
  'a restored database takes a funding that it never sent for sent: %s',
  async (where) => {
    const world = newWorld();
    const images: string[] = [];
    const scene: BitcoinScene = await bitcoinScene({
      world,
      lying: (port) => ({
        async broadcast(bytes) {
          images.push(scene.image());
          return port.broadcast(bytes);
        },
      }),
    });
    await scene.deposit(200_000);
    // Without a condition the moment before it is sent leaves no note.
    const { id, txid } = await waiting(scene);
    const [coin] = scene.payment(id).coins;
    await scene.stop();
    const image = images[0] ?? '';
    if (where === 'on the chain') world.mine(1);
    else world.reorg(1, [txid]);
    const next = await bitcoinScene({
      world,
      folder: withCondition(image, id, world.clock.now() - 10, coin),
      restored: true,
    });
    if (where === 'on the chain') {
      world.mine(5);
      await eventually(() => next.at(id) === 'over: onchain.final', 'it is buried');
      return;
    }
    await eventually(() => world.spend(next.payment(id).coins[0]!.outpoint) !== undefined, 'its coin is taken back');
    expect([world.waiting(txid), next.at(id)]).toEqual([undefined, 'sending']);
  },
);

test('one that was sent in time goes on though it is late by now', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene, { onlyIf: notAfter(scene.world, 3_600) });
  scene.world.setFeeRate(30);
  scene.world.advance(4_000);
  await eventually(() => childOf(scene, txid) !== undefined, 'a child pays for it');
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'it is buried');
});

test('what was sent before is not dead because somebody refuses it now', async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene);
  scene.world.refuseAll('bad-txns-inputs-duplicate');
  scene.world.reorg(1, [txid]);
  await eventually(() => scene.flag(id) !== null, 'the owner is told');
  expect([scene.at(id), scene.rows(id)[0]?.state]).toEqual(['sending', 'accepted']);
  scene.world.refuseAll(null);
  await eventually(() => scene.world.waiting(txid) !== undefined, 'it is sent again');
});

test("fault 15, bitcoin: the client's claim, our funding and its child are kept until the claim is buried", async () => {
  const scene = await bitcoinScene();
  await scene.deposit(200_000);
  const terms = termsNow(scene.world);
  const watches = [
    {
      on: 'htlc',
      terms,
      script: scriptOf(terms),
      since: scene.world.tip().height,
      agreed: { least: sats(0), most: sats(0) },
      coins: [],
    },
  ] as const;
  const id = scene.open({ resends: amount, watches }, [fundOf(terms)]);
  await eventually(() => scene.world.mempool().length === 1, 'it is sent');
  const { txid } = scene.payment(id);
  scene.world.setFeeRate(15);
  await eventually(() => childOf(scene, txid) !== undefined, 'a child pays for it');
  const child = childOf(scene, txid) ?? '';
  const claim = clientSpend(terms, { txid, vout: 0, amount }, { claim: true });
  scene.world.submit(claim.bytes);
  await eventually(() => scene.at(id) === 'resending', 'the claim is seen');
  scene.world.reorg(1, [txid, child, claim.txid]);
  await eventually(
    () => [txid, child, claim.txid].every((one) => scene.world.waiting(one) !== undefined),
    'all are back',
  );
  scene.world.setFeeRate(1);
  scene.world.mine(3);
  scene.world.reorg(3, [claim.txid]);
  await eventually(() => scene.world.transaction(claim.txid) !== undefined, 'the claim is back');
  scene.world.mine(6);
  await eventually(() => scene.at(id) === 'over: onchain.final', 'the claim is buried');
  const fees = [txid, child].reduce((sum, one) => {
    const { inputs, outputs } = scene.world.transaction(one)!.tx;
    const into = inputs.reduce(
      (all, { spends }) => all + scene.world.transaction(spends.txid)!.tx.outputs[spends.vout]!.amount,
      0n,
    );
    return sum + into - outputs.reduce((all, output) => all + output.amount, 0n);
  }, 0n);
  expect([scene.heard(id, 'onchain.final')[0]?.fee, scene.rows(id).map(({ state }) => state)]).toEqual([
    fees,
    ['final', 'final'],
  ]);
});

test('fault 49, bitcoin: a source that says a coin of the funding is spent ends nothing', async () => {
  const lies: Partial<BitcoinPort> = {};
  const world = newWorld();
  const scene = await bitcoinScene({
    world,
    lying: (port) => ({ spend: (outpoint) => (lies.spend ?? port.spend)(outpoint) }),
  });
  await scene.deposit(200_000);
  const { id, txid } = await waiting(scene);
  lies.spend = async () => ({ txid: 'ab'.repeat(32), height: null });
  world.reorg(1, [txid]);
  await eventually(() => world.waiting(txid) !== undefined, 'it is sent again');
  expect([scene.at(id), readTransaction(world.waiting(txid)!.tx.bytes).txid]).toEqual(['sending', txid]);
});

test('fault 130, bitcoin: a funding is over once its coin was unmade for good', async () => {
  const world = newWorld();
  const theirs = termsOf(ours, clientPublic, world.tip().mtp + 24 * 3_600);
  const coin = world.faucet(scriptOf(theirs), sats(120_000));
  if (coin === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const scene = await bitcoinScene({ world });
  const script = scriptOf(theirs);
  const deadline = theirs.refundLocktime;
  const spend = {
    do: 'htlc.spend',
    purpose: 'claim',
    terms: theirs,
    script,
    key: swapKey,
    coin,
    leastRate: 0,
    deadline,
  } as const;
  const claim = scene.open({ spend }, [spend], 'the secret');
  await eventually(() => world.spend(coin) !== undefined, 'it is claimed');
  const first = world.spend(coin)?.txid ?? '';
  world.mine(1);
  const { id, txid } = await waiting(scene);
  expect(scene.payment(id).coins.map(({ outpoint }) => outpoint.txid)).toEqual([first]);
  world.reorg(1, [first, txid]);
  world.setMempoolMinimum(8);
  await eventually(() => ![undefined, first].includes(world.spend(coin)?.txid), 'another claim takes its place');
  world.setMempoolMinimum(1);
  world.mine(6);
  await eventually(() => scene.at(claim) === 'over: onchain.final', 'that is buried');
  await eventually(() => scene.at(id) === 'over: onchain.refused', 'the funding is over');
  expect([
    scene.heard(id, 'onchain.refused')[0]?.why,
    scene.rows(id).map(({ purpose, state }) => [purpose, state]),
    scene.store.transactions.reservedCoins(),
  ]).toEqual(['spent', [['fund', 'dead']], []]);
});
