import { expect, test } from 'vitest';
import type { Preimage } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import type { Runtime } from '../../../engine/runtime/runtime.ts';
import { settles } from '../../../engine/service/reconciliation/held-payments.ts';

/* Which payments a secret settles that nobody remembers holding for it. */

const secret = new Uint8Array(32).fill(7) as Preimage;

interface Swap {
  readonly notes?: readonly string[];
  readonly at: string;
}

/** `here`: the swap of the hash, null for none. */
async function settled(here: Swap | null): Promise<boolean> {
  const calls: Preimage[] = [];
  const entry = here === null ? null : { machine: { notes: here.notes }, row: { progress: { at: here.at } } };
  const runtime = {
    clock: { now: () => ({ wall: 0 }) },
    ports: {
      lightning: {
        hold: async () => ({ is: 'held', amount: sats(100_000) }),
        settle: async (by: Preimage) => void calls.push(by),
      },
    },
    store: {
      atomically: (act: () => void) => act(),
      hashes: { usedBy: () => (here === null ? null : 'a'), claim: () => true },
      preimages: { keep: () => undefined },
    },
    workingSet: { readable: () => entry },
  };
  const log = { info() {}, warn() {}, error() {} };
  expect(await settles({ runtime: runtime as unknown as Runtime, log }, secret)).toBe(calls.length > 0);
  return calls.length > 0;
}

const invoice = ['invoice'];

test('fault 156, lightning: a secret settles what nobody remembers, or what its swap will not', async () => {
  expect(await settled(null)).toBe(true);
  for (const at of ['opening', 'pending', 'stopped'])
    expect([at, await settled({ notes: invoice, at })]).toEqual([at, true]);
  for (const at of ['locked', 'claimed']) expect([at, await settled({ notes: invoice, at })]).toEqual([at, false]);
});

test('fault 225, lightning: a swap of the hash that holds no payment keeps none from being settled', async () => {
  for (const notes of [undefined, ['payment', 'refund']])
    for (const at of ['locked', 'claimed', 'refunded'])
      expect([at, await settled({ ...(notes === undefined ? {} : { notes }), at })]).toEqual([at, true]);
});
