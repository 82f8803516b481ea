import { expect, test } from 'vitest';
import type { ServiceContext } from '../../engine/service/context.ts';
import { status } from '../../engine/service/owner/status.ts';
import { nodeStatus } from '../../engine/service/reads.ts';

const absent = { state: 'absent' } as const;
const away = { state: 'away', detail: 'it is off' } as const;

const of = (networks: object) => ({
  arkade: () => absent,
  lightning: () => absent,
  bitcoin: () => absent,
  evm: () => [],
  ...networks,
});

function services(networks: object) {
  const all = of(networks);
  const runtime = { guard: { paused: () => null, closed: () => null } };
  return nodeStatus({ networks: all, runtime, live: () => true } as unknown as ServiceContext).services;
}

test('the status lists what the owner connected and nothing else, each chain by its own name', () => {
  const facts = { height: 5, time: 7 };
  const evm = ['137', '1', '42161', '31'].map((chain, i) => ({ chain, ...(i === 1 ? away : { state: 'connected' }) }));
  expect(services({ bitcoin: () => ({ state: 'connected', facts }), lightning: () => away, evm: () => evm })).toEqual({
    bitcoin: { healthy: true, block_height: 5, block_time: 7 },
    lightning: { healthy: false, error: 'the Lightning node does not answer' },
    polygon: { healthy: true },
    ethereum: { healthy: false, error: 'an RPC of chain 1 does not answer' },
    arbitrum: { healthy: true },
    rootstock: { healthy: true },
  });
  expect(services({})).toEqual({});
});

test('the owner is told why nothing new is begun over a chain that answers', () => {
  const evm = { chain: '137', state: 'connected', detail: '2 of 2 RPCs answer', height: 5, blockTime: 90 };
  const why = 'New swaps on this chain wait: not each of its RPCs shows its contracts yet.';
  const context = (sentence: string | null) => ({
    networks: { ...of({ evm: () => [evm] }), chains: new Map(), clocks: () => null },
    runtime: {
      workingSet: { all: () => [], size: 0 },
      guard: { paused: () => null, closed: () => null },
      clock: { now: () => ({ wall: 100, bitcoin: { mtp: null, height: null } }) },
    },
    markets: { closed: () => (sentence === null ? null : { sentence }) },
    config: { network: 'regtest' },
    live: () => true,
    renewal: { waiting: () => null },
  });
  const details = [null, why].map((sentence) => {
    const { networks } = status(context(sentence) as unknown as ServiceContext, { started: 1, version: '0' });
    return networks.find(({ name }) => name === 'evm:137')?.detail;
  });
  expect(details).toEqual(['2 of 2 RPCs answer', `2 of 2 RPCs answer. ${why}`]);
});
