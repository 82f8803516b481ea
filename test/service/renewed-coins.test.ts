import { Transaction } from 'bitcoinjs-lib';
import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { outpointKey, outpointOf, type Txid } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import { createRenewedCoins, noteRenewed, renewedValue } from '../../engine/service/exits/renewed-coins.ts';
import { createBegun } from '../../engine/service/wallet/renewal-begun.ts';
import type { Vtxo } from '../../engine/legs/arkade/vtxo.ts';
import type { Store } from '../../engine/store/store.ts';

const [first, second] = [`${'11'.repeat(32)}:0`, `${'22'.repeat(32)}:1`] as const;
const batch = '33'.repeat(32) as Txid;
const day = 86_400;

/** What takes the first output of another. */
function taking(txid: string) {
  const tx = new Transaction();
  tx.addInput(Uint8Array.from(Buffer.from(txid, 'hex')).reverse(), 0);
  tx.addOutput(Uint8Array.of(0x51), 1_000n);
  return { txid: tx.getId() as Txid, bytes: Uint8Array.from(tx.toBuffer()) };
}

/** A transaction of ours by its checkpoint, which takes a coin of ours that is none of the batch's. */
const checkpoint = taking('44'.repeat(32));
const spender = taking(checkpoint.txid);

/** Two coins of the wallet with saved ways, and a chain that has the batch at a height or not. */
function wallet() {
  const settings = new Map<string, unknown>();
  const forgotten: string[] = [];
  const own = [first, second].map((key) => ({ outpoint: outpointOf(key), amount: sats(1_000), unrolled: false }));
  const store = {
    atomically: (act: () => unknown) => act(),
    settings: {
      get: (key: string) => settings.get(key),
      put: (key: string, value: unknown) => void settings.set(key, value),
      remove: (key: string) => void settings.delete(key),
    },
    exits: { has: () => true, expiresAt: () => unix(30 * day) },
    ownCoins: { all: () => own, forget: (point: unknown) => void forgotten.push(String(point)) },
    bookCoins: { all: () => new Map() },
    transactions: { byId: (txid: Txid) => (txid === spender.txid ? {} : null) },
  } as unknown as Store;
  const at = { height: 100, wall: 0 };
  const clock = { now: () => ({ wall: unix(at.wall), bitcoin: { height: at.height, mtp: unix(at.wall) } }) };
  const renewed = createRenewedCoins({ store, clock, workingSet: { all: () => [] } } as never);
  const look = (height: number | null) =>
    renewed.look({ transaction: async () => (height === null ? null : { height }) } as never);
  return { store, at, renewed, look, forgotten };
}

test('fault 353, arkade: a second renewal of the same batch keeps the coins of the first on record', () => {
  const { store, renewed } = wallet();
  noteRenewed(store, { batch, at: unix(1), coins: [first] });
  noteRenewed(store, { batch, at: unix(2), coins: [second] });
  expect([...renewed.mayLeave().keys()]).toEqual([first, second]);
});

test('fault 353, arkade: ways stand for nothing from the block of their batch on', async () => {
  const { store, at, look } = wallet();
  noteRenewed(store, { batch, at: unix(1), coins: [first, second] });
  await look(null);
  expect(renewedValue(store)).toBe(2_000n);
  at.height = 101;
  await look(101);
  expect(renewedValue(store)).toBe(0n);
  // A reorganisation takes it.
  at.height = 102;
  await look(null);
  expect(renewedValue(store)).toBe(2_000n);
});

/** Two looks above what a batch is given, at coins of a batch that was begun, as their operator shows them. */
async function leavingAfter(
  spends: readonly Partial<Pick<Vtxo, 'settledBy' | 'spentIn' | 'spentBy'>>[],
  {
    shown = new Map(),
    leftOut = null,
  }: { readonly shown?: ReadonlyMap<string, Uint8Array>; readonly leftOut?: string | null } = {},
) {
  const { store, at, renewed, look, forgotten } = wallet();
  const begun = createBegun({ store, now: () => unix(1) });
  begun.begin({ coins: [first, second].map((key) => ({ outpoint: outpointOf(key) })), fee: sats(0) } as never);
  const spent = [first, second].map((key, index) => ({
    ...{ outpoint: outpointOf(key), amount: sats(1_000), spent: true, settledBy: null, spentIn: null, spentBy: null },
    ...spends[index],
  }));
  const arkade = {
    coinsAt: async () => spent.filter(({ outpoint }) => outpointKey(outpoint) !== leftOut),
    coins: async () => [],
    walletScripts: () => [],
    virtualTxs: async () => shown,
  };
  for (let looks = 0; looks < 3; looks++) await begun.look(arkade as never);
  at.wall = day;
  at.height = 101;
  await look(null);
  return { leaving: [...renewed.mayLeave()], forgotten };
}

const both = [
  [first, true],
  [second, true],
];

test('fault 353, arkade: coins that their operator calls spent by nothing may leave, whatever it names', async () => {
  expect(await leavingAfter([])).toEqual({ leaving: both, forgotten: [] });
});

test('fault 371, arkade: coins that it calls taken by a batch that pays nothing may leave', async () => {
  const settledBy = 'ff'.repeat(32) as Txid;
  expect(await leavingAfter([{ settledBy }, { settledBy }])).toEqual({ leaving: both, forgotten: [] });
});

test('fault 371, arkade: a coin of the batch that it leaves out may leave with the other', async () => {
  const settledBy = 'ff'.repeat(32) as Txid;
  expect(await leavingAfter([{ settledBy }], { leftOut: second })).toEqual({ leaving: both, forgotten: [] });
});

test('fault 371, arkade: coins that it calls spent by a transaction of ours that takes others may leave', async () => {
  const named = { spentIn: spender.txid, spentBy: checkpoint.txid };
  const shown = new Map([spender, checkpoint].map(({ txid, bytes }) => [txid, bytes]));
  expect(await leavingAfter([named, named], { shown })).toEqual({ leaving: both, forgotten: [] });
});

test('arkade: a coin that a transaction of ours takes is none of a batch any more', async () => {
  const own = taking(outpointOf(first).txid);
  const named = { spentIn: spender.txid, spentBy: own.txid };
  const outer = taking(own.txid);
  const shown = new Map([
    [spender.txid, outer.bytes],
    [own.txid, own.bytes],
  ]);
  expect(await leavingAfter([named], { shown })).toEqual({ leaving: [[second, true]], forgotten: [] });
});
