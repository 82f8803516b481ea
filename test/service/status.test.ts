import { expect, test } from 'vitest';
import type { ServiceContext } from '../../engine/service/context.ts';
import { nodeStatus } from '../../engine/service/reads.ts';

const absent = { state: 'absent' } as const;
const away = { state: 'away', detail: 'it is off' } as const;

function services(networks: object) {
  const all = { arkade: () => absent, lightning: () => absent, bitcoin: () => absent, evm: () => [], ...networks };
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
