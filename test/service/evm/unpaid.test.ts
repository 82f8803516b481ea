import { expect, test } from 'vitest';
import type { Network } from '../../../engine/domain/chain.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { isRefusal, type Refusal } from '../../../engine/domain/errors.ts';
import { btc, sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { newTx } from '../../../engine/legs/psbt.ts';
import { arkadeBitcoinDirection } from '../../../engine/service/directions/arkade-bitcoin.ts';
import { arkadeEvmDirection } from '../../../engine/service/directions/arkade-evm.ts';
import { evmBitcoinDirection } from '../../../engine/service/directions/evm-bitcoin.ts';
import { lightningArkadeDirection } from '../../../engine/service/directions/lightning-arkade.ts';
import { lightningEvmDirection } from '../../../engine/service/directions/lightning-evm.ts';
import { onChain, type Direction, type SwapClaim } from '../../../engine/service/directions/direction.ts';
import { accountName } from '../../../engine/service/evm/paying.ts';
import { createUnpaid } from '../../../engine/service/evm/unpaid.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import type { Committed } from '../../../engine/runtime/committed.ts';
import type { AnyMachine, Entry } from '../../../engine/runtime/working-set.ts';
import type { OpenCreate } from '../../../engine/service/create/open-creates.ts';
import type { SwapRow } from '../../../engine/store/swaps.ts';
import { openStore, swapRow } from '../../store/support.ts';
import { refundToCome, relayToCome } from '../../../engine/store/outlays.ts';

const network = 'evm:137';
const now = 1_760_500_000;
const account = (byte: number) => asEvmAddress(new Uint8Array(20).fill(byte));
const arkadeEvm = onChain(arkadeEvmDirection, network);
const evmBitcoin = onChain(evmBitcoinDirection, network);

/** A payment on Arkade out of the coins of one wallet. */
function paymentOf(wallet: number): { txid: string; bytes: Uint8Array } {
  const tx = newTx({ version: 3, lockTime: 0 });
  const script = Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(wallet));
  tx.addInput({ txid: '11'.repeat(32), index: wallet, witnessUtxo: { script, amount: 1_000n } });
  tx.addOutput({ script, amount: 1_000n });
  return { txid: tx.id, bytes: tx.toPSBT() };
}

/** A node with a thousand sats a day for what brings no fee: strangers have 500, one of them 125. */
function node(folder?: string) {
  const { store, db, folder: dataDir } = openStore(folder);
  const entries = new Map<string, Entry>();
  const payments = [1, 2].map(paymentOf);
  let listener: (committed: Committed) => void = () => undefined;
  const questions: string[] = [];
  const working: Promise<unknown>[] = [];
  const machine = { reserves: ({ at }: { readonly at: string }) => at === 'waiting' } as AnyMachine;
  const find = (id: string): Entry | null => {
    const row = store.swaps.byId(id);
    return entries.get(id) ?? (row === null ? null : { row, machine });
  };
  const context = {
    runtime: {
      store,
      workingSet: { find, readable: find },
      clock: { now: () => ({ wall: unix(now), bitcoin: { mtp: null, height: null } }) },
      commits: { onCommit: (next: typeof listener) => void (listener = next) },
      background: (_: string, work: () => unknown) => void working.push(Promise.resolve(work())),
      ports: {
        arkade: {
          async virtualTxs(txids: readonly string[]) {
            questions.push(...txids);
            return new Map(payments.flatMap(({ txid, bytes }) => (txids.includes(txid) ? [[txid, bytes]] : [])));
          },
        },
      },
    },
    directions: {
      of: (name: string) => (name === 'arkade-evm' ? direction : name === 'arkade-bitcoin' ? toBitcoin : null),
    },
    config: { ceilings: { unpaidGasPerDaySats: 1_000 } },
  } as unknown as ServiceContext;
  const direction = {
    ...arkadeEvmDirection,
    chainOf: () => network,
    deposit: () => null,
    claim: ({ terms }: { terms: unknown }) => ({ lock: { claimAddress: (terms as { by: Uint8Array }).by }, state }),
    vhtlc: () => ({ byClient: {} }),
  };
  const toBitcoin = { ...arkadeBitcoinDirection, chainOf: () => null, htlc: () => null, vhtlc: direction.vhtlc };
  const unpaid = createUnpaid(context);
  unpaid.start();
  let swaps = 0;
  let state: SwapClaim['state'] = { is: 'none' };

  function create(client: string | null, by: number, cost = 0, of: Direction = arkadeEvm): OpenCreate | Refusal {
    return unpaid.take(of, { client, account: account(by) }, sats(cost));
  }

  /** A swap that this address opened, by this account, paid by this wallet; its lock may cost so much. */
  function swap(client: string | null, by: number, wallet: number | null = null, cost = 0): string {
    const id = `a0000000-0000-4000-8000-0000000000${(swaps += 1) + 10}`;
    const coin = wallet === null ? null : { txid: payments[wallet - 1]?.txid ?? '', vout: 0 };
    const place = create(client, by, cost);
    if (isRefusal(place)) throw new Error(place.sentence);
    const terms = { by: account(by), feeSats: sats(0), networkFeeSats: sats(100) };
    const row = swapRow({ id, machine: 'arkade-evm', terms, progress: { at: 'waiting', coin } as never });
    entries.set(id, { row, machine });
    place.is(id);
    return id;
  }

  const createToBitcoin = (client: string, cost = 0): OpenCreate | Refusal =>
    unpaid.take(arkadeBitcoinDirection, { client, account: null }, sats(cost));

  /** The same to Bitcoin, where no account is named. */
  function swapToBitcoin(client: string, wallet: number, cost = 0): string {
    const id = `b0000000-0000-4000-8000-0000000000${(swaps += 1) + 10}`;
    const place = createToBitcoin(client, cost);
    if (isRefusal(place)) throw new Error(place.sentence);
    const progress = { at: 'waiting', coin: { txid: payments[wallet - 1]?.txid ?? '', vout: 0 } } as never;
    const terms = { feeSats: sats(0), networkFeeSats: sats(100) };
    entries.set(id, { row: swapRow({ id, machine: 'arkade-bitcoin', terms, progress }), machine });
    place.is(id);
    return id;
  }

  function move(id: string, change: Partial<SwapRow>): void {
    const from = entries.get(id)?.row ?? swapRow();
    const entry = { row: { ...from, ...change }, machine };
    entries.set(id, entry);
    listener({ entry, from: { at: from.progress.at, status: from.status } } as never);
  }

  return {
    store,
    db,
    folder: dataDir,
    unpaid,
    questions,
    create,
    swap,
    createToBitcoin,
    swapToBitcoin,
    move,
    relayOf: (next: typeof state) => void (state = next),
    fund: (id: string) => move(id, { status: 'clientfunded' }),
    /** Its client signs by this account what is relayed for it. */
    sign(id: string, by: number): void {
      const { row } = find(id) as Entry;
      unpaid.turn({ network, row, by: { account: account(by), proven: true }, isPaid: true }, []);
    },
    /** A coin for it that is in no block. */
    see: (id: string) => move(id, { status: 'clientfundingseen' }),
    spend(id: string, amount: number, place = '1', on: Network = network): void {
      unpaid.note({ swap: id, network: on, place, amount: sats(amount) }, store, now - 60);
      move(id, {});
    },
    /** The same in a commit that the disk does not take. */
    spendInVain(id: string, amount: number): void {
      const lost = () =>
        store.atomically(() => {
          unpaid.note({ swap: id, network, place: refundToCome, amount: sats(amount) }, store, now - 60);
          throw new Error('no room on the disk');
        });
      expect(lost).toThrow('no room');
    },
    /** The swap ends with its fee. */
    async bring(id: string): Promise<void> {
      move(id, { status: 'serverredeemed', open: false });
      await Promise.all(working.splice(0));
    },
    /** Whether a lock is refused that costs more than was promised. */
    full: async (id: string, cost = 1, on: Network = network) => {
      await unpaid.ready(id, on);
      return unpaid.full(id, on, sats(cost));
    },
  };
}

const usedUp = /used up/;

test('fault 67, evm: four accounts behind one address use up what that address may, and nobody else’s', async () => {
  const { swap, spend, full, create } = node();
  const [same, other] = [swap('203.0.113.1', 5), swap('203.0.113.2', 6)];
  const four = [1, 2, 3, 4].map((by) => swap('203.0.113.1', by));
  for (const id of four) spend(id, 40);
  expect([await full(same), await full(other)]).toEqual([expect.stringMatching(usedUp), null]);
  expect(create('203.0.113.1', 7)).toMatchObject({ refusal: 'flood', retryAfter: 86_400 });
  expect(isRefusal(create('203.0.113.2', 7))).toBe(false);
});

test('fault 324, evm: the networks of one IPv6 site use up what one client may, and no other site’s', async () => {
  const { swap, spend, full, create } = node();
  const [same, other] = [swap('2001:db8:1:5::/64', 5), swap('2001:db8:11:5::/64', 6)];
  const four = [1, 2, 3, 4].map((at) => swap(`2001:db8:1:${at}::/64`, at));
  for (const id of four) spend(id, 40);
  expect([await full(same), await full(other)]).toEqual([expect.stringMatching(usedUp), null]);
  expect(create('2001:db8:1:6::/64', 7)).toMatchObject({ refusal: 'flood', retryAfter: 86_400 });
  expect(isRefusal(create('2001:db8:11:6::/64', 7))).toBe(false);
});

test('fault 324, evm: what the networks of one IPv6 site were promised counts together', () => {
  const { swap, create } = node();
  for (const at of [1, 2]) swap(`2001:db8:1:${at}::/64`, at, null, 70);
  expect([create('2001:db8:1:3::/64', 3, 70), isRefusal(create('2001:db8:2:1::/64', 3, 70))]).toMatchObject([
    { refusal: 'flood' },
    false,
  ]);
});

test('one account behind four addresses is one client too', async () => {
  const { swap, spend, full } = node();
  const [same, other] = [swap('203.0.113.5', 1), swap('203.0.113.5', 2)];
  for (const id of [1, 2, 3, 4].map((last) => swap(`203.0.113.${last}`, 1))) spend(id, 40);
  expect([await full(same), await full(other)]).toEqual([expect.stringMatching(usedUp), null]);
});

test('who paid is known by the keys whose coins did: no other can lock on its account', async () => {
  const { swap, spend, full, bring, create, store } = node();
  const first = swap('198.51.100.1', 9, 1);
  spend(first, 100);
  await bring(first);
  expect([store.outlays.since(network, 0).all, store.outlays.hasPaid(accountName(account(9)))]).toEqual([0n, true]);
  const strangers = [10, 20, 21, 22, 23, 24].map((by) => swap(`203.0.113.${by}`, by, 2));
  const [unknown, ...others] = strangers;
  for (const id of others) spend(id, 100);
  expect([isRefusal(create('198.51.100.2', 8)), isRefusal(create('198.51.100.2', 9))]).toEqual([true, false]);
  expect([
    await full(swap('198.51.100.2', 9, 1)),
    await full(unknown ?? ''),
    await full(swap('198.51.100.2', 9, 2)),
    await full(swap('198.51.100.2', 9)),
  ]).toEqual([null, expect.stringMatching(usedUp), expect.stringMatching(usedUp), expect.stringMatching(usedUp)]);
});

test('strangers behind the address of who paid before leave half of its part', async () => {
  const { swap, spend, full, bring } = node();
  await bring(swap('198.51.100.1', 9, 1));
  const [stranger, another] = [swap('198.51.100.1', 20), swap('198.51.100.1', 21)];
  spend(stranger, 130);
  expect([await full(another), await full(swap('198.51.100.1', 9, 1))]).toEqual([expect.stringMatching(usedUp), null]);
});

test('fault 104, evm: strangers that name the account of who paid before leave half of its part', async () => {
  for (const cost of [0, 20]) {
    const { swap, fund, spend, full, bring } = node();
    await bring(swap('198.51.100.1', 9, 1));
    let locks = 0;
    for (let i = 0; i < 20; i++) {
      const id = swap(`203.0.113.${i}`, 9, null, cost);
      fund(id);
      if ((await full(id)) !== null) continue;
      spend(id, 20, refundToCome);
      locks += 1;
    }
    const own = swap('198.51.100.2', 9, 1, cost);
    fund(own);
    expect([locks, await full(own)]).toEqual([7, null]);
  }
});

test('who paid is asked of the operator where it decides, and once', async () => {
  const { swap, spend, full, bring, questions } = node();
  await bring(swap('198.51.100.1', 9, 1));
  const before = questions.length;
  const [first, one] = [swap('203.0.113.1', 9, 2), swap('203.0.113.1', 9, 1)];
  await full(one);
  expect(questions).toHaveLength(before);
  spend(first, 125);
  await full(one);
  await full(one);
  expect(questions).toHaveLength(before + 1);
});

test('the owner’s own swaps stop at the whole of it alone', async () => {
  const { swap, spend, full, create } = node();
  const [owner, stranger] = [swap(null, 2), swap('203.0.113.1', 1)];
  spend(stranger, 600);
  expect([await full(owner), isRefusal(create(null, 2))]).toEqual([null, false]);
  spend(stranger, 1_000);
  expect([await full(owner), create(null, 2)]).toMatchObject([expect.stringMatching(usedUp), { refusal: 'flood' }]);
});

test('fault 67, bitcoin: what one network may cost stops the directions that spend there', () => {
  const { create, store } = node();
  const whose = { clients: ['address:203.0.113.1'], paidBefore: false };
  store.outlays.put({ swap: 'a', network: 'bitcoin', place: 'fund', amount: sats(500) }, whose, now - 60);
  const stopped = [evmBitcoin, arkadeEvm, lightningArkadeDirection].map((of) => create('203.0.113.9', 1, 0, of));
  expect(stopped.map((one) => isRefusal(one))).toEqual([true, false, false]);
});

test('what is no client’s swap is neither counted nor stopped', async () => {
  const { unpaid, store } = node();
  unpaid.note({ swap: 'a job', network, place: '1', amount: sats(5_000) }, store, now);
  expect([store.outlays.since(network, 0).all, unpaid.full('a job', network, null)]).toEqual([0n, null]);
});

test('fault 259, evm: what a create was promised is locked, and one beyond its client’s part is refused', async () => {
  const { swap, create, fund, spend, full } = node();
  const both = [swap('203.0.113.1', 1, null, 100), swap('203.0.113.1', 2, null, 100)];
  expect(create('203.0.113.1', 3, 100)).toMatchObject({ refusal: 'flood', retryAfter: 60 });
  for (const id of both) fund(id);
  for (const id of both) {
    expect(await full(id, 200)).toBeNull();
    spend(id, 200);
  }
  expect(create('203.0.113.1', 3, 100)).toMatchObject({ refusal: 'flood', retryAfter: 86_400 });
});

test('fault 259, evm: a create that is being made holds its room until nothing comes of it', () => {
  const { create } = node();
  const [one, two] = [create('203.0.113.1', 1, 100), create('203.0.113.1', 1, 100)];
  expect([isRefusal(one), isRefusal(two), isRefusal(create('203.0.113.1', 1, 100))]).toEqual([false, false, true]);
  if (!isRefusal(one)) one.giveBack();
  expect(isRefusal(create('203.0.113.1', 1, 20))).toBe(false);
});

test('fault 259, evm: a lock far dearer than its create was promised finds room for itself', async () => {
  const { swap, fund, spend, full } = node();
  const [first, dear] = [swap('203.0.113.1', 1, null, 100), swap('203.0.113.1', 2, null, 100)];
  fund(dear);
  spend(first, 125);
  expect([await full(dear, 200), await full(dear, 201)]).toEqual([null, expect.stringMatching(usedUp)]);
});

test('fault 259, evm: creates that nobody funds take nothing from anybody else, whoever they name', async () => {
  const { swap, spend, create, bring } = node();
  await bring(swap('198.51.100.1', 9, 1));
  for (let last = 20; last < 40; last++) create(`203.0.113.${last}`, 9, 100);
  expect(isRefusal(create('198.51.100.1', 9, 10))).toBe(false);
  for (const id of [1, 2, 3, 4].map((last) => swap(`203.0.113.${last}`, last))) spend(id, 100);
  const most = (client: string): number => {
    for (let i = 0; ; i++) if (isRefusal(create(client, 50, 10))) return i;
  };
  // Of 100 that strangers have left.
  const [one, two, three] = ['203.0.113.11', '203.0.113.12', '203.0.113.13'].map(most);
  expect([one, two, three]).toEqual([one, one, one]);
  expect(one).toBeLessThan(10);
  expect(isRefusal(create('198.51.100.1', 9, 10))).toBe(false);
});

test('fault 259, evm: what a stranger has not paid for counts for no account that it names', () => {
  const { swap, create } = node();
  for (const last of [1, 2, 3]) swap(`203.0.113.${last}`, 9, null, 120);
  expect(isRefusal(create('198.51.100.1', 9, 100))).toBe(false);
});

test('fault 259, evm: a lock counts for all once its swap is funded, and until it is signed or not due', async () => {
  const { swap, fund, spend, move, create } = node();
  const ids = [1, 2, 3, 4, 5].map((last) => swap(`203.0.113.${last}`, last, null, 100));
  const room = () => !isRefusal(create('203.0.113.9', 9, 0));
  for (const id of ids) fund(id);
  expect(room()).toBe(false);
  spend(ids[0] ?? '', 50, refundToCome);
  expect(room()).toBe(true);
  spend(ids[0] ?? '', 100, refundToCome);
  expect(room()).toBe(false);
  move(ids[1] ?? '', { progress: { at: 'locked' } });
  expect(room()).toBe(true);
});

test('fault 259, evm: of who cannot show before the lock that it paid, no create believes it', async () => {
  const { swap, spend, bring, create } = node();
  await bring(swap('198.51.100.1', 9, 1));
  for (const id of [1, 2, 3, 4, 5].map((last) => swap(`203.0.113.${last}`, last))) spend(id, 100);
  const lightningEvm = onChain(lightningEvmDirection, network);
  expect([create('198.51.100.1', 9), create('198.51.100.1', 9, 0, lightningEvm)].map(isRefusal)).toEqual([false, true]);
});

test('fault 259, evm: a restart forgets no promise, nor whose it is', async () => {
  const before = node();
  const id = 'a0000000-0000-4000-8000-000000000099';
  const terms = { by: account(1), feeSats: sats(0), networkFeeSats: sats(130) };
  const progress = { at: 'waiting' } as never;
  before.store.swaps.insert(swapRow({ id, machine: 'arkade-evm', status: 'clientfunded', terms, progress }));
  before.store.reservations.hold(id, btc(network, 10n), '203.0.113.1');
  before.db.close();
  const { create, full, store } = node(before.folder);
  expect([create('203.0.113.1', 2), create('203.0.113.2', 2)].map(isRefusal)).toEqual([true, false]);
  const whose = { clients: ['address:203.0.113.1'], paidBefore: false };
  store.outlays.put({ swap: 'another', network, place: '1', amount: sats(125) }, whose, now - 60);
  expect([await full(id, 260), await full(id, 261)]).toEqual([null, expect.stringMatching(usedUp)]);
});

test('fault 282, evm: who used up its own part stops at that of all, and leaves what was promised', async () => {
  const { swap, fund, spend, full } = node();
  const [victim, late] = [swap('198.51.100.1', 30, null, 100), swap('198.51.100.2', 31, null, 100)];
  const ten = Array.from({ length: 10 }, (_, last) => swap(`203.0.113.${last}`, 1, null, 120));
  fund(victim);
  const locks = [];
  for (const id of ten) {
    fund(id);
    const refusal = await full(id, 120);
    locks.push(refusal === null);
    if (refusal === null) spend(id, 120, refundToCome);
  }
  // Beside the 100 of the one that was funded first.
  expect(locks).toEqual([true, true, true, true, false, false, false, false, false, false]);
  spend(ten[0] ?? '', 50, 'dearer');
  fund(late);
  expect([await full(victim, 200), await full(victim, 201), await full(late, 100)]).toEqual([
    null,
    expect.stringMatching(usedUp),
    expect.stringMatching(usedUp),
  ]);
});

test('fault 282, evm: a lock that found room once it was funded has it, however much is funded after it', async () => {
  const { swap, fund, full, move, create } = node();
  const [first, ...others] = [1, 2, 3, 4, 5, 6, 7].map((last) => swap(`203.0.113.${last}`, last, null, 100));
  for (const id of [first ?? '', ...others]) fund(id);
  expect(await Promise.all([first ?? '', ...others].map((id) => full(id, 100)))).toEqual([
    ...Array.from({ length: 5 }, () => null),
    ...Array.from({ length: 2 }, () => expect.stringMatching(usedUp)),
  ]);
  for (const id of others.slice(0, 2)) move(id, { progress: { at: 'locked' } });
  expect(await full(others[5] ?? '', 100)).toBeNull();
  // Nobody waits for what the owner has not funded.
  for (let i = 0; i < 20; i++) swap(null, 2, null, 100);
  expect([await full(others[5] ?? '', 100), isRefusal(create(null, 2))]).toEqual([null, false]);
});

test('fault 282, evm: of who paid before the last lock is no victim of what gas rose for its others', async () => {
  const { swap, fund, full, spend, bring, sign } = node();
  await bring(swap('198.51.100.1', 9, 1));
  const [first, second, third] = [1, 2, 3].map(() => swap('198.51.100.1', 9, 1, 120));
  for (const id of [first ?? '', second ?? '', third ?? '']) {
    sign(id, 9);
    fund(id);
  }
  for (const id of [first ?? '', second ?? '']) {
    expect(await full(id, 126)).toBeNull();
    spend(id, 126, refundToCome);
  }
  expect(await full(third ?? '', 126)).toBeNull();
});

test('fault 282, evm: a commit that the disk refuses takes no room from the lock that it was for', async () => {
  const { swap, fund, full, spend, spendInVain } = node();
  const [first, ...later] = [1, 2, 3, 4, 5, 6].map((by) => swap(`203.0.113.${by}`, by, null, 90));
  for (const id of [first ?? '', ...later]) fund(id);
  spendInVain(first ?? '', 90);
  for (const id of later) if ((await full(id, 90)) === null) spend(id, 110, refundToCome);
  expect(await full(first ?? '', 90)).toBeNull();
});

test('fault 281, evm: a relay far dearer than its lock counted is signed while there is room for it', () => {
  const { swap, spend, relayOf, unpaid } = node();
  const [one, other] = [swap('203.0.113.1', 1), swap('203.0.113.1', 2)];
  const begin = (reverts = 0, stays = false) => relayOf({ is: 'sending', isSigned: false, reverts, stays });
  const full = (cost: number | null) => unpaid.relayFull(other, network, cost === null ? null : sats(cost));
  const refused = expect.stringMatching(/^gas is not paid/);
  begin();
  spend(other, 200, relayToCome);
  // What its own swap cost is left out.
  expect([full(400), full(401)]).toEqual([null, null]);
  spend(one, 130);
  expect([full(null), full(400), full(401)]).toEqual([null, null, refused]);
  begin(0, true);
  expect(full(401)).toBeNull();
  begin(1);
  expect([full(1), unpaid.relayFull('a job', network, sats(1))]).toEqual([refused, null]);
});

test('fault 261, evm: a swap that brought less than it cost leaves the rest to its client’s part', async () => {
  const { swap, spend, bring, store, create } = node();
  const [cheap, dear] = [swap('203.0.113.1', 1, 2), swap('203.0.113.1', 1, 2)];
  spend(cheap, 100);
  await bring(cheap);
  expect(store.outlays.since(network, 0).all).toBe(0n);
  spend(dear, 400);
  await bring(dear);
  expect(store.outlays.since(network, 0).all).toBe(300n);
  expect(create('203.0.113.1', 1)).toMatchObject({ refusal: 'flood' });
});

test('fault 261, evm: what a swap brought is taken off at the next start where its end was not told', async () => {
  const before = node();
  const id = 'a0000000-0000-4000-8000-000000000099';
  const terms = { by: account(1), feeSats: sats(5), networkFeeSats: sats(15) };
  before.store.swaps.insert(swapRow({ id, machine: 'arkade-evm', status: 'serverredeemed', open: false, terms }));
  before.spend(id, 1_200);
  before.db.close();
  const again = node(before.folder);
  expect(again.store.outlays.since(network, 0).all).toBe(1_180n);
  again.db.close();
  expect(node(before.folder).store.outlays.since(network, 0).all).toBe(1_180n);
});

test('fault 263, evm: what a swap was charged is its fee and its network fee, and nobody else was charged', () => {
  const { swap, unpaid } = node();
  expect([unpaid.charged(swap('203.0.113.1', 1)), unpaid.charged('a job')]).toEqual([100n, null]);
});

test('fault 287, bitcoin: who paid swaps on from Arkade, known by its keys, and no stranger in its place', async () => {
  const { swapToBitcoin, spend, full, bring } = node();
  await bring(swapToBitcoin('198.51.100.1', 1));
  for (const last of [1, 2, 3, 4, 5]) spend(swapToBitcoin(`203.0.113.${last}`, 2), 100, '1', 'bitcoin');
  const [payer, stranger] = [swapToBitcoin('198.51.100.2', 1, 10), swapToBitcoin('203.0.113.9', 2, 10)];
  expect([await full(payer, 10, 'bitcoin'), await full(stranger, 10, 'bitcoin')]).toEqual([
    null,
    expect.stringMatching(usedUp),
  ]);
});

test('fault 287, bitcoin: of an address that strangers share half of its part is kept', async () => {
  const { swapToBitcoin, createToBitcoin, spend, full, bring } = node();
  await bring(swapToBitcoin('198.51.100.1', 1));
  spend(swapToBitcoin('198.51.100.1', 2), 125, '1', 'bitcoin');
  expect(await full(swapToBitcoin('198.51.100.1', 1), 1, 'bitcoin')).toBeNull();
  // What merely waits for its funding is refused at the create, before anything is paid for it.
  for (const _ of [1, 2]) swapToBitcoin('203.0.113.1', 2, 100);
  expect(createToBitcoin('203.0.113.1', 100)).toMatchObject({ refusal: 'flood', retryAfter: 60 });
});

test('fault 287, evm: who paid is known by its keys where its create named an account that never did', async () => {
  const { swap, spend, full, bring } = node();
  await bring(swap('198.51.100.1', 9, 1));
  const [payer, ...strangers] = [8, 20, 21, 22, 23, 24].map((by) => swap(`203.0.113.${by}`, by, by === 8 ? 1 : 2));
  for (const id of strangers) spend(id, 100);
  expect(await full(payer ?? '')).toBeNull();
});

test('fault 286, evm: coins in no block take nothing from others, however many swaps they are for', async () => {
  const { swap, see, fund, full, create } = node();
  const [own, ...others] = [9, 1, 2, 3, 4, 5].map((by) => swap(`203.0.113.${by}`, by, null, 100));
  for (const id of others) see(id);
  expect(isRefusal(create('198.51.100.1', 6, 100))).toBe(false);
  fund(own ?? '');
  expect(await full(own ?? '', 100)).toBeNull();
  // Of who sent them they take as much as before.
  const more = [1, 2].map((by) => create('203.0.113.1', by, 100));
  expect(more).toMatchObject([{}, { refusal: 'flood', retryAfter: 60 }]);
  for (const id of others) fund(id);
  expect(isRefusal(create('198.51.100.1', 6, 100))).toBe(true);
  see(others[0] ?? '');
  see(others[1] ?? '');
  expect(isRefusal(create('198.51.100.2', 6, 100))).toBe(false);
});

test('fault 286, evm: what is funded later takes no room of what was funded before', async () => {
  const { swap, fund, full, move } = node();
  const ids = Array.from({ length: 13 }, (_, by) => swap(`203.0.113.${by}`, by, null, 100));
  const [first = '', sixth = ''] = [ids[0], ids[5]];
  for (const id of ids) fund(id);
  expect([await full(first, 100), await full(sixth, 100)]).toEqual([null, expect.stringMatching(usedUp)]);
  move(first, { progress: { at: 'locked' } });
  expect([await full(sixth, 100), await full(ids[6] ?? '', 100)]).toEqual([null, expect.stringMatching(usedUp)]);
});

test('fault 286, evm: a restart knows what was funded first', async () => {
  const before = node();
  const ids = [6, 5, 4, 3, 2, 1].map((last) => `a0000000-0000-4000-8000-00000000009${last}`);
  for (const [at, id] of ids.entries()) {
    const terms = { by: account(at), feeSats: sats(0), networkFeeSats: sats(100) };
    const progress = { at: 'waiting' } as never;
    before.store.swaps.insert(swapRow({ id, machine: 'arkade-evm', status: 'clientfunded', terms, progress }));
    before.store.reservations.hold(id, btc(network, 10n), `203.0.113.${9 - at}`);
  }
  const line = { time: now, event: 'a coin', effects: [] };
  for (const id of ids) before.store.journal.write(id, { ...line, from: 'pending', to: 'waiting' });
  // What is noted beside it, and other states before it, move nothing.
  before.store.journal.write(ids[0] ?? '', { ...line, from: 'waiting', to: 'waiting' });
  before.db.close();
  const { full } = node(before.folder);
  expect(await Promise.all(ids.map((id) => full(id, 100)))).toEqual([
    ...Array.from({ length: 5 }, () => null),
    expect.stringMatching(usedUp),
  ]);
});

test('fault 287, evm: who paid has one part of what is kept, from however many addresses', async () => {
  const { swap, fund, spend, full, move, bring } = node();
  await bring(swap('198.51.100.1', 9, 1));
  await bring(swap('198.51.100.2', 8, 2));
  const own = Array.from({ length: 6 }, (_, last) => swap(`192.0.2.${last}`, 9, 1, 100));
  for (const id of [1, 2, 3, 4, 5].map((last) => swap(`203.0.113.${last}`, last))) spend(id, 100);
  const locks = [];
  for (const id of own) {
    fund(id);
    const refusal = await full(id, 100);
    locks.push(refusal === null);
    if (refusal === null) spend(id, 100, refundToCome);
    else move(id, { progress: { at: 'stopped' } });
  }
  const other = swap('198.51.100.3', 8, 2, 100);
  fund(other);
  expect([locks, await full(other, 100)]).toEqual([[true, true, true, false, false, false], null]);
});
