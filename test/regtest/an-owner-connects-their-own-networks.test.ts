import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startOwnNode, type OwnNode } from '../connections/own-node.ts';
import { startSocksServer } from '../support/socks-server.ts';
import { eventually } from '../stories/wire-node.ts';
import type { Lnd } from './kit/lnd.ts';
import { startNet, type Net } from './kit/net.ts';
import { onDaemons } from './kit/on-daemons.ts';

onDaemons('an owner connects their own lnd and btcd while the node runs', () => {
  let net: Net;
  let folder: string;
  let node: OwnNode | null;

  beforeAll(async () => {
    net = await startNet({ lnds: ['ours', 'theirs'] });
  }, 180_000);
  afterAll(() => net?.stop());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-own-'));
    node = null;
  });
  afterEach(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
    rmSync(`${folder}.json`, { force: true });
  });

  function core(): object {
    const { url, user, password, caFile } = net.node;
    return { core: { url, user, password, caFile } };
  }

  /** As an owner pastes it into a form. */
  function credentials({ certFile, macaroonFile }: Lnd): { cert: string; macaroon: string } {
    return { cert: readFileSync(certFile, 'utf8'), macaroon: readFileSync(macaroonFile).toString('hex') };
  }

  async function statesOf(on: OwnNode): Promise<readonly (string | undefined)[]> {
    const { lightning, bitcoin } = await on.networks();
    return [lightning?.state, bitcoin?.state];
  }

  test('both are refused by a node of another network, with both names', async () => {
    node = await startOwnNode(folder, { network: 'signet' });
    const refusals = [
      await node.patch({ bitcoin: core() }),
      await node.patch({ lnd: { socket: net.lnd('ours').socket, ...credentials(net.lnd('ours')) } }),
    ];
    const rule =
      'is on regtest, this node is on signet: connect one of signet, or give regtest a data folder of its own.';
    expect([refusals.map(({ status, body }) => [status, body['error']]), await statesOf(node)]).toEqual([
      [
        [400, `The Bitcoin node ${new URL(net.node.url).host} ${rule}`],
        [400, `The Lightning node ${rule}`],
      ],
      ['absent', 'absent'],
    ]);
  }, 60_000);

  test('they serve at once, are found again after a kill, and make room for others', async () => {
    const ours = net.lnd('ours');
    node = await startOwnNode(folder, { network: 'regtest' });
    const on = node;
    const states = () => statesOf(on);
    const story = [await states()];
    expect([
      (await on.patch({ bitcoin: core() })).body['error'],
      (await on.patch({ lnd: { socket: ours.socket, ...credentials(ours) } })).body['error'],
    ]).toEqual([undefined, undefined]);
    story.push(await eventually(states, ([, bitcoin]) => bitcoin === 'connected'));
    await ours.kill();
    story.push(await eventually(states, ([lightning]) => lightning === 'away'));
    await ours.start();
    story.push(await eventually(states, ([lightning]) => lightning === 'connected', 90_000));
    const other = await on.patch({ lnd: { socket: net.lnd('theirs').socket, ...credentials(net.lnd('theirs')) } });
    story.push(await states());
    expect([story, other.status, (await on.networks())['lightning']?.detail]).toEqual([
      [
        ['absent', 'absent'],
        ['connected', 'connected'],
        ['away', 'connected'],
        ['connected', 'connected'],
        ['connected', 'connected'],
      ],
      200,
      expect.stringContaining('theirs'),
    ]);
  }, 180_000);

  test('lnd answers through a SOCKS proxy, by a name that only the proxy knows', async () => {
    const ours = net.lnd('ours');
    const proxy = await startSocksServer({ 'lnd.test:10009': Number(ours.socket.split(':')[1]) });
    node = await startOwnNode(folder, { network: 'regtest', socks: proxy.url });
    const { status } = await node.patch({ lnd: { socket: 'lnd.test:10009', ...credentials(ours) } });
    expect([status, (await node.networks())['lightning'], proxy.destinations[0]]).toEqual([
      200,
      expect.objectContaining({ state: 'connected' }),
      'lnd.test:10009',
    ]);
    await proxy.stop();
  }, 60_000);
});
