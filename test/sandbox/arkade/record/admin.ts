import { banned, short } from './batch.ts';
import { type Bench, scriptOf, settled } from './bench.ts';
import type { Answer } from './compare.ts';
import type { Table } from './table.ts';

async function convictedScript(bench: Bench): Promise<string> {
  await banned(bench);
  return scriptOf(bench.contract);
}

function fresh({ operator }: Bench): void {
  operator.admin.wallet.set({ initialized: false, unlocked: false, synced: false });
}

async function made(bench: Bench): Promise<Answer> {
  const { seed } = (await bench.admin('wallet/seed')).body as { seed: string };
  return bench.admin('wallet/create', { seed, password: 'only here' });
}

export const admin: Table = {
  'GET /v1/admin/wallet/status': ({ admin: ask }) => ask('wallet/status'),
  'GET /v1/admin/wallet/seed': ({ admin: ask }) => ask('wallet/seed'),
  'POST /v1/admin/wallet/create': (bench) => {
    fresh(bench);
    return made(bench);
  },
  'POST /v1/admin/wallet/create: HTTP 500: rpc error: code = Unknown desc = wallet already initialized': made,
  'POST /v1/admin/wallet/unlock': async (bench) => {
    fresh(bench);
    await made(bench);
    return bench.admin('wallet/unlock', { password: 'only here' });
  },
  'GET /v1/admin/wallet/address': ({ admin: ask }) => ask('wallet/address'),
  'GET /v1/admin/wallet/balance': ({ admin: ask }) => ask('wallet/balance'),
  'POST /v1/admin/note': ({ admin: ask }) => ask('note', { amount: 5_000, quantity: 1 }),
  'POST /v1/admin/note: HTTP 400: amount must be greater than 0': ({ admin: ask }) =>
    ask('note', { amount: 0, quantity: 1 }),
  'POST /v1/admin/sweep: HTTP 500: no funds to sweep': ({ admin: ask }) =>
    ask('sweep', { commitmentTxids: [], withConnectors: false }),
  'GET /v1/admin/convictionsByScript/:script (convicted)': {
    settings: short,
    act: async (bench) => bench.admin(`convictionsByScript/${await convictedScript(bench)}`),
  },
  'GET /v1/admin/convictionsByScript/:script (none)': (bench) =>
    bench.admin(`convictionsByScript/${scriptOf(bench.contract)}`),
  'POST /v1/admin/convictions/:id/pardon': {
    settings: short,
    act: async (bench) => {
      const [conviction] = bench.operator.admin.convictions(await convictedScript(bench));
      return bench.admin(`convictions/${conviction?.id}/pardon`, {});
    },
  },
  'POST /v1/admin/intentFees': ({ admin: ask }) =>
    ask('intentFees', { fees: { offchainInputFee: '100.0', offchainOutputFee: '50.0' } }),
  'GET /v1/admin/intentFees': ({ admin: ask }) => ask('intentFees'),
  'POST /v1/admin/intentFees/clear': ({ admin: ask }) => ask('intentFees/clear', {}),
  'GET /v1/admin/settings': ({ admin: ask }) => ask('settings'),
  'POST /v1/admin/settings': ({ admin: ask }) => ask('settings', { settings: { sessionDuration: '4' } }),
  'POST /v1/admin/settings: HTTP 500: unilateral exit delay and boarding exit delay must be different': ({
    admin: ask,
  }) => ask('settings', { settings: { unilateralExitDelay: '1024' } }),
  'POST /v1/admin/settings: HTTP 500: invalid session duration (1s), must be at least 2s': ({ admin: ask }) =>
    ask('settings', { settings: { sessionDuration: '1' } }),
  'POST /v1/admin/settings: HTTP 500: all delays must be above or below value N (checkpoint exit delay and vtxo tree expiry type mismat...':
    ({ admin: ask }) => ask('settings', { settings: { vtxoTreeExpiry: '30' } }),
  'GET /v1/admin/intents': ({ admin: ask }) => ask('intents'),
  'GET /v1/admin/sweeps (scheduled)': async (bench) => {
    await settled(bench);
    return bench.admin('sweeps');
  },
  'GET /v1/admin/sweeps (none)': ({ admin: ask }) => ask('sweeps'),
};
