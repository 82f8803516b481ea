import { expect, onTestFinished, test } from 'vitest';
import { asHash160 } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { openSwap, unwritable } from '../../engine/service/create/create.ts';
import { openScene } from '../support/scene.ts';
import { looseNode, notesAt } from './limits/loose-kit.ts';

/** A create of a loose lock whose commit fails so, and what counts then. */
async function createOn(code: string, isSaved = false): Promise<unknown> {
  const { locks } = looseNode(notesAt(null));
  const runtime = {
    store: { hashes: { usedBy: () => null }, swaps: { head: () => (isSaved ? {} : null) } },
    guard: { paused: () => null },
    commits: {
      async together() {
        throw Object.assign(new Error('the disk fails'), { code });
      },
    },
  };
  const opening = {
    ...{ hash: asHash160(new Uint8Array(20)), hashOf: 'preimage', request: {}, price: null, reserve: [] },
    atRisk: sats(40_000),
  };
  const context = { runtime, loose: locks, forOwner: true, live: () => true };
  const refused = await openSwap(context as never, {} as never, opening as never);
  return [refused === unwritable, locks.state()];
}

const counting = (counted: bigint) => [true, { is: 'on', counted, total: 100_000n }];

test.each(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])(
  'fault 313, arkade: what a full disk surely did not save counts no more (%s)',
  async (code) => expect(await createOn(code)).toEqual(counting(0n)),
);

test('fault 313, arkade: a lock that a failing disk may have saved counts on', async () => {
  expect(await createOn('SQLITE_IOERR_FSYNC')).toEqual(counting(40_000n));
  expect(await createOn('SQLITE_FULL', true)).toEqual(counting(40_000n));
});

test('fault 313: a create that the database does not take stops others until it takes one', async () => {
  let full = false;
  const scene = await openScene({
    onBoundary(what, moment) {
      if (full && what === 'commit' && moment === 'before')
        throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
    },
  });
  onTestFinished(() => scene.end());
  const { client, node } = scene;
  const create = () => client.createLightningArkade(node, 50_000n, client.secret());
  full = true;
  await expect(create()).rejects.toThrow(/^The database cannot be written now/);
  expect(node.runtime.guard.held()?.reason).toContain('The database cannot be written');
  full = false;
  await expect.poll(() => node.runtime.guard.paused()).toBe(null);
  await create();
});
