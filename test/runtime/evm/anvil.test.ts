import { keccak256, toHex as hexOf, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { asPreimage, asSha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { sats, type Sats } from '../../../engine/domain/money.ts';
import { unix, type Unix } from '../../../engine/domain/time.ts';
import type { LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import {
  client as kitClient,
  give,
  hashOf,
  lockDirectly,
  openErc20,
  signClaim,
  type Erc20World,
  type Lock,
} from '../../contracts/kit/erc20.ts';
import { createEvmChain } from '../../support/evm-chain.ts';
import { startEvmProxy, type EvmLie, type EvmProxy } from '../../support/evm-proxy.ts';
import { aWhile, client, evmScene, network, ours, secret, type EvmScene } from './scene.ts';

/*
 * The account's queue on a real node, behind two RPCs that may lie: whatever happens to its transactions, no nonce is
 * left out, nothing is sent that was not saved, and what has a deadline does not wait behind what has none.
 */

const gwei = 1_000_000_000;
const bytes = (address: string): EvmAddress => asEvmAddress(fromHex(address.slice(2)));
let world: Erc20World;
let proxies: readonly [EvmProxy, EvmProxy];
let scene: EvmScene;
/** Transactions that an RPC was handed before they were saved. */
let unsaved: string[] = [];
let ahead = 0;
const lies: [EvmLie, EvmLie] = [() => null, () => null];
const time = createEvmChain(network);
const rpc = (method: string, ...params: readonly unknown[]) => world.chain.rpc(method, params);
const countOf = async (tag: string) => Number(await rpc('eth_getTransactionCount', hexOf(ours), tag));
const held = (of: Uint8Array) => world.chain.read<bigint>(world.btc, 'balanceOf', hexOf(of));

/** The machine's clock is that of a chain in memory, which nothing else is asked of. */
function tick(seconds = 0): void {
  ahead += seconds;
  time.setTime(Math.floor(Date.now() / 1_000) + ahead - 2);
  time.mine();
}

async function start(folder?: string): Promise<EvmScene> {
  tick();
  return evmScene({
    chain: time,
    ...(folder === undefined ? {} : { folder }),
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
  scene = await start(scene.folder);
}
beforeAll(async () => {
  world = await openErc20(137, gwei);
  await world.chain.setBalance(hexOf(ours), 10n ** 21n);
  await give(world.chain, world.btc, hexOf(ours), 1_000_000n);
  await rpc('anvil_mine', hexOf(40));
  await rpc('evm_setAutomine', false);
  proxies = [await startEvmProxy(world.chain.url), await startEvmProxy(world.chain.url)];
  for (const [i, proxy] of proxies.entries())
    proxy.behave((method, params, honest) => {
      if (method === 'eth_sendRawTransaction') {
        const txid = keccak256(params[0] as Hex).slice(2);
        if (scene.store.transactions.byId(txid) === null) unsaved.push(txid);
      }
      return lies[i]?.(method, params, honest) ?? null;
    });
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await world.chain.stop();
});
beforeEach(async () => {
  lies.fill(() => null);
  unsaved = [];
  await rpc('anvil_setNextBlockBaseFeePerGas', hexOf(gwei));
  scene = await start();
});

async function lockFor(terms: Partial<Lock> = {}): Promise<Lock> {
  await rpc('evm_setAutomine', true);
  const lock = await lockDirectly(world, terms);
  await rpc('evm_setAutomine', false);
  return lock;
}
const contracts = () => ({
  ...scene.contracts,
  htlc: bytes(world.htlc.address),
  coordinator: bytes(world.coordinator.address),
});

function termsOf(lock: Lock): LockTerms {
  return {
    preimageHash: asSha256(fromHex(hashOf(lock).slice(2))),
    amount: lock.amount,
    token: bytes(lock.token),
    refundAddress: bytes(lock.refundAddress),
    claimAddress: bytes(lock.claimAddress),
    timelock: lock.timelock,
  };
}

function payment(change: { value?: Sats; deadline?: Unix } = {}): string {
  const act = { is: 'pay', token: bytes(world.btc.address), to: client, amount: 5n } as const;
  return scene.open([scene.effectOf(act, change)]);
}

const signed = (id: string): string | undefined => scene.store.transactions.of(id).at(-1)?.txid;
const inPool = async (txid: string | undefined) =>
  txid !== undefined &&
  ((await rpc('eth_getTransactionByHash', `0x${txid}`)) as { blockNumber: Hex | null } | null)?.blockNumber === null;

async function until(test: () => Promise<boolean> | boolean, seconds = 0): Promise<void> {
  while (!(await test())) {
    tick(seconds);
    await aWhile(25);
  }
}

async function settle(): Promise<void> {
  await until(async () => {
    await rpc('anvil_mine', '0x1');
    return scene.store.nonces.open(network).length === 0;
  }, 5);
}

/** What must be so whatever happened: each nonce used, by what was saved first. */
async function expectWhole(paid: number, before: bigint): Promise<void> {
  expect([await held(client), unsaved, await countOf('latest')]).toEqual([
    before + 5n * BigInt(paid),
    [],
    await countOf('pending'),
  ]);
}

it('fault 33, evm: dropped by its node at each step of its way, a transaction is sent again', async () => {
  const before = await held(client);
  const ids = [payment(), payment(), payment()];
  await until(() => ids.every((id) => signed(id) !== undefined));
  for (const id of ids) {
    await until(() => inPool(signed(id)), 5);
    await rpc('anvil_dropTransaction', `0x${signed(id)}`);
    if (id === ids[1]) await restart();
  }
  await settle();
  await expectWhole(3, before);
});

it('fault 33, evm: a nonce that another wallet takes ends one transaction and leaves no gap', async () => {
  const before = await held(client);
  const [first, behind] = [payment(), payment()];
  await until(() => inPool(signed(first)));
  await until(() => inPool(signed(behind)));
  const { nonce = -1 } = scene.store.nonces.ofTransaction(signed(first) ?? '') ?? {};
  const price = hexOf(900 * gwei);
  const call = { from: hexOf(ours), to: hexOf(client), value: '0x1', nonce: hexOf(nonce), gas: '0x5208' };
  await rpc('anvil_impersonateAccount', hexOf(ours));
  await rpc('eth_sendTransaction', { ...call, maxFeePerGas: price, maxPriorityFeePerGas: price });
  await settle();
  expect(scene.store.nonces.ofTransaction(signed(first) ?? '')?.state).toBe('gone');
  const again = payment();
  await until(() => signed(again) !== undefined);
  await settle();
  await expectWhole(2, before);
});

it.each(['already known', 'nonce too low', 'replacement transaction underpriced'])(
  'fault 36, evm: RPCs that answer "%s" wrongly lose no transaction',
  async (message) => {
    const before = await held(client);
    const refuses: EvmLie = (method) =>
      method === 'eth_sendRawTransaction' ? { error: { code: -32_000, message } } : null;
    lies[0] = refuses;
    const one = payment();
    await until(() => inPool(signed(one)), 5);
    lies[1] = refuses;
    const other = payment();
    await until(() => signed(other) !== undefined);
    tick(100);
    await aWhile();
    await restart();
    lies.fill(() => null);
    await settle();
    await expectWhole(2, before);
  },
);

it('fault 14, evm: a mined transaction whose block is taken back is mined again, over a restart too', async () => {
  const before = await held(client);
  const snapshot = await world.chain.snapshot();
  const id = payment();
  await until(() => inPool(signed(id)));
  await rpc('anvil_mine', '0x1');
  await until(() => scene.store.nonces.ofTransaction(signed(id) ?? '')?.mined !== null);
  await scene.stop();
  await world.chain.goBack(snapshot);
  await rpc('evm_setAutomine', false);
  await rpc('anvil_dropAllTransactions');
  await rpc('anvil_mine', '0x3');
  await restart();
  await settle();
  await expectWhole(1, before);
});

it('fault 36, evm: while one RPC denies a receipt that another shows, nothing is over, and all is sent', async () => {
  const before = await held(client);
  lies[1] = (method) => (method === 'eth_getTransactionReceipt' ? { result: null } : null);
  const first = payment();
  await until(() => inPool(signed(first)));
  await rpc('anvil_mine', '0x8');
  const second = payment();
  await until(() => inPool(signed(second)), 1);
  await rpc('anvil_mine', '0x8');
  await aWhile(200);
  expect(scene.store.nonces.open(network).map(({ state }) => state)).toEqual(['open', 'open']);
  lies[1] = () => null;
  await settle();
  await expectWhole(2, before);
});

it('fault 33, evm: a claim near its deadline raises what is stuck before it, and is mined in time', async () => {
  const lock = await lockFor({ claimAddress: hexOf(ours) });
  const before = await held(ours);
  // Worth little and without hurry, its price is right when it is signed and too low for ever after.
  const small = payment({ value: sats(60_000) });
  await until(() => inPool(signed(small)));
  const { baseFeePerGas } = (await rpc('eth_getBlockByNumber', 'latest', false)) as { baseFeePerGas: Hex };
  await rpc('anvil_setNextBlockBaseFeePerGas', hexOf(40n * BigInt(baseFeePerGas)));
  await rpc('anvil_mine', '0x1');
  expect(await held(ours)).toBe(before);
  const preimage = asPreimage(fromHex(lock.preimage.slice(2)));
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const deadline = unix(Number(lock.timelock));
  const claim = scene.open([
    scene.effectOf(
      { is: 'claim', lock: termsOf(lock) },
      { contracts: contracts(), deadline, value: sats(100_000_000) },
    ),
  ]);
  await until(() => inPool(signed(claim)), 1);
  await until(async () => {
    await rpc('anvil_setNextBlockBaseFeePerGas', hexOf(40n * BigInt(baseFeePerGas)));
    await rpc('anvil_mine', '0x1');
    return (await held(ours)) === before - 5n + lock.amount;
  }, 1);
  expect(Number(await world.chain.now())).toBeLessThan(deadline);
  expect([scene.store.transactions.of(small).length > 1, unsaved]).toEqual([true, []]);
  await settle();
});

it('fault 15, evm: a relayed claim whose block goes is sent again, though its swap is over', async () => {
  const lock = await lockFor();
  const [v, r, s] = await signClaim(world, lock, { minAmountOut: lock.amount });
  const preimage = asPreimage(fromHex(lock.preimage.slice(2)));
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  const receiver = bytes(kitClient.address);
  const before = await held(receiver);
  const snapshot = await world.chain.snapshot();
  const act = {
    is: 'relay-claim',
    lock: termsOf(lock),
    calls: [],
    sweepToken: bytes(lock.token),
    minAmountOut: lock.amount,
    destination: receiver,
    signature: { v: Number(v), r: fromHex(`${r}`.slice(2)), s: fromHex(`${s}`.slice(2)) },
  } as const;
  const id = scene.open([scene.effectOf(act, { contracts: contracts() })]);
  await until(() => inPool(signed(id)));
  await rpc('anvil_mine', '0x1');
  await until(() => scene.store.nonces.ofTransaction(signed(id) ?? '')?.mined !== null);
  scene.runtime.commits.deliver(id, { is: 'abandoned', reason: 'the swap is over' });
  await scene.stop();
  await world.chain.goBack(snapshot);
  await rpc('evm_setAutomine', false);
  await rpc('anvil_dropAllTransactions');
  await rpc('anvil_mine', '0x3');
  await restart();
  await settle();
  expect([await held(receiver), unsaved]).toEqual([before + lock.amount, []]);
});
