import { expect, test } from 'vitest';
import { readTransaction } from '../../engine/boltz/chain.ts';
import type { DoorContext } from '../../engine/boltz/context.ts';
import { newId } from '../../engine/boltz/ids.ts';
import { createRaws } from '../../engine/boltz/raws.ts';
import { readStatuses } from '../../engine/boltz/reads.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { Txid } from '../../engine/domain/outpoint.ts';
import { bitcoinLightningTerms as terms } from '../swap/bitcoin-lightning-cases.ts';

const txid = (place: number): Txid => place.toString(16).padStart(64, '0') as Txid;

/** A Bitcoin chain all of whose transactions have this many bytes, and how often it was asked for one. */
function sceneOf(length: number) {
  const own = { questions: 0 };
  const show = () => {
    own.questions++;
    return Promise.resolve({ bytes: new Uint8Array(length), height: 7 });
  };
  const ports = { bitcoin: { transaction: show, glance: show } };
  const runtime = { ports, store: { transactions: { bytes: () => null } } };
  const networks = { bitcoin: () => ({ state: 'connected', facts: { height: 9 } }) };
  return {
    own,
    raws: createRaws(runtime as never),
    door: { context: { runtime, networks } } as unknown as DoorContext,
  };
}

test('fault 177, bitcoin: any transaction that nodes hand on is shown to whoever names it, no larger one', async () => {
  const shown = await readTransaction(sceneOf(400_000).door, txid(1));
  expect(shown).toEqual({ hex: '00'.repeat(400_000), confirmations: 3 });
  const refused = await readTransaction(sceneOf(400_001).door, txid(1));
  expect(isRefusal(refused) && refused.sentence).toMatch(/larger than 400000 bytes/);
});

test('fault 177, bitcoin: of the large transactions of swaps few stay in memory', async () => {
  const { own, raws } = sceneOf(390_000);
  for (let i = 0; i < 40; i++) await raws.of(txid(i));
  for (let i = 0; i < 39; i++) await raws.of(txid(i));
  expect(own.questions).toBe(79);
  await raws.of(txid(38));
  expect(own.questions).toBe(79);
});

/** A door all of whose swaps were funded by one transaction of this many bytes. */
function fundedBy(length: number): DoorContext {
  const { raws } = sceneOf(length);
  const progress = { at: 'seen', coin: { txid: txid(1), vout: 0 }, extras: [] };
  const entry = { row: { machine: 'bitcoin-lightning', status: 'clientfundingseen', terms, progress } };
  const runtime = { store: { boltzSwaps: { swapOf: (id: string) => id } }, workingSet: { readable: () => entry } };
  return { raws, context: { runtime } } as unknown as DoorContext;
}

const ids = Array.from({ length: 64 }, newId);

test('fault 186, bitcoin: one answer holds no more than two of the largest transactions', async () => {
  const large = fundedBy(400_000);
  const refused = await readStatuses(large, ids.slice(0, 3));
  expect(isRefusal(refused) && refused.sentence).toMatch(/name fewer ids at once/);
  expect(Object.keys(await readStatuses(large, ids.slice(0, 2)))).toEqual(ids.slice(0, 2));
  expect(Object.keys(await readStatuses(fundedBy(10_000), ids))).toEqual(ids);
});
