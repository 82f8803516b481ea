// @vitest-environment node
import { beforeEach, expect, test, vi } from 'vitest';
import type { SluiceApi } from '../../preload/api.ts';

type Bridge = Pick<SluiceApi, 'host' | 'call' | 'on'>;

/** The desktop's bridge over a table of answers; what is not in it is answered as an unknown route is. */
function bridge(answers: Record<string, { status: number; body: unknown }>): Bridge & { readonly calls: unknown[] } {
  const calls: unknown[] = [];
  return {
    calls,
    host: { platform: 'linux', electron: '45' },
    call: async (route, args) => {
      calls.push([route, args]);
      return answers[route] ?? { status: 404, body: { error: 'There is nothing here.' } };
    },
    on: () => () => {},
  };
}

const good = (body: unknown) => ({ status: 200, body });
const status = {
  version: '0.1.0',
  network: 'regtest',
  started: 1,
  paused: null,
  networks: [],
  open_swaps: 1,
  at_risk_sats: 0,
};
const listed = { id: 't1', direction: 'arkade-lightning', pay: { text: 'tark1x' }, give: { sats: 25_072 } };
const answers = () => ({
  ownerStatus: good(status),
  ownerSwaps: good({ swaps: [{ id: 'p1' }], next_cursor: null }),
  takerSwaps: good({ swaps: [listed] }),
  createTakerSwap: good({ id: 't1' }),
  sandbox: good({ clock: Math.floor(Date.now() / 1_000) + 5_000 }),
  lightningInvoice: good({ bolt11: 'lnbcrt1x', payment_hash: '00' }),
  arkadeFaucet: good({ txid: '00', vout: 0 }),
});

async function storeOver(api: Bridge) {
  vi.resetModules();
  vi.stubGlobal('window', { sluice: api });
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => {}, removeItem: () => {} });
  return (await import('../../renderer/stores/node.ts')).useNode;
}

beforeEach(() => vi.unstubAllGlobals());

test('one look gathers the node, its swaps, our swaps and how far the sandbox clock is ahead', async () => {
  const store = await storeOver(bridge(answers()));
  await store.getState().look();
  const { status: shown, swaps, taker, trouble, clockAhead } = store.getState();
  expect([shown, swaps, taker, trouble, Math.round(clockAhead / 10)]).toEqual([
    status,
    [{ id: 'p1' }],
    [listed],
    null,
    500,
  ]);
});

test('on real networks there are no controls, and that is no trouble', async () => {
  const { sandbox: _sandbox, ...rest } = answers();
  const store = await storeOver(bridge(rest));
  await store.getState().look();
  expect([store.getState().sandbox, store.getState().taker, store.getState().trouble]).toEqual([null, [listed], null]);
});

test('what was funded is asked back for the swap that it belongs to', async () => {
  const api = bridge({ ...answers(), refundTakerSwap: good({ at: 'asking' }) });
  const store = await storeOver(api);
  await store.getState().refund(listed as never);
  expect(api.calls.find((call) => (call as string[])[0] === 'refundTakerSwap')).toEqual([
    'refundTakerSwap',
    { params: { id: listed.id }, body: {} },
  ]);
});

test('what the node says against a look is shown, and gone with the next good one', async () => {
  const table = answers();
  const store = await storeOver(bridge(table));
  table.ownerStatus = { status: 503, body: { error: 'The node is starting: try again.' } } as never;
  await store.getState().look();
  const during = store.getState().trouble;
  table.ownerStatus = good(status);
  await store.getState().look();
  expect([during, store.getState().trouble]).toEqual(['The node is starting: try again.', null]);
});

test('a swap to Lightning is given an invoice of the outside wallet, and funded exactly', async () => {
  const api = bridge(answers());
  const store = await storeOver(api);
  await store.getState().startSwap('arkade-lightning', 25_000);
  await store.getState().fund(listed as never);
  const acts = api.calls.filter((call) =>
    ['lightningInvoice', 'createTakerSwap', 'arkadeFaucet'].includes((call as string[])[0] ?? ''),
  );
  expect(acts).toEqual([
    ['lightningInvoice', { body: { amount_sats: 25_000 } }],
    ['createTakerSwap', { body: { direction: 'arkade-lightning', amount_sats: 25_000, invoice: 'lnbcrt1x' } }],
    ['arkadeFaucet', { body: { address: 'tark1x', amount: 25_072 } }],
  ]);
});
