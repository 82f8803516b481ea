import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApiServer } from '../../engine/api/server.ts';
import type { LightningEvmRecord } from '../../engine/contract/directions/lightning-evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { evmFailure } from '../../engine/legs/evm/failures.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { serveLives } from '../crash/support/serve-lives.ts';
import { lightningToEvm } from '../stories/client/to-evm.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld as network, fundEvmAccount } from '../support/node-evm.ts';
import { openScene, type Scene } from '../support/scene.ts';

/* Our lock is signed and handed out, and nobody publishes it until its timelock is over. */

let scene: Scene;
let chain: EvmWorld;
let api: ApiServer;
/** The swap whose lock, and what is sent behind it, reaches nobody. */
let muted: string | null;

beforeEach(async () => {
  muted = null;
  scene = await openScene();
  chain = await startEvmWorld(() => scene.world.now());
  api = await serveLives({ now: () => scene.node as never });
  await scene.restart({
    evm: chain,
    pollMs: 25,
    onBoundary(what, moment) {
      if (what !== 'evm.broadcast' || moment !== 'before' || muted === null) return;
      if (scene.node.store.transactions.of(muted).some(({ purpose }) => purpose === 'lock'))
        throw evmFailure('evm-away', 'ask-first', 'the RPC publishes nothing');
    },
  });
  await fundEvmAccount(chain, evmOf(scene.node.ports, network).account());
  await scene.node.networks.refresh();
});
afterEach(async () => {
  await scene.end();
  await api.stop();
  await chain.stop();
});

test('fault 329, evm: a swap whose lock is never mined ends, and its payment goes back', async () => {
  const { node, world } = scene;
  const token = chain.endpoints.tokens.find(({ symbol }) => symbol === 'WBTC')?.address ?? '';
  const swap = await lightningToEvm(api.url, { chainId: 137, token, gasless: false, amount: { amount_in: 40_000 } });
  const record = swap.record as unknown as LightningEvmRecord;
  const kinds = (state: string) =>
    node.store.transactions.of(record.id).flatMap((row) => (row.state === state ? [row.purpose] : []));
  muted = record.id;
  world.pay(swap.bolt11);
  await node.until(record.id, 'locking');
  await expect.poll(() => kinds('accepted'), { timeout: 60_000 }).toEqual(['lock']);
  await world.advance(record.evm_refund_locktime - world.now() + 60);
  await expect.poll(() => kinds('accepted'), { timeout: 60_000 }).toContain('cancel');
  muted = null;
  await node.until(record.id, 'stopped');
  // The chain is looked at once more before anything goes back.
  await world.advance(60);
  await expect.poll(() => world.paid(fromHex(record.hash_lock.slice(2))), { timeout: 60_000 }).toBe('failed');
  expect([kinds('final').includes('cancel'), kinds('final').includes('lock')]).toEqual([true, false]);
});
