import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import type { Direction } from '../../../engine/service/directions/direction.ts';
import { shareUsedUp } from '../../../engine/service/limits/client-share.ts';
import { looseNode, notesAt } from './loose-kit.ts';

/* What swaps that nobody pays for hold of the owner's agreement to loose locks, of 100,000 sats. */

function strangers() {
  const node = looseNode(notesAt(null));
  const clientOf = new Map<string, string>();
  const unpaid = new Set<string>();
  const row = (id: string) => ({ id, open: true, valueSats: 0n, progress: { at: 'opening' }, status: 'pending' });
  const context = {
    runtime: {
      store: {
        reservations: {
          ofClient: (client: string) =>
            [...clientOf].filter(([, of]) => of === client).map(([swap]) => ({ swap, network: 'arkade', amount: 1n })),
        },
      },
      workingSet: { readable: (id: string) => (unpaid.has(id) ? { row: row(id) } : null) },
    },
    loose: node.locks,
  } as unknown as ServiceContext;
  return {
    node,
    /** The swap's id, or why there is none. */
    create(client: string, amount: number): string {
      const id = `${clientOf.size}`;
      const holding = { swap: id, client, price: null, reserve: [], atRisk: sats(amount) };
      const open = () => shareUsedUp(context, {} as Direction, holding) ?? node.locks.reserve(id, sats(amount));
      const refused = open();
      // As where others in its transaction fail.
      expect(open()).toEqual(refused);
      if (refused !== null) return refused.refusal;
      clientOf.set(id, client);
      unpaid.add(id);
      return id;
    },
    pays: (id: string) => void unpaid.delete(id),
  };
}

test('fault 266, arkade: swaps that a client does not pay for leave half of the agreement to loose locks', () => {
  const { create, pays } = strangers();
  expect([create('a', 50_001), create('a', 50_000), create('a', 1)]).toEqual(['flood', '0', 'flood']);
  pays('0');
  expect([create('a', 25_001), create('a', 10_000), create('a', 15_001), create('a', 15_000)]).toEqual([
    ...['flood', '1', 'flood', '2'],
  ]);
});

test('fault 266, arkade: those of several clients leave as much as the last of them takes', () => {
  const { create, node } = strangers();
  expect(['a', 'b', 'c', 'd'].map((client) => create(client, 50_000))).toEqual(['0', ...Array(3).fill('flood')]);
  expect(['b', 'c', 'd'].map((client, at) => create(client, [25_000, 12_500, 6_250][at] ?? 0))).toEqual([
    '1',
    '2',
    '3',
  ]);
  expect([node.room(), create('a', 1), create('e', 3_126), create('e', 3_125)]).toEqual([6_250, 'flood', 'flood', '4']);
});
