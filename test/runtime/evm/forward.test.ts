import { expect, test } from 'vitest';
import { asEvmAddress, type EvmAddress } from '../../../engine/domain/evm.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { unix } from '../../../engine/domain/time.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { forwardEvm, forwardEvmEffect, type ForwardEvmTerms } from '../../../engine/swap/jobs/forward-evm.ts';
import { swapRow } from '../../store/support.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import { onTheWayOf, signedByTaker } from '../../../engine/runtime/networks/evm/taker-account.ts';
import { takerAccountsOf } from '../../../engine/runtime/ports.ts';
import { aWhile, client, clientSecret, evmScene, network, until, type EvmScene } from './scene.ts';

/*
 * What lies at the account of the owner's own swaps (`client` here, for it is not the node's) is sent on by that
 * account, once.
 */

const coin = 10n ** 18n;
const noToken = asEvmAddress(new Uint8Array(20));
const payee = asEvmAddress(new Uint8Array(20).fill(0xd4));
const id = 'f0000000-0000-4000-8000-000000000001';

function chainWithMoney(): EvmChain {
  const chain = createEvmChain(network);
  chain.give(null, client, coin);
  chain.give(chain.token, client, 1_000_000n);
  return chain;
}

function termsOf(token: EvmAddress, amount: bigint): ForwardEvmTerms {
  const key = { scheme: 'wallet', index: 0 } as const;
  return { network, key, token, to: payee, amount, gas: 120_000n, mostWei: 10n ** 16n, confirmations: 3 };
}

function open({ runtime }: EvmScene, terms: ForwardEvmTerms): void {
  const createdAt = unix(runtime.clock.now().wall);
  const row = swapRow({ id, machine: forwardEvm.name, createdAt, terms, progress: { at: 'choosing' } });
  runtime.commits.open(id, () => ({ row, effects: [forwardEvmEffect(terms)] }));
}

const at = ({ store }: EvmScene) => store.swaps.head(id)?.at;
const arrived = (chain: EvmChain, token: EvmAddress) =>
  chain.replay().state.balances.get(`${toHex(token)} ${toHex(payee)}`) ?? 0n;
const sentBy = (chain: EvmChain) => chain.replay().state.nonces.get(toHex(client)) ?? 0;
/** An RPC that takes a transaction and loses it, or passes it on and does not say so. */
const silent = (honest: EvmPort, passesOn: boolean): Partial<EvmPort> => ({
  async broadcast(bytes) {
    if (passesOn) await honest.broadcast(bytes);
    throw evmFailure('evm-unclear', 'ask-first', 'nobody said what became of it');
  },
});

test.each(['token', 'coin'] as const)(
  'the %s arrives, and the job is over once it is buried',
  async (what) => {
    const chain = chainWithMoney();
    const scene = await evmScene({ chain });
    const token = what === 'coin' ? noToken : chain.token;
    open(scene, termsOf(token, 900_000n));
    await until(() => chain.pool.size === 1);
    chain.mine(2);
    await aWhile();
    const before = at(scene);
    chain.mine();
    await until(() => at(scene) === 'sent');
    expect([before, arrived(chain, token), sentBy(chain)]).toEqual(['sending', 900_000n, 1]);
    expect(scene.store.transactions.of(id).map(({ purpose, state }) => [purpose, state])).toEqual([
      ['taker-pay', 'final'],
    ]);
  },
  60_000,
);

test('a node that dies before and after it is handed to the chain pays once', async () => {
  const chain = chainWithMoney();
  const saved = (scene: EvmScene) => scene.store.transactions.of(id).map(({ txid }) => txid);
  const signed = new Set<string>();
  let scene = await evmScene({ chain, lying: (honest) => silent(honest, false) });
  const { folder } = scene;
  open(scene, termsOf(chain.token, 1_000_000n));
  await until(() => saved(scene).length === 1);
  for (const txid of saved(scene)) signed.add(txid);
  expect([chain.pool.size, sentBy(chain)]).toEqual([0, 0]);
  await scene.stop();

  scene = await evmScene({ chain, folder, lying: (honest) => silent(honest, true) });
  await until(() => chain.pool.size === 1);
  for (const txid of saved(scene)) signed.add(txid);
  chain.mine(3);
  await scene.stop();

  scene = await evmScene({ chain, folder });
  await until(() => at(scene) === 'sent');
  for (const txid of saved(scene)) signed.add(txid);
  expect([signed.size, arrived(chain, chain.token), sentBy(chain)]).toEqual([1, 1_000_000n, 1]);
}, 60_000);

test('one that waits at too low a price is sent dearer in its place, within what was agreed', async () => {
  const chain = chainWithMoney();
  const scene = await evmScene({ chain });
  open(scene, termsOf(chain.token, 5n));
  await until(() => chain.pool.size === 1);
  chain.setBaseFee(5n * 10n ** 9n);
  chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 200);
  chain.mine();
  await until(() => scene.store.transactions.of(id).length > 1);
  await until(() => [...chain.pool.values()].some(({ most }) => most > 5n * 10n ** 9n));
  chain.mine(3);
  await until(() => at(scene) === 'sent');
  const costs = [...chain.replay().receipts.values()].map(({ cost }) => cost <= 10n ** 16n);
  expect([arrived(chain, chain.token), sentBy(chain), costs]).toEqual([5n, 1, [true]]);
}, 60_000);

test('fault 109, evm: one that waits is sent dearer again and again after the wall was set back', async () => {
  const chain = chainWithMoney();
  let skew = 0;
  const scene = await evmScene({ chain, skew: () => skew });
  open(scene, termsOf(chain.token, 5n));
  await until(() => chain.pool.size === 1);
  skew = -86_400;
  const dearest = () => Math.max(...[...chain.pool.values()].map(({ most }) => Number(most)));
  for (const count of [2, 3]) {
    chain.setBaseFee(BigInt(dearest()) + 10n ** 9n);
    chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 200);
    chain.mine();
    await until(() => scene.store.transactions.of(id).length === count);
  }
  chain.mine(3);
  await until(() => at(scene) === 'sent');
  expect([arrived(chain, chain.token), sentBy(chain)]).toEqual([5n, 1]);
}, 60_000);

test('where another transaction of the same words took its place, nothing is signed a second time', async () => {
  const chain = chainWithMoney();
  const scene = await evmScene({ chain, lying: (honest) => ({ ...silent(honest, false) }) });
  const { folder } = scene;
  open(scene, termsOf(chain.token, 1_000_000n));
  await until(() => scene.store.transactions.of(id).length === 1);
  await scene.stop();
  const elsewhere = chain.port(clientSecret);
  const fees = await elsewhere.gasFees();
  const call = { to: payee, value: 1n, data: new Uint8Array() };
  await elsewhere.broadcast(elsewhere.sign({ ...call, nonce: 0, gas: 21_000n, fees }).bytes);
  chain.mine(4);
  const next = await evmScene({ chain, folder });
  await until(() => at(next) === 'missing');
  await aWhile();
  expect([next.store.transactions.of(id).length, chain.pool.size, arrived(chain, chain.token)]).toEqual([1, 0, 0n]);
}, 60_000);

test('fault 109, evm: of two approvals the dearer is the later one, whatever the wall said', async () => {
  const { store, runtime } = await evmScene({ chain: chainWithMoney() });
  const key = { scheme: 'wallet', index: 0 } as const;
  const accounts = takerAccountsOf(runtime.ports);
  const call = { to: payee, value: 0n, data: new Uint8Array(), nonce: 0, gas: 60_000n };
  const common = {
    network,
    asset: `0x${'0'.repeat(40)}`,
    subject: id,
    leg: 'evm',
    purpose: 'taker-approve',
    inputs: [],
  } as const;
  let replaces: string | null = null;
  for (const [wall, most] of [
    [200_000, 10n],
    [100_000, 12n],
    [100_200, 14n],
  ] as const) {
    const signed = signedByTaker({ ...call, fees: { is: 'dynamic', most, tip: 1n } }, network, key, accounts);
    store.transactions.insert({ ...common, ...signed, replaces }, wall);
    replaces = signed.txid;
  }
  const latest = onTheWayOf('taker-approve', { network, key, accounts, store }).at(-1);
  expect(latest?.txid).toBe(replaces);
});
