import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicClient, http, zeroAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { controlRoutes } from '../../../engine/sandbox/control/routes.ts';
import { type SandboxControls, createControls } from '../../../engine/sandbox/controls.ts';
import type { EvmEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { type Sandbox, runSandbox } from '../../../engine/sandbox/process.ts';
import { alice, bob, erc20, token } from './kit.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
let sandbox: Sandbox;
let controls: SandboxControls;
let chains: Readonly<Record<string, EvmEndpoints>>;

beforeAll(async () => {
  const started = await runSandbox({ dataDir, port: 0 });
  if (isRefusal(started)) throw new Error(started.sentence);
  sandbox = started;
  controls = createControls(started.endpoints);
  chains = (await controls.state()).evm ?? {};
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function clientOf(chain: string, url = chains[chain]?.rpcUrl) {
  return createPublicClient({ transport: http(url, { retryCount: 0 }), cacheTime: 0 });
}

async function post(chain: string, name: string, body: unknown): Promise<[number, string | undefined]> {
  const reply = await controls.forward('POST', `/sandbox/evm/${chain}/${name}`, body);
  return [reply.status, (reply.body as { error?: string }).error];
}

describe('the controls of the EVM chains', () => {
  it('name both chains, and everything that stands on them', async () => {
    expect(Object.keys(chains)).toEqual(['31', '137']);
    expect(await Promise.all(Object.keys(chains).map((chain) => clientOf(chain).getChainId()))).toEqual([31, 137]);
    const { htlc, coordinator, permit2, dex, tokens } = chains['137']!;
    const codes = [htlc, coordinator, permit2, dex?.quoter, dex?.router, ...tokens.map(({ address }) => address)].map(
      (address) => clientOf('137').getCode({ address: address as `0x${string}` }),
    );
    expect((await Promise.all(codes)).filter((code) => code === undefined)).toEqual([]);
    expect(tokens.map(({ symbol, decimals }) => `${symbol} ${decimals}`)).toEqual([
      'WBTC 8',
      'tBTC 18',
      'USDC 6',
      'WPOL 18',
    ]);
    expect(chains['31']).toMatchObject({ tokens: [{ symbol: 'RBTC', address: zeroAddress, decimals: 18 }] });
  });

  it("give the node's account what it begins with, once", async () => {
    for (const chain of ['137', '137', '31', '31']) await controls.evmNode(chain, alice.address);
    const { address } = alice;
    const held = (symbol: string) =>
      clientOf('137').readContract({ address: token(symbol), abi: erc20, functionName: 'balanceOf', args: [address] });
    expect([await held('WBTC'), await held('tBTC')]).toEqual([10n * 10n ** 8n, 10n * 10n ** 18n]);
    expect(await clientOf('137').getBalance({ address })).toBe(10_000n * 10n ** 18n);
    expect(await clientOf('31').getBalance({ address })).toBe(10n * 10n ** 18n);
  });

  it('pay out of the faucet in a mined transaction', async () => {
    const pays = [token('USDC'), zeroAddress].map((paid) => ({ address: bob.address, token: paid, amount: '7' }));
    for (const pay of pays) {
      const { tx_hash: hash } = await controls.evmFaucet('137', pay);
      expect((await clientOf('137').getTransactionReceipt({ hash: hash as `0x${string}` })).status).toBe('success');
    }
    expect(await clientOf('137').getBalance({ address: bob.address })).toBe(7n);
  });

  it('mine, replace blocks and set what gas costs', async () => {
    const { height } = await controls.evmMine('31', 3);
    expect((await controls.evmReorg('31', 2)).height).toBeGreaterThanOrEqual(height);
    await controls.evmFees('31', 0.5);
    expect(await clientOf('31').getGasPrice()).toBe(500_000_000n);
  });

  it('take every clock along', async () => {
    const { clock } = await controls.advance(7_200);
    for (const chain of ['137', '31'])
      expect(Number((await clientOf(chain).getBlock()).timestamp)).toBeGreaterThanOrEqual(clock);
  });

  it('answer a clock that every chain has reached, however long its block took', async () => {
    let time = 1_000;
    let tip = 0;
    const networks = {
      bitcoin: { advance: (seconds: number) => (time += seconds), clock: { now: () => time } },
      evm: new Map([['137', { chain: { follow: async () => ((tip = time), (time += 2)) } }]]),
    };
    const route = controlRoutes.find(({ path }) => path.test('/sandbox/clock/advance'));
    const { clock } = (await route?.answer(networks as never, { seconds: 60 }, [])) as { clock: number };
    expect([clock, tip]).toEqual([1_060, 1_060]);
  });

  it('play the RPC, and leave the second one alone', async () => {
    await controls.evmFault('137', { rpc: 'away' });
    await expect(clientOf('137').getBlockNumber()).rejects.toThrow();
    expect(await clientOf('137', chains['137']?.secondRpcUrl).getChainId()).toBe(137);
    await controls.evmFault('137', { rpc: 'back' });
    expect(await clientOf('137').getChainId()).toBe(137);
  });

  it.each([
    ['1', 'mine', { blocks: 1 }, 404, 'There is no chain 1 in this sandbox'],
    ['137', 'mine', { blocks: 0 }, 400, '"blocks" is a whole number from 1'],
    ['137', 'faucet', { address: bob.address, token: bob.address, amount: '1' }, 400, 'There is no token'],
    ['137', 'faucet', { address: bob.address, token: zeroAddress, amount: '1.5' }, 400, '"amount" is a whole number'],
    ['137', 'faucet', { address: bob.address, token: zeroAddress, amount: `1${'0'.repeat(40)}` }, 400, 'ask for less'],
    ['137', 'faucet', { address: '0x12', token: zeroAddress, amount: '1' }, 400, '"address" is an address'],
    ['137', 'fault', { rpc: 'away', next_transaction: 'drops' }, 400, 'exactly one'],
    ['137', 'fault', { rpc: 'slow' }, 400, '"rpc" is'],
    ['137', 'reorg', { depth: 65 }, 400, '"depth" is a whole number from 1 to 64'],
    ['137', 'fees', { base_fee_gwei: -1 }, 400, '"base_fee_gwei" is a number from 0'],
  ])('refuse %s %s %j', async (chain, name, body, status, sentence) => {
    expect(await post(chain, name, body)).toEqual([status, expect.stringContaining(sentence)]);
  });
});
