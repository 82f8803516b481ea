import { afterEach, expect, test } from 'vitest';
import { sha256Of } from '../../engine/legs/secret.ts';
import { lockLightningArkade } from '../support/openings.ts';
import { openScene, price, type Scene } from '../support/scene.ts';
import { anyFailure } from '../support/failure.ts';

let scene: Scene;
afterEach(() => scene.end());

type Fate = 'submit answered, the answer lost' | 'finalize done, the answer lost' | 'finalize never arrived';

/** Strikes once, at the operator's own calls below our adapter: the `turn`th transaction that comes by. */
function striking(fate: Fate, turn: number): { hit: () => boolean; open: () => Promise<Scene> } {
  let submits = 0;
  let hit = false;
  const call = fate.includes('submit') ? 'ark.submitTx' : 'ark.finalizeTx';
  const moment = fate === 'finalize never arrived' ? 'before' : 'after';
  const open = () =>
    openScene({
      onBoundary(what, at) {
        if (what === 'ark.submitTx' && at === 'before') submits++;
        if (hit || submits !== turn || what !== call || at !== moment) return;
        hit = true;
        throw anyFailure('lost', 'ask-first', fate);
      },
    });
  return { hit: () => hit, open };
}

const fates: readonly Fate[] = [
  'submit answered, the answer lost',
  'finalize done, the answer lost',
  'finalize never arrived',
];

async function struck(hit: () => boolean): Promise<void> {
  await expect.poll(hit, { timeout: 60_000 }).toBe(true);
}

test.each(fates)(
  'our claim: %s',
  async (fate) => {
    const { hit, open } = striking(fate, 1);
    scene = await open();
    const { world, client } = scene;
    const before = await scene.walletTotal();
    const record = await client.createArkadeLightning(scene.node, world.invoice(100_000n).bolt11, 100_000n);
    world.faucet(record.arkade_vhtlc_address, price);
    await struck(hit);
    await scene.node.until(record.id, 'claimed');
    expect({ got: (await scene.walletTotal()) - before, status: scene.node.status(record.id) }).toEqual({
      got: price,
      status: 'serverredeemed',
    });
  },
  60_000,
);

test.each(fates)(
  'fault 41: our lock: %s',
  async (fate) => {
    const { hit, open } = striking(fate, 1);
    scene = await open();
    const { world, client } = scene;
    const secret = client.secret();
    const record = await client.createLightningArkade(scene.node, 100_000n, secret);
    world.pay(record.bolt11_invoice);
    await struck(hit);
    await scene.node.until(record.id, 'locked');
    expect((await client.coins(record)).map(({ amount, spent }) => [amount, spent])).toEqual([[99_750n, false]]);
    await client.claim(record, secret);
    await scene.node.until(record.id, 'claimed');
  },
  60_000,
);

test.each(fates)(
  'our refund: %s',
  async (fate) => {
    const { hit, open } = striking(fate, 2);
    scene = await open();
    const { world } = scene;
    const before = await scene.walletTotal();
    const { record, secret } = await lockLightningArkade(scene);
    await world.advance(record.vhtlc_refund_locktime - world.now() + 60);
    await struck(hit);
    await scene.node.until(record.id, 'refunded');
    expect({ lost: before - (await scene.walletTotal()), payment: world.paid(sha256Of(secret)) }).toEqual({
      lost: 0n,
      payment: 'failed',
    });
  },
  60_000,
);
