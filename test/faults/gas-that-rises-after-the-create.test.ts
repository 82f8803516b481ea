import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import type { GasFees } from '../../engine/legs/evm/port.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { startOfTests } from '../sandbox/worlds.ts';
import { arkadeEvmClient, type ArkadeEvmClient } from '../support/arkade-evm-client.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/* Gas costs a hundred times as much once a client pays as when it was told a price. */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const network = 'evm:137';

let scene: Scene;
let chain: EvmWorld;
let client: ArkadeEvmClient;

beforeAll(async () => {
  let now = (): number => startOfTests;
  chain = await startEvmWorld(() => now());
  scene = await openScene({ evm: chain, untilMs: 150_000 }, 'usual');
  now = scene.world.now;
  await eventually(() => scene.node.runtime.clock.now()[network]?.height !== undefined, 'the chain is read');
  client = arkadeEvmClient(chain, scene.client.publicKey, 0x51);
  scene.world.faucet(scene.client.address, 200_000n);
});

afterAll(async () => {
  await scene.end();
  await chain.stop();
});

/** Created while gas is cheap, and paid once it is dear; what makes it cheap again. */
async function paidWhileDear(): Promise<{ readonly id: string; readonly falls: () => void }> {
  const record = await client.create(scene.node, 20_000n, '198.51.100.7');
  if (isRefusal(record)) throw new Error(record.sentence);
  const port = evmOf(scene.node.ports, network);
  const honest = port.gasFees.bind(port);
  const dear = async (): Promise<GasFees> => {
    const fees = await honest();
    return fees.is === 'legacy'
      ? { is: 'legacy', price: 100n * fees.price }
      : { ...fees, most: 100n * fees.most, tip: 100n * fees.tip };
  };
  const spy = vi.spyOn(port, 'gasFees').mockImplementation(dear);
  await client.pay(record, scene.client);
  const isWaiting = () => scene.node.store.effects.of(record.id).some(({ attempts }) => attempts > 2);
  await eventually(isWaiting, 'the lock is tried more than once');
  expect(scene.node.at(record.id)).toBe('funded');
  return { id: record.id, falls: () => void spy.mockImplementation(honest) };
}

test('fault 263, evm: our lock waits for gas as its client was charged for, and is made then', async () => {
  const { id, falls } = await paidWhileDear();
  falls();
  await scene.node.until(id, 'locked');
  await client.claim(scene.node, id);
  await scene.node.until(id, 'claimed');
});

test('fault 263, evm: a lock that waits until its time is over is never made', async () => {
  const { id, falls } = await paidWhileDear();
  await scene.world.advance(13 * 3_600);
  await scene.node.until(id, 'stopped');
  falls();
  expect(scene.node.status(id)).toBe('serverwontfund');
  expect(scene.node.store.nonces.openOf(network, id)).toEqual([]);
});
