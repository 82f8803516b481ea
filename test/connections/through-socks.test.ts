import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSocksServer, type SocksServer } from '../support/socks-server.ts';
import { eventually } from '../stories/wire-node.ts';
import { startEvmRpc, type EvmRpc } from './evm-rpc.ts';
import { startNetworks, startOwnNode, type OwnNetworks, type OwnNode } from './own-node.ts';

let networks: OwnNetworks;
let evm: EvmRpc;
let proxy: SocksServer;
let folder: string;
let node: OwnNode | null;

beforeAll(async () => {
  networks = await startNetworks();
  evm = await startEvmRpc(137);
});
afterAll(async () => {
  await evm.stop();
  await networks.stop();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-socks-'));
  const { arkade, bitcoin, lnd } = networks.endpoints;
  const portOf = (address: string): number => Number(address.split(':').at(-1)?.replace(/\D.*$/, ''));
  proxy = await startSocksServer({
    'operator.test:80': portOf(arkade.url),
    'chain.test:80': portOf(bitcoin.esploraUrl),
    'core.test:80': portOf(bitcoin.rpc.url),
    'lnd.test:10009': portOf(lnd.socket),
    'evm.test:80': portOf(evm.url),
  });
  node = null;
});
afterEach(async () => {
  await node?.stop();
  await proxy.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(`${folder}.json`, { force: true });
});

async function states(on: OwnNode): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await on.networks()).map(([name, { state }]) => [name, state]));
}

test('with a proxy in the settings every network is reached through it by its name, and none without it', async () => {
  const { bitcoin, lnd } = networks.endpoints;
  const { pathname } = new URL(bitcoin.esploraUrl);
  node = await startOwnNode(folder, { network: 'regtest', socks: proxy.url });
  const changed = await node.patch({
    arkade: { url: 'http://operator.test' },
    bitcoin: {
      core: { url: 'http://core.test', user: bitcoin.rpc.user, password: bitcoin.rpc.password },
      esplora: [`http://chain.test${pathname}`],
    },
    lnd: { socket: 'lnd.test:10009', cert: Buffer.from(lnd.cert, 'base64').toString(), macaroon: lnd.macaroon },
    evm: { '137': { rpc: ['http://evm.test'] } },
  });
  const connected = { arkade: 'connected', lightning: 'connected', bitcoin: 'connected', 'evm:137': 'connected' };
  expect([
    changed.body['error'],
    await eventually(
      () => states(node as OwnNode),
      (networks) => networks['evm:137'] === 'connected',
    ),
  ]).toEqual([undefined, connected]);
  expect(new Set(proxy.destinations)).toEqual(
    new Set(['operator.test:80', 'core.test:80', 'chain.test:80', 'lnd.test:10009', 'evm.test:80']),
  );

  // Without the proxy the names mean nothing to this machine: whoever looked them up would be told that they do not
  // exist.
  await proxy.stop();
  const away = await eventually(
    () => (node as OwnNode).networks(),
    (networks) => networks['arkade']?.state === 'away' && networks['lightning']?.state === 'away',
  );
  expect(JSON.stringify(away)).not.toMatch(/ENOTFOUND|EAI_AGAIN/);
  proxy = await startSocksServer({});
});

test('an EVM chain shows its height and the age of its latest block, and one of another chain is refused', async () => {
  node = await startOwnNode(folder, { network: 'regtest' });
  const other = await node.patch({ evm: { '1': { rpc: [evm.url] } } });
  const changed = await node.patch({ evm: { '137': { rpc: [evm.url, 'http://127.0.0.1:1'] } } });
  const row = await eventually(
    async () => (await (node as OwnNode).networks())['evm:137'],
    (network) => network?.state === 'connected',
  );
  expect([other.status, other.body['error'], changed.status, row]).toEqual([
    400,
    `The EVM RPC ${new URL(evm.url).host} is on chain 137, this node is on chain 1: connect one of chain 1, or ` +
      'give chain 137 a data folder of its own.',
    200,
    {
      state: 'connected',
      detail: expect.stringMatching(/^1 of 2 RPCs answer\. The EVM RPC 127\.0\.0\.1:1 /),
      height: 75_000_000,
      lag_seconds: expect.any(Number),
    },
  ]);
  expect(row?.lag_seconds).toBeGreaterThanOrEqual(9);
});
