import { keyOf, pay, send, walletScript } from '../support.ts';
import { type Bench, claim, claimed, paid, scriptOf, settled } from './bench.ts';
import type { Answer } from './compare.ts';
import { type Table, inBlocks, locked, syncing, unknownScript, unknownTxid } from './table.ts';

function listed(bench: Bench, query: string): Promise<Answer> {
  return bench.get(`/v1/indexer/vtxos?${query}`);
}

const page = 'page.index=0&page.size=500';
/** A week before everything, in milliseconds. */
const after = ({ clock }: Bench): string => `after=${(clock.now() - 604_800) * 1_000}`;

/** A settled coin of Bob's, straight from a batch. */
async function ofTarget(bench: Bench, query: string): Promise<Answer> {
  await settled(bench);
  return listed(bench, `scripts=${scriptOf(bench.target)}${query}`);
}

async function ofContract(
  bench: Bench,
  query = '',
  before: (bench: Bench) => unknown = () => undefined,
): Promise<Answer> {
  await before(bench);
  return listed(bench, `scripts=${scriptOf(bench.contract)}${query}`);
}

function expired({ operator, coin }: Bench): void {
  operator.faults.expire(keyOf(coin));
}

/** Alice's chain of change: each coin but the last is spent. */
async function changes(bench: Bench, count: number): Promise<string> {
  let { change } = bench;
  for (let i = 0; i < count; i++) ({ change } = await paid(bench, change, bench.target, 1_000));
  return scriptOf(bench.own);
}

async function sweptCoin(bench: Bench): Promise<void> {
  const commitment = await settled(bench);
  const { operator, clock } = bench;
  const [leaf] = operator.indexer.leaves(commitment);
  const of = { txid: leaf?.txid ?? '', vout: 0, value: 20_000, of: bench.target };
  await paid({ ...bench, own: bench.target, alice: bench.bob }, of, walletScript(operator, bench.alice), 15_000);
  clock.advance(604_673);
  operator.admin.sweeps.sweep([commitment]);
}

export const vtxos: Table = {
  'by script, page asked (index 1 shown): settled leaf': (bench) => ofTarget(bench, `&${page}`),
  'by script, page asked (index 1 shown): none': (bench) => listed(bench, `scripts=${scriptOf(bench.target)}&${page}`),
  'by script, after, page asked (index 1 shown): settled leaf': (bench) => ofTarget(bench, `&${after(bench)}&${page}`),
  'by script: preconfirmed': (bench) => ofContract(bench),
  'by script, after, page asked (index 1 shown): several coins': async (bench) => {
    for (const amount of [1_000, 2_000]) pay(bench.operator, bench.target, amount);
    return listed(bench, `scripts=${scriptOf(bench.target)}&scripts=${unknownScript}&${after(bench)}&${page}`);
  },
  'by script: none': (bench) => listed(bench, `scripts=${scriptOf(bench.target)}`),
  'by script, spendableOnly: preconfirmed': (bench) => ofContract(bench, '&spendableOnly=true', expired),
  'by script, recoverableOnly: preconfirmed': (bench) => ofContract(bench, '&recoverableOnly=true', expired),
  'by script, renewableOnly: preconfirmed': (bench) => ofContract(bench, '&renewableOnly=true', expired),
  'by script, spentOnly: none': (bench) => ofContract(bench, '&spentOnly=true', expired),
  'by script: settled while recoverable, spentBy empty': (bench) =>
    ofContract(bench, '', async () => {
      expired(bench);
      await settled(bench);
    }),
  'by script, page asked (index 1 shown): several coins': async (bench) => {
    for (const amount of [1_000, 2_000]) pay(bench.operator, bench.target, amount);
    return listed(bench, `scripts=${scriptOf(bench.target)}&${page}`);
  },
  'by script: swept': async (bench) => {
    await sweptCoin(bench);
    return listed(bench, `scripts=${scriptOf(bench.own)}&recoverableOnly=true`);
  },
  'by script, page asked (index 1 shown): preconfirmed': (bench) => ofContract(bench, `&${page}`),
  'by script, after, page asked (index 1 shown): preconfirmed': (bench) =>
    ofContract(bench, `&scripts=${unknownScript}&${after(bench)}&${page}`),
  'HTTP 400: indexer service not ready: wallet is locked or syncing': (bench) => ofContract(bench, '', syncing),
  'HTTP 503: server not ready': (bench) => ofContract(bench, '', locked),
  'by script, pendingOnly, page asked (index 1 shown): none': (bench) => ofContract(bench, `&pendingOnly=true&${page}`),
  'by outpoint: none': (bench) => listed(bench, `outpoints=${unknownTxid}%3A0`),
  'by outpoint: preconfirmed': (bench) => listed(bench, `outpoints=${encodeURIComponent(keyOf(bench.coin))}`),
  'by script: spent offchain': (bench) => ofContract(bench, '', claimed),
  'by script: settled live, spentBy = forfeit': (bench) => ofContract(bench, '', (here) => settled(here)),
  'HTTP 400: spendable, spent, recoverable, pending and renewable filters are mutually exclusive': (bench) =>
    ofContract(bench, '&spendableOnly=true&spentOnly=true'),
  'HTTP 400: missing outpoints or scripts filter': (bench) => bench.get('/v1/indexer/vtxos'),
  'by script, page asked (index 1 shown): spent offchain': async (bench) => {
    const { coin } = await paid(bench, bench.change, bench.contract, 20_000);
    for (const each of [bench.coin, coin]) send(bench.operator, await claim(bench, each));
    return listed(bench, `scripts=${scriptOf(bench.contract)}&page.size=1&page.index=0`);
  },
  'by script: several coins': async (bench) => {
    const { change } = await paid(bench, bench.change, bench.target, 3_000);
    await paid(bench, change, bench.target, 4_000);
    return listed(bench, `scripts=${scriptOf(bench.target)}`);
  },
  'by script: unrolled': (bench) => ofContract(bench, '', ({ operator, coin }) => operator.faults.unroll(keyOf(coin))),
  'by script, after, page asked (index 1 shown): settled live, spentBy = forfeit': (bench) =>
    ofContract(bench, `&${after(bench)}&${page}`, (here) => settled(here)),
  'by script, pendingOnly: submitted, not finalized': (bench) =>
    ofContract(bench, '&pendingOnly=true', async (here) => send(here.operator, await claim(here))),
  'by script, after, page asked (index 1 shown): none': (bench) =>
    listed(bench, `scripts=${scriptOf(bench.target)}&scripts=${unknownScript}&${after(bench)}&${page}`),
  'by script, page asked (index 1 shown): several coins #2': async (bench) =>
    listed(bench, `scripts=${await changes(bench, 1)}&page.index=0&page.size=3`),
  'by script, page asked (index 2 shown): several coins': async (bench) =>
    listed(bench, `scripts=${await changes(bench, 3)}&page.index=2&page.size=2`),
  'by script, page asked (index 99 shown): none': async (bench) =>
    listed(bench, `scripts=${await changes(bench, 1)}&page.index=99&page.size=2`),
  'HTTP 400: outpoints and scripts filters are mutually exclusive': (bench) =>
    ofContract(bench, `&outpoints=${keyOf(bench.coin)}`),
  'HTTP 400: invalid outpoint format': (bench) => listed(bench, 'outpoints=xx'),
  'HTTP 400: invalid script format, must be hex': (bench) => listed(bench, 'scripts=zz'),
  'by script, recoverableOnly: swept': async (bench) => {
    await sweptCoin(bench);
    return listed(bench, `scripts=${scriptOf(bench.own)}&recoverableOnly=true`);
  },
};

async function ofBatch(
  bench: Bench,
  path: (commitment: string) => string,
  then: (commitment: string) => void = () => undefined,
): Promise<Answer> {
  const commitment = await settled(bench);
  then(commitment);
  return bench.get(`/v1/indexer/${path(commitment)}`);
}

function sweep({ operator, clock }: Bench): (commitment: string) => void {
  return (commitment) => {
    clock.advance(604_673);
    operator.admin.sweeps.sweep([commitment]);
  };
}

export const asset: Table = {
  'HTTP 500: asset HEX not found': ({ get }) => get(`/v1/indexer/asset/${unknownTxid}0000`),
};
export const batchSweepTxs: Table = {
  'not swept': (bench) => ofBatch(bench, (txid) => `batch/${txid}/0/sweepTxs`),
  'swept batch': (bench) => ofBatch(bench, (txid) => `batch/${txid}/0/sweepTxs`, sweep(bench)),
};
export const batchTreeLeaves: Table = { leaves: (bench) => ofBatch(bench, (txid) => `batch/${txid}/0/tree/leaves`) };
export const batchTree: Table = {
  tree: (bench) => ofBatch(bench, (txid) => `batch/${txid}/0/tree`),
  'unknown batch: empty list': ({ get }) => get(`/v1/indexer/batch/${unknownTxid}/0/tree`),
};
export const connectors: Table = { connectors: (bench) => ofBatch(bench, (txid) => `commitmentTx/${txid}/connectors`) };
export const forfeitTxs: Table = { forfeits: (bench) => ofBatch(bench, (txid) => `commitmentTx/${txid}/forfeitTxs`) };
export const commitmentTx: Table = {
  'commitment tx of a live batch': (bench) => ofBatch(bench, (txid) => `commitmentTx/${txid}`),
  'HTTP 500: batch not found': ({ get }) => get(`/v1/indexer/commitmentTx/${unknownTxid}`),
  'commitment tx of a swept batch': (bench) => ofBatch(bench, (txid) => `commitmentTx/${txid}`, sweep(bench)),
};
export const scriptSubscription: Table = {
  'HTTP 501: Streaming Method Not Allowed': ({ get }) =>
    get('/v1/indexer/script/subscription/00000000-0000-0000-0000-000000000000'),
};
export const virtualTx: Table = {
  'virtual tx': ({ get, coin }) => get(`/v1/indexer/virtualTx/${coin.txid}`),
  'unknown txid: empty list': ({ get }) => get(`/v1/indexer/virtualTx/${unknownTxid}`),
  'virtual tx, page asked': ({ get, coin }) => get(`/v1/indexer/virtualTx/${coin.txid}?page.index=0&page.size=2`),
};
export const vtxoChain: Table = {
  chain: ({ get, coin }) => get(`/v1/indexer/vtxo/${coin.txid}/0/chain`),
  'HTTP 500: vtxo not found for outpoint: [HEX:0]': ({ get }) => get(`/v1/indexer/vtxo/${unknownTxid}/0/chain`),
  'chain, page asked': ({ get, coin }) => get(`/v1/indexer/vtxo/${coin.txid}/0/chain?page.index=0&page.size=2`),
  'HTTP 400: invalid txid format': ({ get }) => get('/v1/indexer/vtxo/zz/0/chain'),
};

export const info: Table = {
  'ready, delays in seconds': ({ get }) => get('/v1/info'),
  'ready, delays in blocks': { settings: inBlocks, act: ({ get }) => get('/v1/info') },
  'HTTP 400: ark service not ready: wallet is locked or syncing': (bench) => {
    syncing(bench);
    return bench.get('/v1/info');
  },
  'HTTP 503: server not ready': (bench) => {
    locked(bench);
    return bench.get('/v1/info');
  },
  'ready, after unilateralExitDelay was raised': async ({ get, admin }) => {
    await admin('settings', {
      settings: { unilateralExitDelay: '1024', publicUnilateralExitDelay: '1024', boardingExitDelay: '2048' },
    });
    return get('/v1/info');
  },
  'ready, delays in seconds, X-Build-Version 0.1.0 sent': ({ ask }) =>
    ask('GET', '/v1/info', undefined, { 'x-build-version': '0.1.0' }),
  'ready, delays in seconds, intent fees set': async ({ get, admin }) => {
    await admin('intentFees', { fees: { offchainInputFee: '100.0', offchainOutputFee: '50.0' } });
    return get('/v1/info');
  },
  'ready, delays in seconds, X-Build-Version 0.9.9 sent': ({ ask }) =>
    ask('GET', '/v1/info', undefined, { 'x-build-version': '0.9.9' }),
  'ready, delays in blocks, X-Build-Version 0.9.9 sent': {
    settings: inBlocks,
    act: ({ ask }) => ask('GET', '/v1/info', undefined, { 'x-build-version': '0.9.9' }),
  },
};
