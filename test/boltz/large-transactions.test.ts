import { expect, test } from 'vitest';
import { readTransaction } from '../../engine/boltz/chain.ts';
import type { DoorContext } from '../../engine/boltz/context.ts';
import { createRaws } from '../../engine/boltz/raws.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { Txid } from '../../engine/domain/outpoint.ts';

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
