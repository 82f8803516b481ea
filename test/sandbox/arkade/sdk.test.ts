import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ArkAddress,
  EsploraProvider,
  InMemoryContractRepository,
  InMemoryWalletRepository,
  RestArkProvider,
  RestIndexerProvider,
  type SettlementEvent,
  SingleKey,
  Wallet,
  maybeArkError,
} from '@arkade-os/sdk';
import { EventSource } from 'eventsource';
import { hex } from '@scure/base';
import { sats } from '../../../engine/domain/money.ts';
import type { ArkadeServer } from '../../../engine/sandbox/wire/arkade/server.ts';
import { serveArkade } from '../../../engine/sandbox/wire/arkade.ts';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import { arkProviderOf, indexerProviderOf } from '../../support/sandbox-ports/arkade-providers.ts';
import { testOperator } from './support.ts';

let operator: Operator;
let server: ArkadeServer;
const wallets: Wallet[] = [];
const before = globalThis.EventSource;

beforeAll(() => {
  globalThis.EventSource = EventSource as unknown as typeof globalThis.EventSource;
});
afterAll(() => {
  globalThis.EventSource = before;
});
beforeEach(async () => {
  ({ operator } = testOperator());
  server = await serveArkade(operator, { port: 0 });
});
afterEach(async () => {
  for (const wallet of wallets.splice(0)) await wallet.dispose();
  operator.stop();
  await server.stop();
});

class NoChain extends EsploraProvider {
  override async getCoins(): Promise<[]> {
    return [];
  }
}

async function openWallet(funds: readonly number[]): Promise<{ wallet: Wallet; address: string }> {
  const wallet = await Wallet.create({
    identity: SingleKey.fromRandomBytes(),
    arkProvider: transports[transport].ark(),
    indexerProvider: transports[transport].indexer(),
    onchainProvider: new NoChain('http://127.0.0.1:1', { forcePolling: true, pollingInterval: 3_600_000 }),
    storage: { walletRepository: new InMemoryWalletRepository(), contractRepository: new InMemoryContractRepository() },
    settlementConfig: false,
  });
  wallets.push(wallet);
  const address = await wallet.getAddress();
  for (const amount of funds) operator.faucet(address, sats(amount));
  return { wallet, address };
}

async function settleAll(wallet: Wallet, address: string, events: string[] = []): Promise<string> {
  const coins = await wallet.getVtxos({ withRecoverable: true });
  const amount = coins.reduce((sum, coin) => sum + BigInt(coin.value), 0n);
  return wallet.settle(
    { inputs: coins, outputs: [{ address, amount }] },
    (event: SettlementEvent) => void events.push(event.type),
  );
}

const transports = {
  'over HTTP': { ark: () => new RestArkProvider(server.url), indexer: () => new RestIndexerProvider(server.url) },
  'in process': { ark: () => arkProviderOf(operator), indexer: () => indexerProviderOf(operator) },
};
let transport: keyof typeof transports;

describe.each(Object.keys(transports) as (keyof typeof transports)[])('the unmodified SDK %s', (name) => {
  beforeEach(() => {
    transport = name;
  });

  test('sends a coin and sees what arrived and what changed', async () => {
    const payer = await openWallet([100_000]);
    const payee = await openWallet([]);
    const txid = await payer.wallet.send({ address: payee.address, amount: 30_000 });
    const balance = async ({ wallet }: { wallet: Wallet }) => (await wallet.getBalance()).available;
    expect({ payer: await balance(payer), payee: await balance(payee), txid }).toEqual({
      payer: 70_000,
      payee: 30_000,
      txid: (await payee.wallet.getVtxos())[0]?.txid,
    });
  });

  test('finalizes what a crash left pending', async () => {
    const payer = await openWallet([100_000]);
    const payee = await openWallet([]);
    operator.faults.loseNextSubmit();
    await expect(payer.wallet.send({ address: payee.address, amount: 30_000 })).rejects.toThrow('request failed');
    const pending = await transports[transport]
      .indexer()
      .getVtxos({ scripts: [scriptOf(payer.address)], pendingOnly: true });
    const recovered = await payer.wallet.finalizePendingTxs();
    expect({
      pending: pending.vtxos.length,
      recovered: recovered.finalized.length,
      payee: (await payee.wallet.getBalance()).available,
    }).toEqual({
      pending: 1,
      recovered: 1,
      payee: 30_000,
    });
  });

  test('renews two live coins in one batch, each forfeited over its own connector', async () => {
    const { wallet, address } = await openWallet([40_000, 2_000]);
    const events: string[] = [];
    const commitmentTxid = await settleAll(wallet, address, events);
    const indexer = transports[transport].indexer();
    const { vtxos } = await indexer.getVtxos({ scripts: [scriptOf(address)] });
    const forfeits = await indexer.getCommitmentTxForfeitTxs(commitmentTxid);
    const spent = vtxos.filter((coin) => coin.isSpent);
    expect({
      live: vtxos
        .filter((coin) => !coin.isSpent)
        .map(({ value, isPreconfirmed, commitmentTxIds }) => ({ value, isPreconfirmed, commitmentTxIds })),
      spent: spent.map(({ settledBy, arkTxId }) => ({ settledBy, arkTxId })),
      forfeits: spent.map(({ spentBy }) => spentBy).sort(),
      events,
    }).toEqual({
      live: [{ value: 42_000, isPreconfirmed: false, commitmentTxIds: [commitmentTxid] }],
      spent: [1, 2].map(() => ({ settledBy: commitmentTxid, arkTxId: '' })),
      forfeits: [...forfeits.txids].sort(),
      events: [
        'stream_started',
        'batch_started',
        'tree_tx',
        'tree_signing_started',
        'tree_nonces',
        'tree_signature',
        'tree_tx',
        'tree_tx',
        'tree_tx',
        'batch_finalization',
        'batch_finalized',
      ],
    });
  });

  test('renews expired coins without forfeits and without connectors', async () => {
    const { wallet, address } = await openWallet([40_000]);
    const [coin] = operator.indexer.coins({ scripts: [scriptOf(address)] });
    operator.faults.expire(`${coin?.txid}:0`);
    const events: string[] = [];
    await settleAll(wallet, address, events);
    const [spent] = operator.indexer.coins({ outpoints: [`${coin?.txid}:0`] });
    expect({
      events: events.filter((type) => type === 'tree_tx').length,
      spentBy: spent?.spentBy,
      settled: spent?.settledBy !== '',
    }).toEqual({
      events: 1,
      spentBy: '',
      settled: true,
    });
  });

  test('renews for three wallets in one round, under a common root', async () => {
    operator.configure({ stages: { registration: 1_000, confirmation: 20_000, finalization: 40_000 } });
    const three = await Promise.all([1, 2, 3].map((i) => openWallet([i * 10_000])));
    const commitments = await Promise.all(three.map(({ wallet, address }) => settleAll(wallet, address)));
    const [commitment = ''] = commitments;
    const tree = operator.indexer.tree(commitment);
    expect({
      commitments: new Set(commitments).size,
      nodes: tree.length,
      children: Object.keys(tree[0]?.children ?? {}).length,
    }).toEqual({
      commitments: 1,
      nodes: 4,
      children: 3,
    });
    await three[0]?.wallet.send({ address: three[1]?.address ?? '', amount: 5_000 });
  });

  test('pays out to the chain', async () => {
    const { wallet, address } = await openWallet([50_000]);
    const [coin] = await wallet.getVtxos();
    const outputs = [
      { address: 'bcrt1qzcf4pqyxk36wwkth2edjlaqr85m86dyzeg84jx', amount: 20_000n },
      { address, amount: 30_000n },
    ];
    const commitment = await wallet.settle({ inputs: coin === undefined ? [] : [coin], outputs });
    expect(operator.indexer.commitment(commitment)).toMatchObject({
      totalInputAmount: '50000',
      totalOutputAmount: '30000',
    });
  });

  test('learns of a coin through its subscription', async () => {
    const { address } = await openWallet([]);
    const indexer = transports[transport].indexer();
    const script = scriptOf(address);
    const id = await indexer.subscribeForScripts([script]);
    const stop = new AbortController();
    const events = indexer.getSubscription(id, stop.signal);
    const next = events.next();
    operator.faults.dropNextEvent();
    operator.faucet(address, sats(1_000));
    operator.faucet(address, sats(2_000));
    const { value } = await next;
    expect(value).toMatchObject({ scripts: [script], newVtxos: [{ value: 2_000, isSpent: false }], spentVtxos: [] });
    stop.abort();
    await events.return?.();
  });

  test('reads refusals as numbered errors, a stale digest included', async () => {
    const provider = transports[transport].ark();
    await provider.getInfo();
    const answer = await provider.submitTx('AAAA', ['AAAA']).catch((error: unknown) => error);
    operator.configure({ banDuration: 60, vtxoExpiry: 512_000 });
    operator.configure({ exitDelay: 1_024 });
    expect([answer, maybeArkError(answer)]).toMatchObject([{ code: 1, name: 'INVALID_ARK_PSBT' }, undefined]);
    await expect(provider.submitTx('AAAA', ['AAAA'])).rejects.toThrow('digest mismatch');
    await expect(provider.submitTx('AAAA', ['AAAA'])).rejects.toMatchObject({ code: 1 });
  });

  test('is told when nobody answers', async () => {
    const provider = transports[transport].ark();
    operator.faults.away();
    await expect(provider.getInfo()).rejects.toThrow();
    operator.faults.back();
    expect((await provider.getInfo()).network).toBe('regtest');
  });
});

function scriptOf(address: string): string {
  return hex.encode(ArkAddress.decode(address).pkScript);
}
