import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { readConfig, type Config } from '../../engine/config.ts';
import { createConnections, type Connections } from '../../engine/connections/connections.ts';
import { createIdentities } from '../../engine/connections/identities.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { unix } from '../../engine/domain/time.ts';
import { accountOf } from '../../engine/legs/evm/account.ts';
import { createSealer } from '../../engine/store/sealer.ts';
import { openChain, type Chain } from '../contracts/kit/chain.ts';
import { openStore, swapRow } from '../store/support.ts';
import { startEvmProxy, type EvmProxy } from '../support/evm-proxy.ts';

const keys = createKeys(new Uint8Array(64).fill(3), 'regtest');
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const wall = () => unix(Math.floor(Date.now() / 1_000));

let chain: Chain;
let sameNumber: Chain;
let elsewhere: Chain;
let moved: EvmProxy;
let connections: Connections;
let store: ReturnType<typeof openStore>['store'];

beforeAll(async () => {
  [chain, sameNumber, elsewhere] = await Promise.all([openChain(137), openChain(137, 7), openChain(1)]);
  moved = await startEvmProxy(chain.url);
});
afterAll(async () => {
  await moved.stop();
  await Promise.all([chain, sameNumber, elsewhere].map((one) => one.stop()));
});
beforeEach(() => {
  ({ store } = openStore());
  connections = createConnections({
    sandbox: null,
    network: 'regtest',
    keys: keys.privateKey,
    walletMemory: { terms: () => null, keep: () => undefined },
    sealer: createSealer(keys.sealingKey('credentials')),
    wall,
    plausibleWall: wall,
    mtp: () => null,
    identities: createIdentities(store),
    agreedBefore: () => null,
    onReplaced: () => undefined,
    log: silent,
  });
});
afterEach(() => connections.stop());

function configOf(evm: Readonly<Record<string, string>>): Config {
  const chains = Object.fromEntries(Object.entries(evm).map(([id, url]) => [id, { rpc: [url] }]));
  const content = { network: 'regtest', evm: chains };
  const config = readConfig({ flags: {}, environment: {}, file: { name: 'node.json', content }, stored: null });
  if (isRefusal(config)) throw new Error(config.sentence);
  return config;
}

async function judged(now: Config, next: Config): Promise<string | null> {
  return (await connections.judge(now, next))?.sentence ?? null;
}

const nothing = () => configOf({});
const on137 = () => configOf({ '137': chain.url });
const genesisOf = async (one: Chain) => (await one.client.getBlock({ blockNumber: 0n })).hash.slice(2);

test('a chain comes and goes while the port stays, with one account whatever is behind it', async () => {
  const port = connections.ports['evm:137'];
  if (port === undefined) throw new Error('there is no port for chain 137');
  await connections.use(nothing());
  await expect(port.tip()).rejects.toMatchObject({
    code: 'absent',
    message: 'No RPC of chain 137 is connected: set evm.137.rpc.',
  });
  await connections.use(on137());
  expect(await port.identity()).toEqual({ chainId: 137, genesis: await genesisOf(chain) });
  expect(port.account()).toEqual(accountOf(keys.privateKey({ branch: 'evm-account' })));
  await connections.use(configOf({ '137': moved.url }));
  expect((await port.tip()).height).toBe(Number(await chain.client.getBlockNumber()));
  expect(moved.calls.length).toBeGreaterThan(0);
  await connections.use(nothing());
  await expect(port.tip()).rejects.toMatchObject({ code: 'absent' });
});

test('an RPC of another chain is refused with both numbers, and one that is silent is given time', async () => {
  const host = new URL(elsewhere.url).host;
  expect(await judged(nothing(), configOf({ '137': elsewhere.url }))).toBe(
    `The EVM RPC ${host} is on chain 1, this node is on chain 137: connect one of chain 137, or give chain 1 a ` +
      'data folder of its own.',
  );
  expect(await judged(nothing(), configOf({ '137': 'http://127.0.0.1:1' }))).toBeNull();
});

test('open swaps keep their chain: another address of it is taken, another chain of its number is not', async () => {
  await connections.use(on137());
  await connections.ports['evm:137']?.tip();
  store.swaps.insert({ ...swapRow(), machine: 'arkade-evm' });
  const [ours, other] = await Promise.all([genesisOf(chain), genesisOf(sameNumber)]);
  expect(other).not.toBe(ours);
  expect([
    await judged(on137(), configOf({ '137': moved.url })),
    await judged(on137(), nothing()),
    await judged(on137(), configOf({ '137': sameNumber.url })),
  ]).toEqual([
    null,
    '1 swap is open on chain 137: evm.137 can be removed when they are over.',
    `1 swap is open on the chain 137 that begins with block ${ours}, and this is ${other}: wait until they are ` +
      `over, or give another address of ${ours}.`,
  ]);
  await connections.use(configOf({ '137': sameNumber.url }));
  await expect(connections.ports['evm:137']?.tip()).rejects.toMatchObject({
    code: expect.stringMatching(/^(not-ours|evm-disagreement)$/) as string,
  });
});
