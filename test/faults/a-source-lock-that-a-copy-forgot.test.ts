import { afterEach, beforeEach, expect, test } from 'vitest';
import { asPreimage } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { evmAccountRules, evmRules } from '../../engine/service/evm/rules.ts';
import { createReconciliation } from '../../engine/service/reconciliation/reconciliation.ts';
import type { ApiServer } from '../../engine/api/server.ts';
import { serveLives } from '../crash/support/serve-lives.ts';
import { evmToLightning, fundAlone, type FromEvm } from '../stories/client/from-evm.ts';
import { evmToArkade } from '../stories/client/to-arkade.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld as network, fundEvmAccount } from '../support/node-evm.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';
import type { EvmArkadeRecord } from '../../engine/contract/directions/evm-arkade.ts';
import type { NodeOptions } from '../support/node.ts';

/* A swap from an EVM chain that began after a backup: the client's lock is left of it, and what was given for that. */

const chainId = 137;
const coin = `0x${'00'.repeat(20)}`;
const hour = 3_600;

let scene: Scene;
let chain: EvmWorld;
let api: ApiServer;
let withEvm: NodeOptions;

beforeEach(async () => {
  scene = await openScene();
  chain = await startEvmWorld(() => scene.world.now());
  withEvm = { evm: chain, pollMs: 25 };
  await scene.restart(withEvm);
  await fundEvmAccount(chain, account());
  await scene.node.networks.refresh();
  api = await serveLives({ now: () => scene.node as never });
});
afterEach(async () => {
  await scene.end();
  await api.stop();
  await chain.stop();
});

const account = () => evmOf(scene.node.ports, network).account();
const wbtc = () => chain.endpoints.tokens.find(({ symbol }) => symbol === 'WBTC')?.address ?? '';

async function locked(swap: FromEvm): Promise<void> {
  const { address } = swap.account;
  await chain.give(address, wbtc(), swap.price);
  await chain.give(address, coin, 10n ** 18n);
  await fundAlone(api.url, swap, chain.endpoints.rpcUrl, scene.world.now() + hour);
}

/** Units of the token that the node's account holds. */
function held(): Promise<bigint> {
  const { peggedToken } = scene.node.config.evm[`${chainId}`] ?? {};
  if (peggedToken === undefined || peggedToken === null) throw new Error('no token is set');
  return evmOf(scene.node.ports, network).balance(peggedToken, account());
}

/** The copy runs, and is compared with the networks now and then. */
async function restored() {
  await scene.restore({ ...withEvm, restored: true });
  const { runtime, config } = scene.node;
  return createReconciliation({
    ...{ runtime, everyMs: 3_600_000, log: runtime.log },
    contracts: () => config.evm[`${chainId}`]?.contracts ?? null,
    accounts: (of) => evmAccountRules(config, of),
    rules: (of) => evmRules(config, of, { price: { wei: 10n ** 18n, sats: sats(500n) }, decimals: 8 }),
  });
}

test('fault 185, evm: a lock that a payment of our own opens is claimed by a copy from before its swap', async () => {
  scene.backUp();
  const { bolt11, hash } = scene.world.invoice(100_000n, { hold: true, expirySeconds: 24 * hour });
  const of = { chainId, token: wbtc(), bolt11, hash: toHex(hash), gasless: false };
  const swap = await evmToLightning(api.url, of);
  await locked(swap);
  await scene.node.until(swap.id, 'paying');
  await scene.node.kill();
  scene.world.lightning.release(toHex(hash), 'settles');
  const comparing = await restored();
  const before = await held();
  await comparing.check();
  await eventually(async () => (await held()) > before, 'the lock is ours');
  expect(await held()).toBe(before + swap.price);
});

test('fault 185, evm: a lock is claimed by the secret that the claim of our VHTLC shows', async () => {
  scene.backUp();
  const { client } = scene;
  const swap = await evmToArkade(
    api.url,
    { arkade: client },
    { chainId, token: wbtc(), gasless: false, amount: { amount_out: 50_000 } },
  );
  await locked(swap);
  await scene.node.until(swap.id, 'locked');
  const comparing = await restored();
  const before = await held();
  await comparing.check();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await held()).toBe(before);
  await client.claim(swap.record as unknown as EvmArkadeRecord, asPreimage(swap.secret));
  await comparing.check();
  await eventually(async () => (await held()) > before, 'the lock is ours');
  expect(await held()).toBe(before + swap.price);
});
