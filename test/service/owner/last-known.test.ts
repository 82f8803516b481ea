import { describe, expect, test } from 'vitest';
import type { Network } from '../../../engine/domain/chain.ts';
import type { Balances } from '../../../engine/contract/owner/wallets.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { createLastKnown } from '../../../engine/service/owner/last-known.ts';
import { openStore } from '../../store/support.ts';

type Row = Balances['balances'][number];
const row = (network: Network, available: string): Row =>
  ({ network, asset: 'btc', available, reserved: '0', locked: '0', pending: '0' }) as Row;

function setUp() {
  const { store } = openStore();
  const lastAnswers = new Map<Network, number>([
    ['lightning', 100],
    ['bitcoin', 100],
  ]);
  let rows: Row[] = [row('lightning', '7000'), row('bitcoin', '5000')];
  let away: Network[] = [];
  const context = {
    networks: { heardAt: (network: Network) => lastAnswers.get(network) ?? null, away: () => away },
    runtime: { store },
  } as unknown as Pick<ServiceContext, 'networks' | 'runtime'>;
  return {
    store,
    create: () => createLastKnown(context, () => rows),
    hear: (network: Network, at: number, held: string) => {
      lastAnswers.set(network, at);
      rows = [...rows.filter((one) => one.network !== network), row(network, held)];
    },
    leave: (network: Network) => {
      away = [network];
      rows = rows.filter((one) => one.network !== network);
    },
    answer: () => (away = []),
  };
}

describe('the balances of a network that is away', () => {
  test('are those of when it was last heard, with that time', () => {
    const node = setUp();
    const memory = node.create();
    memory.note('lightning');
    node.hear('lightning', 200, '9000');
    memory.note('lightning');
    node.leave('lightning');
    memory.note('lightning');
    expect(memory.away()).toEqual([{ ...row('lightning', '9000'), as_of: 200 }]);
  });

  test('are there again after a start, and are not shown beside rows of now', () => {
    const node = setUp();
    node.create().note('bitcoin');
    node.leave('bitcoin');
    const restarted = node.create();
    expect(restarted.away()).toEqual([{ ...row('bitcoin', '5000'), as_of: 100 }]);
    node.answer();
    expect(restarted.away()).toEqual([]);
  });

  test('of one that was never heard are no row, and an unreadable memory is none', () => {
    const node = setUp();
    node.leave('arkade');
    const memory = node.create();
    memory.note('arkade');
    expect(memory.away()).toEqual([]);
    node.store.settings.put('balances.known', { lightning: 'nonsense' });
    node.leave('lightning');
    expect(node.create().away()).toEqual([]);
  });
});
