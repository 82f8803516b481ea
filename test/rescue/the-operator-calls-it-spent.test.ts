import { afterEach, beforeEach, expect, test } from 'vitest';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { RescueLeg } from '../../engine/legs/rescue.ts';
import { arkadeHand } from '../../engine/rescue/arkade.ts';
import { createTroubles } from '../../engine/rescue/troubles.ts';
import { noExitPaths } from '../../engine/rescue/exit-paths.ts';
import { arkadeOf } from '../../engine/runtime/ports.ts';
import { lockLightningArkade, vhtlcTerms } from '../support/openings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { unlist } from '../support/unlisted.ts';
import { portsOf } from './rescuer.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ bitcoinWallet: true });
});
afterEach(() => scene.end());

function handWith(arkade: ArkadePort): ReturnType<typeof arkadeHand> {
  const ports = { ...portsOf({ world: scene.world, folder: '' }, null), arkade };
  const { signal } = new AbortController();
  return arkadeHand({ ports, network: 'regtest', exitPaths: noExitPaths, troubles: createTroubles([]), signal });
}

test('fault 68: rescue takes what lies unspent on the chain, though its operator accepted another spend', async () => {
  const { world, client, node } = scene;
  const { record, secret, coin } = await lockLightningArkade(scene);
  const terms = vhtlcTerms(node, record.id);
  await world.mine(1);
  const index = (node.store.swaps.byId(record.id)?.terms as { keyIndex: number }).keyIndex;
  await node.kill();
  await world.advance(terms.refundLocktime - world.now() + 7_200);
  // The refund of the other side, which it never made final.
  const provider = arkadeOf(portsOf({ world, folder: '' }, null));
  const refund = await provider.prepareRefund({ terms, key: { branch: 'swap', index }, coins: [coin] });
  const answer = await provider.submit(refund.bytes);
  world.operator.faults.unroll(outpointKey(coin.outpoint));
  await world.mine(1);
  const hand = handWith(client.port);
  const leg: RescueLeg & { on: 'arkade' } = {
    on: 'arkade',
    terms,
    key: { branch: 'taker', index: 0 },
    coin: coin.outpoint,
    amount: coin.amount,
  };
  const look = await hand.look(leg, 'claim');
  await world.advance(terms.claimDelay + 600);
  const answerThere = await hand.take(leg, secret);
  expect([answer.is, look.state.is, answerThere.is, world.bitcoin.spend(coin.outpoint) !== undefined]).toEqual([
    'accepted',
    'standing',
    'later',
    true,
  ]);
});

test('fault 95, arkade: rescue finds its coin by name where the operator gives no list', async () => {
  const { client, node } = scene;
  const { record, coin } = await lockLightningArkade(scene);
  const terms = vhtlcTerms(node, record.id);
  unlist(scene.world, coin.script);
  const leg: RescueLeg & { on: 'arkade' } = {
    on: 'arkade',
    terms,
    key: { branch: 'taker', index: 0 },
    coin: coin.outpoint,
    amount: coin.amount,
  };
  expect((await handWith(client.port).look(leg, 'claim')).state.is).toBe('standing');
});
