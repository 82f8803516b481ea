import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import genesis from '../../resources/sandbox/evm-137.json' with { type: 'json' };
import places from '../../resources/sandbox/evm-places.json' with { type: 'json' };
import type { Checklist, ChecklistStep } from '../../engine/contract/owner/checklist.ts';
import type { Deployment } from '../../engine/contract/owner/deployment.ts';
import { type EvmServer, serveEvm } from '../../engine/sandbox/wire/evm.ts';
import { type EvmChain, type EvmGenesis, openEvmChain } from '../../engine/sandbox/world/evm/chain.ts';
import { createEvmFaucet } from '../../engine/sandbox/world/evm/faucet.ts';
import { eventually } from '../stories/wire-node.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { quickIntervals } from '../support/quick-time.ts';
import { startNetworks, startOwnNode, type OwnNetworks, type OwnNode } from './own-node.ts';

/** A chain with everything but our contracts, and a node whose settings name contracts that nobody ever put there. */
const { htlc, coordinator, tokens, dex } = places[137];
const [peggedToken = '', ...others] = tokens.map(({ address }) => address);
const nobodys = { htlc: `0x${'11'.repeat(20)}`, coordinator: `0x${'22'.repeat(20)}` };
const network = 'evm:137';
let networks: OwnNetworks;
let chain: EvmChain;
let server: EvmServer;
let mining: NodeJS.Timeout;
let folder: string;
let node: OwnNode;
let usualIntervals: () => void;

function bare(): EvmGenesis {
  const ours = new Set([htlc.toLowerCase(), coordinator.toLowerCase()]);
  const alloc = Object.entries(genesis.alloc).filter(([address]) => !ours.has(address.toLowerCase()));
  return { ...genesis, alloc: Object.fromEntries(alloc) } as unknown as EvmGenesis;
}

beforeAll(async () => {
  usualIntervals = quickIntervals();
  networks = await startNetworks();
  chain = await openEvmChain({
    chainId: 137,
    journal: memoryJournal(),
    now: () => Math.floor(Date.now() / 1_000),
    genesis: async () => bare(),
  });
  await chain.follow();
  server = await serveEvm(chain, { port: 0, legacyOnly: false });
  mining = setInterval(() => void chain.mine(1).catch(() => undefined), 1_000);
  folder = mkdtempSync(join(tmpdir(), 'sluice-contracts-'));
  const { esploraUrl } = networks.endpoints.bitcoin;
  node = await startOwnNode(folder, {
    network: 'regtest',
    timing: { serviceLegSeconds: 7_200, fastBlockSeconds: 10, medianTimeLagSeconds: 600 },
    arkade: { url: networks.endpoints.arkade.url },
    bitcoin: { esplora: [esploraUrl] },
  });
}, 120_000);
afterAll(async () => {
  clearInterval(mining);
  await node.stop();
  await server.stop();
  await chain.stop();
  await networks.stop();
  usualIntervals();
  rmSync(folder, { recursive: true, force: true });
  rmSync(`${folder}.json`, { force: true });
});

async function step(id: string): Promise<ChecklistStep | undefined> {
  const { steps } = (await node.call('ownerChecklist')).body as unknown as Checklist;
  return steps.find((one) => one.id === id);
}

async function plan(): Promise<Deployment> {
  return (await node.call('deployment', { params: { network } })).body as unknown as Deployment;
}

const put = (to: string, token: string, amount: bigint) =>
  createEvmFaucet(chain).give(to as `0x${string}`, [{ token: token as `0x${string}`, amount }]);

test('a chain without contracts has them by one press, and a swap goes over them', async () => {
  const { quoter, router } = dex;
  const market = { peggedToken, tokens: others, dex: { quoter, router } };
  const rpc = [`http://127.0.0.1:${server.port}`];
  const { status } = await node.patch({ evm: { 137: { rpc, contracts: nobodys, ...market } } });
  expect(status).toBe(200);
  const before = await step(`contracts:${network}`);
  expect([before?.state, before?.sentence]).toEqual(['failed', expect.stringContaining('is not there')]);

  const poor = await plan();
  expect(poor.contracts.map(({ address, state }) => [address, state])).toEqual([
    [htlc, 'missing'],
    [coordinator, 'missing'],
  ]);
  expect([poor.missing_wei, poor.obstacle]).toEqual([`${BigInt(poor.most_wei) + BigInt(poor.kept_wei)}`, null]);
  const refused = await node.call('deployContracts', { params: { network }, body: { most_wei: poor.most_wei } });
  expect([refused.status, refused.body['error']]).toEqual([403, expect.stringContaining('wei more')]);

  const { body: deposit } = await node.call('walletAddress', { params: { network }, body: {} });
  expect(deposit['address']).toBe(poor.account);
  await put(poor.account, `0x${'00'.repeat(20)}`, 20n * 10n ** 18n);
  await put(poor.account, peggedToken, 10n ** 8n);
  const rich = await eventually(plan, ({ missing_wei: missing }) => missing === '0');
  const sent = await node.call('deployContracts', { params: { network }, body: { most_wei: rich.most_wei } });
  expect([sent.status, sent.body['sent']]).toEqual([200, true]);
  await eventually(
    () => step(`contracts:${network}`),
    (one) => one?.state === 'done',
  );
  const after = await plan();
  expect(after.job?.sentence).toBe('The contracts were deployed.');
  expect(BigInt(rich.balance_wei) - BigInt(after.balance_wei)).toBeLessThanOrEqual(BigInt(rich.most_wei));
  const { settings } = (await node.call('ownerSettings')).body as { settings: { evm: Record<string, object> } };
  expect(settings.evm['137']).toMatchObject({ contracts: { htlc, coordinator } });

  const { body: arkade } = await node.call('walletAddress', { params: { network: 'arkade' }, body: {} });
  for (let coin = 0; coin < 2; coin++)
    await networks.controls.arkadeFaucet({ address: String(arkade['address']), amount: 1_000_000 });
  const id = `rehearsal:arkade-evm:${network}`;
  await eventually(
    () => step(id),
    (one) => one?.act?.startsWith('Swap') === true,
  );
  const begun = await node.call('rehearse', { body: { direction: 'arkade-evm', evm_chain_id: 137 } });
  expect([begun.status, begun.body['paid']]).toEqual([200, true]);
  await eventually(
    () => step(id),
    (one) => one?.state === 'done',
    120_000,
  );
}, 240_000);
