import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checksummed } from '../../../engine/domain/evm-address.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { tokenAmount } from '../../../engine/domain/money.ts';
import { startOfTests } from '../../sandbox/worlds.ts';
import { arkadeEvmClient } from '../../support/arkade-evm-client.ts';
import { accepted } from '../../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import { evmOf } from '../../../engine/runtime/ports.ts';
import { evmNetworkOfWorld } from '../../support/node-evm.ts';
import { eventually, openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
let chain: EvmWorld;
beforeAll(async () => {
  let now = (): number => startOfTests;
  chain = await startEvmWorld(() => now());
  scene = await openScene({ evm: chain }, 'usual');
  now = scene.world.now;
  await eventually(() => scene.node.runtime.clock.now()[evmNetworkOfWorld]?.height !== undefined, 'the chain is read');
}, 120_000);
afterAll(async () => {
  await scene.end();
  await chain.stop();
});

async function share() {
  const asset = chain.endpoints.tokens[0]?.address.toLowerCase();
  const { balances } = accepted(await scene.node.service.owner.balances());
  const row = balances.find((one) => one.network === evmNetworkOfWorld && one.asset.toLowerCase() === asset);
  if (row === undefined) throw new Error('the account has no token');
  return { asset: row.asset, available: BigInt(row.available), reserved: BigInt(row.reserved) };
}

const withdraw = async (amount: bigint, asset: string) =>
  scene.node.service.owner.withdraw(evmNetworkOfWorld, {
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    amount: tokenAmount(amount),
    asset,
  });

test('fault 280, evm: a lock that was signed since the account was read leaves promises as they are', async () => {
  const reader = scene.node.networks.chains.get(evmNetworkOfWorld);
  if (reader === undefined) throw new Error('no chain is read');
  await scene.node.networks.refresh();
  const client = arkadeEvmClient(chain, scene.client.publicKey, 0x52);
  const [first, second] = [await client.create(scene.node, 20_000n), await client.create(scene.node, 20_000n)];
  if (isRefusal(first) || isRefusal(second)) throw new Error('a create was refused');
  const last = reader.last();
  if (last.state !== 'connected' || last.facts.pegged === null) throw new Error('the account was not read');
  const asRead = reader.freeUnits(last.facts.pegged);
  scene.world.faucet(first.btc_vhtlc_address, BigInt(first.source_amount));
  await scene.node.until(first.id, 'locked');
  const reading = vi.spyOn(reader, 'freeUnits').mockReturnValue(asRead);
  const { asset, available } = await share();
  expect(await withdraw(available, asset)).toMatchObject({
    refusal: 'forbidden',
    sentence: expect.stringMatching(/^Nothing was sent: .* are needed with what is promised to swaps: /),
  });
  reading.mockRestore();
  await scene.node.networks.refresh();
  expect(await withdraw(100n, asset)).toMatchObject({ sent: true });
  await eventually(() => scene.node.store.nonces.open(evmNetworkOfWorld).length === 0, 'all of it is mined');
  await scene.node.networks.refresh();
}, 60_000);

test('fault 309, evm: a lock on its way counts once, in what is free and beside a withdrawal', async () => {
  const { node } = scene;
  await node.networks.refresh();
  const before = await share();
  const reader = node.networks.chains.get(evmNetworkOfWorld);
  if (reader === undefined) throw new Error('no chain is read');
  const freeBefore = reader.free();
  const port = evmOf(node.runtime.ports, evmNetworkOfWorld);
  const unsent: Uint8Array[] = [];
  const silent = vi.spyOn(port, 'broadcast').mockImplementation(async (bytes) => {
    unsent.push(bytes);
    return { is: 'accepted' };
  });
  const record = await arkadeEvmClient(chain, scene.client.publicKey, 0x53).create(node, 20_000n);
  if (isRefusal(record)) throw new Error(record.sentence);
  scene.world.faucet(record.btc_vhtlc_address, BigInt(record.source_amount));
  const open = () => node.store.nonces.open(evmNetworkOfWorld);
  const lockOf = () => open().find(({ purpose, subject }) => purpose === 'lock' && subject === record.id);
  await eventually(() => lockOf() !== undefined, 'the lock is signed');
  await node.networks.refresh();
  const amount = lockOf()?.takes?.amount ?? 0n;
  const after = await share();
  expect(amount).toBeGreaterThan(0n);
  expect(after).toEqual({ ...before, available: before.available - amount });
  const [less, [promised]] = [freeBefore - reader.free(), node.store.reservations.ofSwap(record.id)];
  expect(less > 0n && less * 1_000n <= (promised?.amount ?? 0n)).toBe(true);
  const withdrawal = withdraw(after.available, after.asset);
  await eventually(() => open().some(({ purpose }) => purpose === 'pay'), 'the withdrawal is signed');
  silent.mockRestore();
  expect(await withdrawal).toMatchObject({ sent: true });
  for (const bytes of unsent) await port.broadcast(bytes);
  await eventually(() => open().length === 0, 'all of it is mined');
  await chain.give(checksummed(port.account()), after.asset, 100_000_000n);
  await node.networks.refresh();
}, 60_000);

test('fault 280, evm: no withdrawal takes of a chain what is promised to a swap', async () => {
  const record = await arkadeEvmClient(chain, scene.client.publicKey, 0x51).create(scene.node, 20_000n);
  if (isRefusal(record)) throw new Error(record.sentence);
  const { asset, available, reserved } = await share();
  expect(reserved).toBeGreaterThan(0n);
  expect(await withdraw(available + 1n, asset)).toEqual({
    refusal: 'forbidden',
    sentence:
      `amount is ${available + 1n} units; ${available} are free beside what is promised to swaps, on its way and ` +
      'kept for gas: send less.',
  });
  // The sum of two at once is no more than one may be.
  expect(await Promise.all([withdraw(available, asset), withdraw(100n, asset)])).toMatchObject([
    { sent: true },
    { refusal: 'forbidden' },
  ]);
}, 60_000);
