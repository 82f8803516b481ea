import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApiServer } from '../../engine/api/server.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { serveLives } from '../crash/support/serve-lives.ts';
import { evmToLightning, fundAlone, type FromEvm } from '../stories/client/from-evm.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld as network, fundEvmAccount } from '../support/node-evm.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

const chainId = 137;
const coin = `0x${'00'.repeat(20)}`;
/** Two of them are more than 0.1 BTC. */
const amount = 6_000_000n;

let scene: Scene;
let chain: EvmWorld;
let api: ApiServer;

beforeEach(async () => {
  scene = await openScene();
  chain = await startEvmWorld(() => scene.world.now());
  await scene.restart({ evm: chain, pollMs: 25 });
  wantsOfMuch(100_000);
  await fundEvmAccount(chain, evmOf(scene.node.ports, network).account());
  await scene.node.networks.refresh();
  api = await serveLives({ now: () => scene.node as never });
});
afterEach(async () => {
  await scene.end();
  await api.stop();
  await chain.stop();
});

/** The owner wants so many blocks of a lock above 0.1 BTC. */
function wantsOfMuch(blocks: number): void {
  Object.assign(scene.node.config.evm[`${chainId}`] ?? {}, { confirmations: [1, blocks] });
}

/** The client's lock for a payment that its payee holds. */
async function locked(): Promise<FromEvm & { readonly hash: Uint8Array }> {
  const { bolt11, hash } = scene.world.invoice(amount, { hold: true });
  const token = chain.endpoints.tokens[0]?.address ?? '';
  const swap = await evmToLightning(api.url, { chainId, token, bolt11, hash: toHex(hash), gasless: false });
  await chain.give(swap.account.address, token, swap.price);
  await chain.give(swap.account.address, coin, 10n ** 18n);
  await fundAlone(api.url, swap, chain.endpoints.rpcUrl, scene.world.now() + 3_600);
  return { ...swap, hash };
}

test('fault 257, evm: of two locks that are much together one waits for its depth', async () => {
  const { node } = scene;
  const first = await locked();
  await eventually(() => node.status(first.id) === 'serverfunded', 'the first is paid for');
  const next = await locked();
  const attempts = () => node.store.effects.of(next.id).map((row) => row.attempts);
  await eventually(() => attempts().some((many) => many > 1), 'the next is held back');
  expect(node.status(next.id)).toBe('clientfunded');
  wantsOfMuch(2);
  await eventually(() => node.status(next.id) === 'serverfunded', 'the next is paid for');
});

test('fault 257, evm: the lock of a payment that failed makes no other wait', async () => {
  const { node } = scene;
  const failing = await locked();
  await eventually(() => node.status(failing.id) === 'serverfunded', 'the first is paid for');
  scene.world.lightning.cancel('outside', toHex(failing.hash));
  await eventually(() => node.status(failing.id) === 'serverwontfund', 'it failed');
  const next = await locked();
  await eventually(() => node.status(next.id) === 'serverfunded', 'the next is paid for');
});
