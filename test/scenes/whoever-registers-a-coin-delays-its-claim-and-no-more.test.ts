import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import { register } from '../support/registrant.ts';
import { payArkadeLightning, vhtlcTerms } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

/** A client's coin that is being paid for; `settle` is the moment from which it is ours to claim. */
async function paying() {
  const { client, node } = scene;
  const { record, release } = await payArkadeLightning(scene);
  const [coin] = await client.coins(record);
  if (coin === undefined) throw new Error('the faucet paid nothing');
  return {
    record,
    coin,
    terms: vhtlcTerms(node, record.id),
    settle: () => release('settles'),
  };
}

function flagOf(id: string): string | null {
  return scene.node.runtime.workingSet.find(id)?.row.flag ?? null;
}

describe('the sender registers its coin for a batch', () => {
  test('and again whenever it is withdrawn: the claim gets through', async () => {
    const { world } = scene;
    const { record, coin, terms, settle } = await paying();
    // Left alone, a registration would hold the coin for longer than this test waits.
    world.operator.configure({ stages: { registration: 60_000, confirmation: 2_000, finalization: 2_000 } });
    let registrations = 0;
    let going = true;
    const griefing = (async () => {
      while (going) {
        try {
          register(world, terms, coin, 'refund-without-receiver');
          registrations++;
        } catch {
          // It is registered already, or ours.
        }
        await new Promise((resolve) => setTimeout(resolve, 120));
      }
    })();
    await eventually(() => registrations > 0, 'the coin is registered');
    settle();
    await scene.node.until(record.id, 'claimed');
    going = false;
    await griefing;
    expect({ more: registrations > 0, status: scene.node.status(record.id) }).toEqual({
      more: true,
      status: 'serverredeemed',
    });
  });

  test('and a round holds it: the claim waits until the round has failed', async () => {
    const { world } = scene;
    const { record, coin, terms, settle } = await paying();
    register(world, terms, coin, 'unilateral-refund-without-receiver');
    // Taken by the round, the registration cannot be withdrawn, and the sender never confirms it.
    await new Promise((resolve) => setTimeout(resolve, 150));
    const began = performance.now();
    settle();
    await scene.node.until(record.id, 'claimed');
    const refused = scene.node.logged.filter((line) => line.includes('a round holds the coin')).length;
    expect({
      waited: performance.now() - began > 500,
      refused: refused > 1,
      status: scene.node.status(record.id),
    }).toEqual({ waited: true, refused: true, status: 'serverredeemed' });
  });
});

test('a script that the operator has banned is claimed when the ban is over, and the owner is told', async () => {
  const { world } = scene;
  const { record, coin, terms, settle } = await paying();
  world.operator.configure({ stages: { registration: 40, confirmation: 200, finalization: 200 } });
  let intent = '';
  const close = world.operator.batchEvents([outpointKey(coin.outpoint)], {
    event: (event) => void ('batchStarted' in event && setTimeout(() => world.operator.ack(intent), 1)),
    end: () => undefined,
  });
  // Confirms a round that takes its coin, and then signs nothing: three times, and the script is banned.
  for (let times = 1; times <= 3; times++) {
    intent = register(world, terms, coin, 'refund-without-receiver');
    await eventually(
      () => world.operator.admin.convictions(toHex(coin.script)).length >= times,
      'the script is convicted',
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  close();
  settle();
  await eventually(() => flagOf(record.id)?.includes('banned') === true, 'the owner is told of the ban');
  const during = scene.node.at(record.id);
  await world.advance(301);
  await scene.node.until(record.id, 'claimed');
  expect({ during, status: scene.node.status(record.id) }).toEqual({ during: 'claiming', status: 'serverredeemed' });
});
