import { afterEach, expect, test } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { tokenAmount } from '../../engine/domain/money.ts';
import { outpointKey } from '../../engine/domain/outpoint.ts';
import { asSdk } from '../support/sandbox-ports/arkade-errors.ts';
import { refusal } from '../../engine/sandbox/world/arkade/errors.ts';
import { openClient } from '../support/client.ts';
import { payArkadeLightning, vhtlcTerms } from '../support/openings.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

/** As long as a busy loop is given: it made 153 lines of the journal a second. */
const tenSeconds = 10_000;
/**
 * A round of two effects that rest 0.25, 0.5, 1, 2, 4 seconds each, more or less, ends well before its twelfth time.
 */
const rounds = 12;

let scene: Scene;
/** On the clock of the scene. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
afterEach(() => scene.end());

function journalOf(id: string): number {
  return scene.node.store.journal.of(id).length;
}

test('fault 50: a claim that a Bitcoin node keeps refusing is tried ever more rarely, and made at last', async () => {
  let sent = 0;
  scene = await openScene({
    onBoundary: (what, moment) => void (what === 'bitcoin.broadcast' && moment === 'before' && sent++),
  });
  const { world, node } = scene;
  const alerts: string[] = [];
  node.runtime.onAlert(({ sentence }) => void alerts.push(sentence));
  const { record, coin, release } = await payArkadeLightning(scene);
  world.operator.faults.unroll(outpointKey(coin));
  await world.mine(1);
  const { claimDelay } = vhtlcTerms(node, record.id);
  world.bitcoin.refuseAll('the node likes nothing');
  release('settles');
  await node.until(record.id, 'claiming');
  await world.advance(claimDelay + 600);
  await eventually(() => sent > 0, 'the claim was sent once');
  const before = journalOf(record.id);
  await pause(tenSeconds);
  expect({ sent: sent <= rounds, lines: journalOf(record.id) - before <= 2 * rounds, alerts }).toEqual({
    sent: true,
    lines: true,
    alerts: ['The Bitcoin node refused our claim: the node likes nothing.'],
  });
  world.bitcoin.refuseAll(null);
  await eventually(() => world.bitcoin.spend(coin) !== undefined, 'the claim is on its way');
  await world.mine(6);
  await node.until(record.id, 'claimed');
});

test('fault 50: a withdrawal whose coins an operator calls taken chooses others ever more rarely', async () => {
  const refusalOfAll: unknown = await asSdk('arkade', 'submitTx', () => {
    throw refusal('VTXO_ALREADY_UNROLLED', 'every coin is');
  }).catch((error: unknown) => error);
  let sent = 0;
  scene = await openScene({
    onBoundary(what, moment) {
      if (what !== 'ark.submitTx' || moment !== 'before') return;
      sent += 1;
      throw refusalOfAll;
    },
  });
  const elsewhere = await openClient(scene.world, 77);
  const answer = await scene.node.service.owner.withdraw('arkade', {
    address: elsewhere.address,
    amount: tokenAmount(10_000),
    asset: null,
  });
  if (isRefusal(answer)) throw new Error(answer.sentence);
  await pause(tenSeconds);
  expect({ begun: sent > 0, sent: sent <= rounds, lines: journalOf(answer.id) <= 2 * rounds + 2 }).toEqual({
    begun: true,
    sent: true,
    lines: true,
  });
});

test('fault 50: a claim that the operator keeps refusing is made again at leisure, over a restart too', async () => {
  const refused: unknown = await asSdk('arkade', 'submitTx', () => {
    throw refusal('INVALID_SIGNATURE', 'not this one');
  }).catch((error: unknown) => error);
  let sent = 0;
  let refusing = false;
  scene = await openScene({
    onBoundary(what, moment) {
      if (!refusing || what !== 'ark.submitTx' || moment !== 'before') return;
      sent += 1;
      throw refused;
    },
  });
  const { record, release } = await payArkadeLightning(scene);
  refusing = true;
  release('settles');
  await eventually(() => sent > 0, 'the claim was sent once');
  for (let life = 0; life < 5; life++) {
    await pause(400);
    await scene.restart();
  }
  await pause(2_000);
  expect({ sent, at: scene.node.at(record.id) }).toEqual({ sent: 1, at: 'claiming' });
  refusing = false;
  await eventually(() => scene.node.at(record.id) === 'claimed', 'the claim is made after its pause');
});
