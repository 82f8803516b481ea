import { beforeEach, expect, test, vi } from 'vitest';
import type { SluiceApi } from '../../../preload/api.ts';

/** The desktop's bridge over a table of answers; what is not in it is answered as an unknown route is. */
function bridge(answers: Record<string, { status: number; body: unknown }>): SluiceApi {
  return {
    host: { platform: 'linux', electron: '45' },
    call: async (route) => answers[route] ?? { status: 404, body: { error: 'There is nothing here.' } },
    on: () => () => {},
    setup: undefined as never,
  };
}

const good = (body: unknown) => ({ status: 200, body });
const status = { version: '0.1.0', network: 'regtest', started: 1, paused: null, networks: [], open_swaps: 1 };
const counts = { all: 1, open: 1, needs_you: 0, finished: 0, returned: 0 };
const listed = { id: 't1', direction: 'arkade-lightning' };
const answers = () => ({
  ownerStatus: good(status),
  takerSwaps: good({ swaps: [listed], next_cursor: null, counts }),
  sandbox: good({ clock: 1_795_000_000 }),
});

async function storeOver(api: SluiceApi) {
  vi.resetModules();
  vi.stubGlobal('window', { sluice: api });
  return (await import('../../../renderer/stores/records.ts')).useRecords;
}

beforeEach(() => vi.unstubAllGlobals());

test('one look gathers the node, our open swaps and the clock of the sandbox', async () => {
  const store = await storeOver(bridge(answers()));
  await store.getState().look();
  const { status: shown, swaps, counts: counted, sandbox, trouble, changes } = store.getState();
  expect([shown, swaps, counted, sandbox?.clock, trouble, changes]).toEqual([
    status,
    [listed],
    counts,
    1_795_000_000,
    null,
    1,
  ]);
});

test('on real networks there are no controls, and that is no trouble', async () => {
  const { sandbox: _sandbox, ...rest } = answers();
  const store = await storeOver(bridge(rest));
  await store.getState().look();
  expect([store.getState().sandbox, store.getState().swaps, store.getState().trouble]).toEqual([null, [listed], null]);
});

test('a life of the node on real networks is asked for the controls once, and its next life again', async () => {
  const { sandbox, ...rest } = answers();
  const table: Record<string, { status: number; body: unknown }> = rest;
  const { call, ...api } = bridge(table);
  let asks = 0;
  const counting: SluiceApi['call'] = (route, ...more) => {
    asks += route === 'sandbox' ? 1 : 0;
    return call(route, ...more);
  };
  const store = await storeOver({ ...api, call: counting });
  for (let i = 0; i < 3; i++) await store.getState().look();
  const inOneLife = asks;
  table['ownerStatus'] = good({ ...status, started: 2 });
  table['sandbox'] = sandbox;
  for (let i = 0; i < 2; i++) await store.getState().look();
  expect([inOneLife, asks, store.getState().sandbox?.clock]).toEqual([1, 2, 1_795_000_000]);
});

test('what the node says against a look is shown until the next good one, and what was read stays', async () => {
  const table = answers();
  const store = await storeOver(bridge(table));
  await store.getState().look();
  table.ownerStatus = { status: 503, body: { error: 'The node is starting: try again.' } } as never;
  await store.getState().look();
  const during = [store.getState().trouble, store.getState().swaps];
  table.ownerStatus = good(status);
  await store.getState().look();
  expect([during, store.getState().trouble]).toEqual([['The node is starting: try again.', [listed]], null]);
});
