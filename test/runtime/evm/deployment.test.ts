import { toHex as hexOf, type Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { ownPair } from '../../../engine/legs/evm/deployments.ts';
import { deployOn, deploymentOn, jobOn } from '../../../engine/service/checklist/deployment.ts';
import { chainsOf } from '../../../engine/config/chains.ts';
import { configSchema } from '../../../engine/config/schema.ts';
import { priceOf } from '../../../engine/runtime/networks/evm/gas.ts';
import { readTransaction } from '../../../engine/runtime/networks/evm/variants.ts';
import type { EvmDeploymentTerms } from '../../../engine/swap/jobs/deploy-evm.ts';
import { permit2Code } from '../../contracts/kit/artifacts.ts';
import { type Chain, openChain } from '../../contracts/kit/chain.ts';
import { permit2Address } from '../../contracts/kit/signing.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { type EvmLie, type EvmProxy, startEvmProxy } from '../../support/evm-proxy.ts';
import { testConfig } from '../../support/node.ts';
import { aWhile, evmScene, network, ours, secret, type EvmScene } from './scene.ts';

/*
 * Our contracts on a real chain behind two RPCs that may lie, by a node that dies: never more gas than was shown, never
 * twice, and named once every RPC shows them.
 */

const gwei = 1_000_000_000;
const pair = ownPair(137);
const places = [pair.htlc, pair.coordinator].map((one) => `0x${toHex(one)}` as const);
const lies: [EvmLie, EvmLie] = [() => null, () => null];
let chain: Chain;
let proxies: readonly [EvmProxy, EvmProxy];
let scene: EvmScene;
let blank: Hex;
let names: string[] = [];
let refusesName: string | null = null;
let time = createEvmChain(network);
let ahead = 0;

const rpc = (method: string, ...params: readonly unknown[]) => chain.rpc(method, params);
const countOf = async (tag: string) => Number(await rpc('eth_getTransactionCount', hexOf(ours), tag));
const balance = async () => BigInt((await rpc('eth_getBalance', hexOf(ours), 'latest')) as Hex);

function tick(seconds = 0): void {
  ahead += seconds;
  time.setTime(Math.floor(Date.now() / 1_000) + ahead - 2);
  time.mine();
}

async function start(folder?: string): Promise<void> {
  tick();
  scene = await evmScene({
    chain: time,
    rules: { price: null },
    ...(folder === undefined ? {} : { folder }),
    nameContracts: async (_, { htlc }, instead) => {
      // What the settings named when it began: the pair that is left out of them.
      if (refusesName === null && instead !== null) names.push(toHex(instead.htlc), toHex(htlc));
      return refusesName;
    },
    lying: () =>
      connectEvm({
        chainId: 137,
        rpc: proxies.map(({ url }) => url),
        key: secret,
        boundTo: null,
        wall: () => Math.floor(Date.now() / 1_000),
      }),
  });
}

async function restart(): Promise<void> {
  await scene.stop();
  await start(scene.folder);
}

/** The service over the scene, with the chain as its owner configured it. */
function context(set: object = {}) {
  const evm = chainsOf(configSchema.parse({ evm: { 137: { rpc: [chain.url], ...set } } }).evm, 'regtest');
  if (isRefusal(evm)) throw new Error(evm.sentence);
  return { config: { ...testConfig(), evm }, runtime: scene.runtime };
}

async function plan() {
  const answer = await deploymentOn(context(), network);
  if (isRefusal(answer)) throw new Error(answer.sentence);
  return answer;
}

/** Begins as the page does, at what was shown; a request that waits for its transaction holds nobody up. */
async function deploy(): Promise<bigint> {
  const { most_wei: most, obstacle } = await plan();
  expect(obstacle).toBeNull();
  deployOn(context(), network, BigInt(most)).catch(() => undefined);
  await until(() => jobOn(context(), network)?.open === true);
  return BigInt(most);
}

async function until(test: () => Promise<boolean> | boolean, seconds = 0): Promise<void> {
  while (!(await test())) {
    tick(seconds);
    await aWhile(25);
  }
}

const state = () => jobOn(context(), network);
const mines = async () => void (await rpc('anvil_mine', '0x1'));
const over = () => until(async () => (await mines(), state()?.open === false), 6);
const codes = () =>
  Promise.all(places.map(async (place) => ((await rpc('eth_getCode', place, 'latest')) as Hex).length));
/** A payment of ours behind what waits, and whether it was mined within some minutes. */
async function pays(): Promise<{ readonly mined: boolean; readonly nonce: number | undefined }> {
  const to = asEvmAddress(new Uint8Array(20).fill(9));
  const pay = { is: 'pay', token: asEvmAddress(new Uint8Array(20)), to, amount: 1n } as const;
  const id = scene.open([scene.effectOf(pay, { contracts: null })]);
  await until(() => scene.store.nonces.openOf(network, id).length > 0, 6);
  const nonce = scene.store.nonces.openOf(network, id)[0]?.nonce;
  const isMined = async () => BigInt((await rpc('eth_getBalance', hexOf(to), 'latest')) as Hex) > 0n;
  for (let i = 0; i < 60 && !(await isMined()); i++) {
    await mines();
    tick(6);
    await aWhile(40);
  }
  return { mined: await isMined(), nonce };
}
/** Transactions of the account on the chain, and what stands. */
async function expectDeployedOnce(): Promise<void> {
  expect([
    state()?.sentence,
    await countOf('latest'),
    await countOf('pending'),
    (await codes()).every((n) => n > 2),
  ]).toEqual(['The contracts were deployed.', 2, 2, true]);
  expect((await plan()).contracts.map((one) => one.state)).toEqual(['stands', 'stands']);
  expect(names.at(-1)).toBe(toHex(pair.htlc));
}

beforeAll(async () => {
  chain = await openChain(137, gwei);
  await chain.setCode(permit2Address, permit2Code());
  await chain.setBalance(hexOf(ours), 10n ** 20n);
  await rpc('anvil_mine', hexOf(40));
  await rpc('evm_setAutomine', false);
  proxies = [await startEvmProxy(chain.url), await startEvmProxy(chain.url)];
  for (const [i, proxy] of proxies.entries()) proxy.behave((...question) => lies[i]?.(...question) ?? null);
}, 60_000);
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await chain.stop();
});
beforeEach(async () => {
  blank = await chain.snapshot();
  names = [];
  refusesName = null;
  lies.fill(() => null);
  await rpc('anvil_setNextBlockBaseFeePerGas', hexOf(gwei));
  time = createEvmChain(network);
  await start();
});
afterEach(async () => {
  await scene.stop();
  await rpc('anvil_dropAllTransactions');
  await chain.goBack(blank);
  await rpc('evm_setAutomine', false);
});

it('shows what lacks and what it costs at most, and deploys it for no more, once', async () => {
  const shown = await plan();
  expect(shown.contracts.map(({ name, state: is }) => `${name} ${is}`)).toEqual([
    'HTLCErc20 missing',
    'HTLCCoordinator missing',
  ]);
  const before = await balance();
  const most = await deploy();
  const twice = await deployOn(context(), network, most);
  expect(isRefusal(twice) && twice.sentence).toContain('being deployed there already');
  await over();
  await expectDeployedOnce();
  expect(before - (await balance())).toBeLessThanOrEqual(most);
  const again = await deployOn(context(), network, most);
  expect(isRefusal(again) && again.sentence).toContain('nothing is left to deploy');
  expect(await countOf('pending')).toBe(2);
}, 60_000);

const silent: EvmLie = (method) => (method === 'eth_sendRawTransaction' ? { status: 500 } : null);
const unmined: EvmLie = (method) => (method === 'eth_getTransactionReceipt' ? { result: null } : null);
const blind: EvmLie = (method, params) =>
  method === 'eth_getCode' && places.includes(String(params[0]).toLowerCase() as Hex) ? { result: '0x' } : null;
const feeless: EvmLie = (method) => (method === 'eth_feeHistory' ? { status: 500 } : null);

it('dies at every boundary, and has deployed each contract once', async () => {
  const sentence = (words: string) => () => state()?.sentence.includes(words) === true;
  const signed = () => scene.store.nonces.open(network).length > 0;
  const boundaries: readonly (readonly [string, EvmLie, () => Promise<boolean> | boolean])[] = [
    ['saved and not signed', feeless, sentence('is being signed')],
    ['signed and not sent', silent, signed],
    ['sent and not mined', () => null, async () => (await countOf('pending')) > (await countOf('latest'))],
    ['mined and no receipt seen', unmined, async () => (await mines(), (await codes())[0]! > 2)],
    ['receipt seen and not shown by one RPC', blind, sentence('every RPC is asked')],
  ];
  await deploy();
  for (const [, lie, reached] of boundaries) {
    lies[1] = lie;
    if (lie === feeless || lie === silent) lies[0] = lie;
    await restart();
    await until(async () => {
      if (lie === blind) await mines();
      return reached();
    }, 6);
    await restart();
    lies.fill(() => null);
  }
  refusesName = null;
  await over();
  await expectDeployedOnce();
}, 240_000);

it('waits while the second RPC does not show the code, names nothing, and says which RPC it is', async () => {
  await deploy();
  lies[1] = blind;
  await until(async () => (await mines(), state()?.sentence.includes('every RPC is asked') === true), 6);
  for (let i = 0; i < 8; i++) {
    await mines();
    tick(6);
    await aWhile(50);
  }
  expect([state()?.open, names]).toEqual([true, []]);
  expect((await plan()).obstacle).toContain('is shown by some RPCs, and not by 127.0.0.1');
  lies[1] = () => null;
  await over();
  await expectDeployedOnce();
}, 60_000);

it('believes no receipt that one RPC alone shows', async () => {
  await deploy();
  await until(async () => (await countOf('pending')) === 1, 6);
  const block = (await rpc('eth_getBlockByNumber', 'latest', false)) as { number: Hex; hash: Hex };
  lies[0] = (method, [transactionHash]) =>
    method === 'eth_getTransactionReceipt'
      ? {
          result: {
            transactionHash,
            status: '0x1',
            blockNumber: '0x1',
            blockHash: block.hash,
            gasUsed: '0x5208',
            effectiveGasPrice: '0x1',
            logs: [],
          },
        }
      : null;
  lies[1] = () => null;
  for (let i = 0; i < 10; i++) {
    tick(6);
    await aWhile(50);
  }
  expect([state()?.sentence.includes('waits to be mined'), names]).toEqual([true, []]);
  lies.fill(() => null);
  await over();
  await expectDeployedOnce();
}, 60_000);

it('waits rather than pay more than was shown, and is replaced up to that as fees rise', async () => {
  const before = await balance();
  const absurd: EvmLie = (method) =>
    method === 'eth_feeHistory'
      ? {
          result: {
            baseFeePerGas: [hexOf(50 * gwei)],
            reward: [[hexOf(gwei)]],
            oldestBlock: '0x1',
            gasUsedRatio: [0.5],
          },
        }
      : null;
  const { most_wei: most } = await plan();
  lies.fill(absurd);
  const dear = await deployOn(context(), network, BigInt(most));
  expect(isRefusal(dear) && dear.sentence).toContain('look again at what it may cost');
  lies.fill(() => null);
  await deploy();
  await until(async () => (await countOf('pending')) === 1, 6);
  const txids = () => scene.store.transactions.of(state()?.id ?? '').map(({ txid }) => txid);
  expect(txids()).toHaveLength(1);
  const id = state()?.id ?? '';
  const { contracts } = scene.runtime.workingSet.find(id)?.row.terms as EvmDeploymentTerms;
  const mostOfFirst = (contracts[0]?.mostFee ?? 0n) * 10n ** 10n;
  const costs = new Map<string, bigint>();
  // Not mined at what it was signed for: a dearer variant takes its place, and is mined.
  await until(async () => {
    for (const txid of txids()) {
      const bytes = scene.store.transactions.bytes(txid);
      const read = bytes === null ? null : readTransaction(bytes);
      if (read !== null) costs.set(txid, read.gas * priceOf(read.fees));
    }
    await rpc('anvil_setNextBlockBaseFeePerGas', hexOf(3.3 * gwei));
    await mines();
    return costs.size > 1 && (await countOf('latest')) === 1;
  }, 6);
  expect([...costs.values()].filter((cost) => cost > mostOfFirst)).toEqual([]);
  // Of the second contract nothing is signed while the price is absurd.
  lies.fill(absurd);
  for (let block = 0; block < 10; block++) {
    await rpc('anvil_setNextBlockBaseFeePerGas', hexOf(20 * gwei));
    await mines();
    tick(6);
    await aWhile(50);
  }
  expect([await countOf('latest'), txids().length]).toEqual([1, 2]);
  lies.fill(() => null);
  await rpc('anvil_setNextBlockBaseFeePerGas', hexOf(gwei));
  await over();
  expect(before - (await balance())).toBeLessThanOrEqual(BigInt(most));
}, 60_000);

it('fault 135, evm: what waits behind it is mined, though its gas is more than a block takes', async () => {
  lies[1] = async (method, _params, honest) => {
    const { result } = method === 'eth_estimateGas' ? ((await honest()) as { result?: Hex }) : {};
    return result === undefined ? null : { result: hexOf(BigInt(result) * 15n) };
  };
  await deploy();
  await until(() => scene.store.nonces.open(network).length > 0, 6);
  lies.fill(() => null);
  expect((await pays()).mined).toBe(true);
}, 60_000);

it('fault 135, evm: signs nothing that the account cannot pay any more', async () => {
  await deploy();
  await until(async () => (await mines(), (await countOf('latest')) === 1), 6);
  await chain.setBalance(hexOf(ours), 10n ** 15n);
  for (let i = 0; i < 5; i++) {
    await mines();
    tick(6);
    await aWhile(40);
  }
  const paid = await pays();
  expect([paid.mined, paid.nonce]).toEqual([true, 1]);
  await chain.setBalance(hexOf(ours), 10n ** 20n);
  await over();
}, 60_000);

it('fault 134, evm: locks the coin of the chain nowhere before the contracts stand', async () => {
  const before = await balance();
  const later = BigInt(Math.floor(Date.now() / 1_000) + 86_400);
  const lock = { ...scene.lock(), token: asEvmAddress(new Uint8Array(20)), amount: 10n ** 18n, timelock: later };
  const { htlc, coordinator } = pair;
  const contracts = { kind: 'native', htlc, coordinator, htlcVersion: '1', coordinatorVersion: null } as const;
  const id = scene.open([scene.effectOf({ is: 'lock', lock }, { contracts })]);
  for (let i = 0; i < 10; i++) {
    await mines();
    tick(6);
    await aWhile(60);
  }
  expect([scene.store.nonces.openOf(network, id), before - (await balance())]).toEqual([[], 0n]);
}, 60_000);

it('names contracts that another one put there once they are as deep as the chain asks, by each RPC', async () => {
  await deploy();
  await over();
  names = [];
  const nobodys = { htlc: `0x${'11'.repeat(20)}`, coordinator: `0x${'22'.repeat(20)}` };
  const set = { confirmations: [200, 200], contracts: nobodys };
  deployOn(context(set), network, 0n).catch(() => undefined);
  await until(() => state()?.sentence.includes('about to name') === true);
  for (let i = 0; i < 6; i++) {
    tick(6);
    await aWhile(50);
  }
  expect([state()?.open, names]).toEqual([true, []]);
  await rpc('anvil_mine', hexOf(200));
  await over();
  expect(names.at(-1)).toBe(toHex(pair.htlc));
}, 60_000);

it('refuses what the account cannot pay at most, with what it lacks', async () => {
  const { most_wei: most, kept_wei: floor } = await plan();
  await chain.setBalance(hexOf(ours), BigInt(most) + BigInt(floor) - 7n);
  expect((await plan()).missing_wei).toBe('7');
  const answer = await deployOn(context(), network, BigInt(most));
  expect(isRefusal(answer) && answer.sentence).toContain('send it 7 wei more');
  expect(state()).toBeNull();
});

it('tells of a deployment that was mined and reverted, and puts it there when it is asked for again', async () => {
  lies.fill((method) => (method === 'eth_sendRawTransaction' ? { status: 500 } : null));
  await deploy();
  await until(() => scene.store.nonces.open(network).length === 1, 6);
  // What is mined reverts: the deployer is gone by then.
  const code = (await rpc('eth_getCode', '0x4e59b44847b379578588920ca78fbf26c0b4956c', 'latest')) as Hex;
  await chain.setCode('0x4e59b44847b379578588920ca78fbf26c0b4956c', '0x60006000fd');
  lies.fill(() => null);
  await until(async () => (await mines(), (await countOf('latest')) === 1), 6);
  await chain.setCode('0x4e59b44847b379578588920ca78fbf26c0b4956c', code);
  await over();
  expect(state()?.sentence).toMatch(
    /The deployment failed: HTLCErc20 was not deployed: 0x[0-9a-f]{64} was mined and rev/,
  );
  expect([state()?.failed, names]).toEqual([true, []]);
  await deploy();
  await over();
  expect([await countOf('latest'), (await codes()).every((n) => n > 2)]).toEqual([3, true]);
}, 60_000);

it('says that the settings could not name them, though they stand', async () => {
  refusesName = 'evm.137.contracts.htlc is set by the environment, which overrides this: change it there.';
  await deploy();
  await over();
  expect(state()?.sentence).toContain('the contracts stand, and the settings do not name them: evm.137');
}, 60_000);
