import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256Of } from '../../engine/legs/secret.ts';
import { stopLine } from '../../engine/legs/lightning/timelocks.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from '../../engine/swap/directions/lightning-arkade.ts';
import { lockLightningArkade, payArkadeLightning } from '../support/openings.ts';
import { eventually, openScene, price, type Scene } from '../support/scene.ts';
import { anyFailure } from '../support/failure.ts';

let scene: Scene;
/** Calls that get no answer now. */
let away: Set<string>;
beforeEach(async () => {
  away = new Set();
  scene = await openScene({
    onBoundary(what, moment) {
      if (moment === 'before' && away.has(what)) throw anyFailure('away', 'ask-first', `${what} gets no answer`);
    },
  });
});
afterEach(() => scene.end());

function rowOf(id: string) {
  const open = scene.node.runtime.workingSet.find(id);
  if (open === null) throw new Error('no such swap');
  return open.row;
}

function ledger(id: string): Record<string, bigint> {
  return Object.fromEntries(scene.node.store.ledger.of(id).map(({ kind, amount }) => [kind, amount]));
}

describe('a lock that is neither claimed nor back', () => {
  async function locked() {
    const { record, secret } = await lockLightningArkade(scene);
    return { record, secret };
  }

  test('alarms the owner at the last block at which the payment is surely ours', async () => {
    const { world } = scene;
    const { record } = await locked();
    const { policy } = rowOf(record.id).terms as LightningArkadeTerms;
    const { expiryHeight } = rowOf(record.id).progress as LightningArkadeProgress & { at: 'locked' };
    const line = stopLine(expiryHeight ?? 0, policy);
    // Blocks come faster than they should, and time does not pass.
    await world.mine(line - 1 - world.bitcoin.clock.height());
    await new Promise((resolve) => setTimeout(resolve, 500));
    const early = rowOf(record.id).flag;
    await world.mine(1);
    await eventually(() => rowOf(record.id).flag !== null, 'the owner is told');
    expect({ early, flag: rowOf(record.id).flag, at: scene.node.at(record.id) }).toEqual({
      early: null,
      flag: expect.stringContaining(`can be settled safely only until block ${line}`),
      at: 'locked',
    });
  });

  test('and claimed when its payment had gone back is lost, is over, and stands in the ledger', async () => {
    const { world, client, node } = scene;
    const { record, secret } = await locked();
    away = new Set(['arkade.coins', 'arkade.waiting', 'arkade.submit', 'arkade.prepareRefund', 'lightning.settle']);
    await client.claim(record, secret);
    await world.mine(400);
    expect(world.paid(sha256Of(secret))).toBe('failed');
    away.clear();
    await node.until(record.id, 'lost');
    expect({
      status: node.status(record.id),
      open: rowOf(record.id).open,
      flag: rowOf(record.id).flag,
      ledger: ledger(record.id),
      owed: node.store.effects.of(record.id),
    }).toEqual({
      status: 'clientredeemedandclientrefunded',
      open: false,
      flag: expect.stringContaining('took its payment back'),
      ledger: { loss: -99_750_000n },
      owed: [],
    });
  });
});

describe('a coin of the client that expires before we claimed it', () => {
  async function settledWhileAway() {
    const { world, node } = scene;
    const { record, coin, release } = await payArkadeLightning(scene);
    away = new Set(['arkade.prepareClaim', 'arkade.settle']);
    release('settles');
    await node.until(record.id, 'claiming');
    world.expire(coin);
    return { record, coin };
  }

  test('is claimed through a batch', async () => {
    const before = await scene.walletTotal();
    const { record } = await settledWhileAway();
    away.clear();
    await scene.node.until(record.id, 'claimed');
    expect({ got: (await scene.walletTotal()) - before, status: scene.node.status(record.id) }).toEqual({
      got: price,
      status: 'serverredeemed',
    });
  });

  test('or was taken back by its sender, for whom no timelock counts any more: the owner is told', async () => {
    const { world, client } = scene;
    const { record } = await settledWhileAway();
    const { vhtlc } = rowOf(record.id).terms as LightningArkadeTerms;
    const coins = await client.coins(record);
    await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
    await client.port.settle({
      terms: vhtlc,
      key: { branch: 'taker', index: 0 },
      coins,
      leaf: 'refund-without-receiver',
      signal: new AbortController().signal,
    });
    away.clear();
    await eventually(
      () => rowOf(record.id).flag?.includes('somebody else may have taken it') === true,
      'the owner is told',
    );
    expect(scene.node.at(record.id)).toBe('claiming');
  });
});
