import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { getAddress } from 'viem/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { text, type Json } from './client/http.ts';
import { balanceOn, isKnown } from './client/to-evm.ts';
import { eventually, startWireNode, type WireNode } from './wire-node.ts';

interface World {
  readonly rpcUrl: string;
  readonly tokens: readonly { readonly symbol: string; readonly address: string }[];
}

const coin = `0x${'00'.repeat(20)}`;
let node: WireNode;
let world: World;
let wbtc: string;

beforeAll(async () => {
  node = await startWireNode();
  const worlds = (await node.owner('GET', '/sandbox'))['evm'] as Readonly<Record<string, World>>;
  const one = worlds['137'];
  if (one === undefined) throw new Error('the sandbox has no chain 137');
  world = one;
  wbtc = getAddress(one.tokens.find(({ symbol }) => symbol === 'WBTC')?.address ?? '');
  await eventually(
    async () => (await rows()).filter(({ network }) => String(network).startsWith('evm:')).length,
    (n) => n === 3,
  );
});

afterAll(() => node.stop());

async function rows(): Promise<Json[]> {
  return (await node.owner('GET', '/owner/balances'))['balances'] as Json[];
}

async function row(asset: string): Promise<Json> {
  const of = (await rows()).find((one) => one['network'] === 'evm:137' && one['asset'] === asset);
  if (of === undefined) throw new Error(`there is no row of ${asset}`);
  return of;
}

const address = (network: string, body: Json = {}) => node.owner('POST', `/owner/wallets/${network}/address`, body);
const withdraw = (body: Json, network = 'evm:137') => node.owner('POST', `/owner/wallets/${network}/withdraw`, body);

test('the account is one on every chain, for its coin and for the token that swaps lock', async () => {
  const { address: ours } = await address('evm:137');
  expect(ours).toMatch(/^0x[0-9a-fA-F]{40}$/);
  for (const [network, body] of [
    ['evm:137', { asset: wbtc }],
    ['evm:137', { asset: coin }],
    ['evm:31', {}],
  ] as const)
    expect(await address(network, body)).toEqual({ address: ours });
  expect((await rows()).map(({ network, asset }) => `${String(network)} ${String(asset)}`)).toEqual(
    expect.arrayContaining([`evm:137 ${coin}`, `evm:137 ${wbtc}`, `evm:31 ${coin}`]),
  );
  expect(await row(wbtc)).toEqual({
    network: 'evm:137',
    asset: wbtc,
    available: `${await balanceOn(world.rpcUrl, 137, wbtc, String(ours))}`,
    reserved: '0',
    locked: '0',
    pending: '0',
  });
});

test('what is withdrawn arrives, and is gone from the balances', async () => {
  for (const [asset, amount] of [
    [wbtc, 1_000_000n],
    [coin, 10n ** 18n],
  ] as const) {
    const before = BigInt(text(await row(asset), 'available'));
    const to = privateKeyToAddress(generatePrivateKey());
    const { transaction } = await withdraw({ address: to, amount: `${amount}`, asset });
    // fault 79, evm: whoever is told of a transaction looks it up at once.
    expect(await isKnown(world.rpcUrl, 137, String(transaction))).toBe(true);
    await eventually(
      () => balanceOn(world.rpcUrl, 137, asset, to),
      (units) => units === amount,
    );
    await eventually(
      () => row(asset),
      ({ available, pending }) => pending === '0' && BigInt(String(available)) <= before - amount,
    );
  }
});

test('what cannot be sent is refused with a sentence', async () => {
  const { address: ours } = await address('evm:137');
  const to = privateKeyToAddress(generatePrivateKey());
  const more = `${10n ** 30n}`;
  await expect(address('evm:137', { asset: `0x${'12'.repeat(20)}` })).rejects.toThrow(/400 asset is 0x12.*holds 0x/);
  await expect(address('evm:42161')).rejects.toThrow(/503 /);
  await expect(withdraw({ address: '0x12', amount: '1' })).rejects.toThrow(
    /400 address is not an address of chain 137/,
  );
  await expect(withdraw({ address: ours, amount: '1' })).rejects.toThrow(/400 .*nothing sent there comes back/);
  await expect(withdraw({ address: wbtc, amount: '1' })).rejects.toThrow(/400 .*nothing sent there comes back/);
  await expect(withdraw({ address: wbtc, amount: '1', asset: coin })).rejects.toThrow(/400 .*nothing sent there/);
  await expect(withdraw({ address: coin, amount: '1' })).rejects.toThrow(/400 .*nothing sent there comes back/);
  await expect(withdraw({ address: to, amount: more })).rejects.toThrow(/403 amount is 1000.* units; \d+ are free/);
  await expect(withdraw({ address: to, amount: '0' })).rejects.toThrow(/4\d\d .*amount is 0|400 amount/);
  const { status } = await node.raw('POST', '/owner/wallets/evm:137/withdraw', { address: to, amount: '1' });
  expect(status).toBe(401);
});

test('what lies at the account of the own swaps is sent on, once, though the node is killed meanwhile', async () => {
  const account = async () => {
    const { accounts } = await node.owner('GET', '/owner/taker/accounts');
    const one = (accounts as Json[]).find(({ network }) => network === 'evm:137');
    return one as { address: string; holdings: Json[] };
  };
  const of = async (asset: string) =>
    (await account()).holdings.find((one) => one['asset'] === asset) as Record<string, string>;
  const sendOn = (body: Json) => node.owner('POST', '/owner/taker/accounts/evm:137/send', body);
  const give = (asset: string, amount: bigint) =>
    node.owner('POST', '/sandbox/evm/137/faucet', { address: own, token: asset, amount: `${amount}` });
  const { address: own } = await account();
  const to = privateKeyToAddress(generatePrivateKey());
  await give(wbtc, 50_000n);
  expect(
    await eventually(
      () => of(wbtc),
      ({ available }) => available === '50000',
    ),
  ).toMatchObject({ kept: '0' });

  const wrong = `0x${to.slice(2, -1)}${to.endsWith('a') ? 'B' : 'a'}`;
  await expect(sendOn({ address: wrong, amount: '1', asset: wbtc })).rejects.toThrow(/400 address is not an address/);
  await expect(sendOn({ address: own, amount: '1', asset: wbtc })).rejects.toThrow(/400 .*nothing sent there comes/);
  await expect(sendOn({ address: to, amount: '50001', asset: wbtc })).rejects.toThrow(/403 .*50000 are free/);
  await expect(sendOn({ address: to, amount: 'all', asset: wbtc })).rejects.toThrow(
    /403 The account 0x\w+ has 0 of the coin of evm:137 for gas, and sending takes up to/,
  );

  await give(coin, 10n ** 18n);
  await eventually(
    () => of(coin),
    ({ available }) => BigInt(available ?? '0') > 0n,
  );
  const { transaction } = await sendOn({ address: to, amount: 'all', asset: wbtc });
  expect(await isKnown(world.rpcUrl, 137, String(transaction))).toBe(true);
  await node.restart('SIGKILL');
  await eventually(
    () => balanceOn(world.rpcUrl, 137, wbtc, to),
    (units) => units === 50_000n,
  );
  await eventually(
    () => of(wbtc),
    ({ available }) => available === '0',
  );
  const jobs = async () => (await node.owner('GET', '/owner/swaps?direction=forward_evm'))['swaps'] as Json[];
  await eventually(jobs, ([job]) => job?.['at'] === 'sent');
  // How much is left for gas depends on the price of the moment.
  await sendOn({ address: to, amount: 'all', asset: coin });
  await eventually(
    () => balanceOn(world.rpcUrl, 137, coin, to),
    (units) => units > 9n * 10n ** 17n,
  );
});

test('all that is free of the coin leaves, less the gas that was shown, and what is kept for claims stays', async () => {
  const to = privateKeyToAddress(generatePrivateKey());
  const fees = (body: Json, network = 'evm:137') => node.owner('POST', `/owner/wallets/${network}/fees`, body);
  const all = { address: to, amount: 'all', asset: coin };
  const free = BigInt(text(await row(coin), 'available'));
  const { coin: shown } = (await fees(all)) as { coin: Record<string, string> };
  const [most, arrives] = [BigInt(shown['most_gas'] ?? ''), BigInt(shown['arrives'] ?? '')];
  expect([most > 0n, arrives > 0n, arrives + most <= free]).toEqual([true, true, true]);
  await expect(withdraw({ ...all, asset: wbtc })).rejects.toThrow(/400 amount is all, .* of the coin of a chain alone/);
  await expect(fees({ ...all, amount: '1', asset: wbtc })).rejects.toThrow(/400 asset is a token/);
  await expect(withdraw({ ...all, amount: `${free}` })).rejects.toThrow(
    /403 .*and its own gas takes up to \d+ of them/,
  );

  const { address: ours } = await address('evm:137');
  const before = await balanceOn(world.rpcUrl, 137, coin, String(ours));
  await withdraw({ ...all, amount: `${arrives}` });
  await eventually(
    () => balanceOn(world.rpcUrl, 137, coin, to),
    (wei) => wei === arrives,
  );
  const after = await balanceOn(world.rpcUrl, 137, coin, String(ours));
  // The rest of it, and what is kept.
  expect([before - after - arrives <= most, after >= before - free]).toEqual([true, true]);
  await expect(withdraw(all)).rejects.toThrow(/403 amount is all; \d+ are free/);
});
