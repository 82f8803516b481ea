import { afterAll, beforeAll, expect, test } from 'vitest';
import { evmOf } from '../../../engine/runtime/ports.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { tokenAmount, type Asset } from '../../../engine/domain/money.ts';
import { accepted } from '../../support/bitcoin-wallet.ts';
import { inBooks, lookAtBooks, onNetworks, secondsUntilClosed, sumsOf, walletsInBooks } from '../../support/books.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import { eventually, openScene, type Scene } from '../../support/scene.ts';

const network = 'evm:137';
const coin: Asset = { network, asset: `0x${'0'.repeat(40)}` };
let evm: EvmWorld;
let scene: Scene;
let token: Asset;
beforeAll(async () => {
  evm = await startEvmWorld(() => Math.floor(Date.now() / 1_000));
  scene = await openScene({ evm, untilMs: 60_000 }, 'usual');
  token = { network, asset: evm.endpoints.tokens[0]!.address.toLowerCase() as Asset['asset'] };
});
afterAll(async () => {
  await scene.end();
  await evm.stop();
});

/** The books and the chain: a deposit has to stand, and while a transaction waits for its block nobody can tell. */
async function agree(): Promise<void> {
  await eventually(async () => {
    await lookAtBooks(scene.node, 1);
    const wallets = walletsInBooks(scene.node);
    const held = [...(await onNetworks(scene.node))].filter(([name]) => name.startsWith(network));
    return held.length === 2 && held.every(([name, amount]) => wallets.get(name) === amount);
  }, 'the books say what the account holds');
  expect(sumsOf(scene.node).every((sum) => sum === 0n)).toBe(true);
  expect(scene.node.books.states().every(({ alarm }) => !alarm)).toBe(true);
}

test('what the account held opens the books, and what came from elsewhere is the owner’s', async () => {
  await agree();
  expect(inBooks(scene.node, token, 'opening')).toBe(-1_000_000_000n);
  const account = `0x${toHex(evmOf(scene.node.runtime.ports, network).account())}`;
  await evm.give(account, token.asset, 12_345n);
  await evm.give(account, coin.asset, 7n);
  await agree();
  expect([inBooks(scene.node, token, 'owner'), inBooks(scene.node, coin, 'owner')]).toEqual([-12_345n, -7n]);
});

test('a withdrawal is the owner’s, its gas is gas, and until it is buried it is on its way', async () => {
  const before = {
    token: inBooks(scene.node, token),
    coin: inBooks(scene.node, coin),
    gas: inBooks(scene.node, coin, 'gas'),
  };
  accepted(
    await scene.node.service.owner.withdraw(network, {
      address: `0x${'77'.repeat(20)}`,
      amount: tokenAmount(1_000),
      asset: token.asset,
    }),
  );
  await eventually(() => scene.node.store.nonces.open(network).length === 0, 'it is buried');
  await agree();
  const gas = inBooks(scene.node, coin, 'gas') - before.gas;
  expect(gas).toBeGreaterThan(0n);
  expect([inBooks(scene.node, token) - before.token, inBooks(scene.node, coin) - before.coin]).toEqual([-1_000n, -gas]);
  // Gas that a withdrawal took is no money of the owner's that arrived anywhere.
  expect([inBooks(scene.node, token, 'owner'), inBooks(scene.node, coin, 'owner')]).toEqual([-11_345n, -7n]);
});

test('one unit that is missing stops new swaps within a minute, and ends when it is written off', async () => {
  const alerts: string[] = [];
  scene.node.runtime.onAlert(({ sentence }) => alerts.push(sentence));
  scene.node.store.ledger.write('nobody', 1, 'deposit', { ...token, amount: 1n });
  expect(await secondsUntilClosed(scene.node, network)).toBeLessThan(60);
  expect(alerts).toHaveLength(1);
  expect(alerts[0]).toContain(`1 of the smallest unit of ${token.asset} less`);
  expect(scene.node.runtime.guard.closed(network)).not.toBeNull();
  accepted(await scene.node.service.owner.writeOff({ of: token, account: 'wallet', reason: 'a test took it' }));
  expect(scene.node.runtime.guard.closed(network)).toBeNull();
});
