import { expect, test } from 'vitest';
import type { ServiceContext } from '../../engine/service/context.ts';
import { balancesNow, status } from '../../engine/service/owner/status.ts';
import { nodeStatus } from '../../engine/service/reads.ts';

const absent = { state: 'absent' } as const;
const away = { state: 'away', detail: 'it is off' } as const;

const of = (networks: object) => ({
  arkade: () => absent,
  lightning: () => absent,
  bitcoin: () => absent,
  lacksToClose: () => null,
  evm: () => [],
  ...networks,
});

function statusOf(networks: object) {
  const all = of(networks);
  const runtime = { guard: { paused: () => null, closed: () => null } };
  return nodeStatus({ networks: all, runtime, live: () => true } as unknown as ServiceContext);
}

const unconnected = { healthy: false, error: 'this node is not connected to it' };
const none = {
  ...{ arkade: unconnected, bitcoin: unconnected },
  ...{ polygon: unconnected, ethereum: unconnected, arbitrum: unconnected },
};

test('the status tells each network that clients read, and others where the owner connected them', () => {
  const facts = { height: 5, time: 7 };
  const evm = ['137', '1', '42161', '31'].map((chain, i) => ({ chain, ...(i === 1 ? away : { state: 'connected' }) }));
  const { services } = statusOf({
    bitcoin: () => ({ state: 'connected', facts }),
    lightning: () => away,
    evm: () => evm,
  });
  expect(services).toEqual({
    arkade: unconnected,
    bitcoin: { healthy: true, block_height: 5, block_time: 7 },
    lightning: { healthy: false, error: 'the Lightning node does not answer' },
    polygon: { healthy: true },
    ethereum: { healthy: false, error: 'an RPC of chain 1 does not answer' },
    arbitrum: { healthy: true },
    rootstock: { healthy: true },
  });
  expect(statusOf({})).toMatchObject({ healthy: false, services: none });
});

test('a node is healthy while each network that it is connected to answers, a chain like the others', () => {
  const bitcoin = () => ({ state: 'connected', facts: { height: 5, time: 7 } });
  const chains = (state: object) => () => [
    { chain: '137', state: 'connected' },
    { chain: '1', ...state },
  ];
  expect(
    [absent, { state: 'connected' }, away].map((state) => statusOf({ bitcoin, evm: chains(state) }).healthy),
  ).toEqual([true, true, false]);
});

test('the owner is told why nothing new is begun over a chain that answers', () => {
  const evm = { chain: '137', state: 'connected', detail: '2 of 2 RPCs answer', height: 5, blockTime: 90 };
  const why = 'New swaps on this chain wait: not each of its RPCs shows its contracts yet.';
  const facts = { info: { alias: 'mine', version: '0.20.2', height: 5 } };
  const lightning = () => ({ state: 'connected', readAt: 99, facts });
  const context = (sentence: string | null) => ({
    networks: {
      ...of({ evm: () => [evm], lightning, lacksToClose: () => sentence }),
      chains: new Map(),
      clocks: () => null,
    },
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
    return networks.flatMap(({ state, detail }) => (state === 'connected' ? [detail] : []));
  });
  expect(details).toEqual([
    ['mine, 0.20.2', '2 of 2 RPCs answer'],
    [`mine, 0.20.2. ${why} New swaps over it wait.`, `2 of 2 RPCs answer. ${why}`],
  ]);
});

test('the same sats are promised or locked, and what left with its claim is neither', () => {
  const swap = (status: string, at: string) => ({
    machine: { reserves: (progress: { at: string }) => progress.at === 'funded' },
    row: { status, progress: { at }, valueSats: 100n },
  });
  const lockedOf = (...swaps: object[]) => {
    const arkade = { state: 'connected', facts: { balance: { pending: 0n, recoverable: 0n }, onchainCoins: [] } };
    const context = {
      networks: {
        ...of({ arkade: () => arkade }),
        ...{ bitcoinWallet: () => absent, arkadeFree: () => 0n, chains: new Map() },
      },
      directions: { of: () => ({ locksOn: 'arkade', chainOf: () => null }) },
      runtime: { workingSet: { all: () => swaps }, store: { reservations: { totals: () => new Map() } } },
    };
    return balancesNow(context as unknown as ServiceContext).map(({ locked }) => locked);
  };
  expect([
    lockedOf(swap('clientfunded', 'funded')),
    lockedOf(swap('clientfunded', 'locking')),
    lockedOf(swap('serverfunded', 'locked'), swap('clientredeeming', 'relaying')),
    lockedOf(swap('clientredeemed', 'claiming')),
  ]).toEqual([['0'], ['100'], ['200'], ['0']]);
});
