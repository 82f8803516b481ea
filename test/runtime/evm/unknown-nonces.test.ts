import { expect, it } from 'vitest';
import { unknownActs } from '../../../engine/service/reconciliation/unknown-acts.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import { client, evmScene, network, ours, secret, until, type EvmScene } from './scene.ts';

/** What one RPC says of our nonces while no other answers. */
interface Lie {
  mined?: number;
}

async function payingScene(lie: Lie = {}): Promise<{ chain: EvmChain; scene: EvmScene }> {
  const chain = createEvmChain(network);
  chain.give(null, ours, 10n ** 18n);
  chain.give(chain.token, ours, 10n ** 9n);
  const scene = await evmScene({
    chain,
    lying: (honest) => ({
      nonces: async () =>
        lie.mined === undefined ? honest.nonces() : { mined: lie.mined, pending: lie.mined, alone: true },
    }),
  });
  scene.open([scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })]);
  await until(() => chain.pool.size > 0);
  chain.mine();
  return { chain, scene };
}

const shown = async ({ runtime }: EvmScene) => (await unknownActs(runtime)).map((act) => act.shown);

it('fault 72, evm: a transaction of our account that the database forgot is shown, and once', async () => {
  const { chain, scene } = await payingScene();
  const level = await shown(scene);
  const port = chain.port(secret);
  const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;
  const call = { to: client, value: 1n, data: new Uint8Array() };
  await port.broadcast(port.sign({ ...call, nonce: 1, gas: 21_000n, fees }).bytes);
  chain.mine();
  const acts = await unknownActs(scene.runtime);
  expect([level, acts.map((act) => act.shown)]).toEqual([
    [],
    [`the node's account on ${network} made its transaction 1`],
  ]);
  for (const act of acts) act.told?.();
  expect(await shown(scene)).toEqual([]);
});

it('fault 72, evm: a count that one RPC names while no other answers shows nothing', async () => {
  const lie: Lie = {};
  const { scene } = await payingScene(lie);
  lie.mined = 1_000_000;
  expect(await shown(scene)).toEqual([]);
});
