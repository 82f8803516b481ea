import { afterEach, beforeEach, expect, test } from 'vitest';
import { anyFailure } from '../support/failure.ts';
import type { NodeOptions } from '../support/node.ts';
import { openScene, type Scene } from '../support/scene.ts';

/*
 * A claim on Arkade takes two calls, and the operator holds the coin between them: whoever began it finishes it,
 * whatever the disk takes.
 */

let scene: Scene;
let full: boolean;
/** Called before each act of a port. */
let before: (what: string) => void;

const options: NodeOptions = {
  pollMs: 20,
  onBoundary(what, moment) {
    if (moment === 'before') before(what);
    if (full && what === 'commit' && moment === 'before')
      throw Object.assign(new Error('the disk fails'), { code: 'SQLITE_FULL' });
  },
};

beforeEach(async () => {
  full = false;
  before = () => undefined;
  scene = await openScene(options);
});

afterEach(() => scene.end());

/** A swap whose payment is on its way; `settle` shows its secret, which claims the client's coin. */
async function paying() {
  const invoice = scene.world.invoice(50_000n);
  const { id, arkade_vhtlc_address, source_amount } = await scene.client.createArkadeLightning(
    scene.node,
    invoice.bolt11,
    50_000n,
  );
  const price = BigInt(source_amount);
  scene.world.lightning.setFaults({ nextPayment: 'hangs' });
  scene.world.faucet(arkade_vhtlc_address, price);
  await scene.node.until(id, 'paying');
  const wallet = async (): Promise<bigint> => (await scene.node.ports.arkade!.balance([])).available;
  const start = await wallet();
  return {
    id,
    settle: () => scene.world.lightning.release(Buffer.from(invoice.hash).toString('hex'), 'settles'),
    isOurs: async () => (await wallet()) - start === price,
  };
}

/** The operator has accepted the claim, and is not there for the rest of it. */
async function halfMade() {
  const swap = await paying();
  const finishing = { isAway: true, tries: 0 };
  before = (what) => {
    if (what !== 'arkade.finalize' || !finishing.isAway) return;
    finishing.tries += 1;
    throw anyFailure('away', 'ask-first', 'the operator does not answer');
  };
  full = true;
  swap.settle();
  await expect.poll(() => finishing.tries, { timeout: 20_000 }).toBeGreaterThan(0);
  return { ...swap, finishing };
}

const patience = { timeout: 20_000 };

test('fault 197, arkade: a claim from memory whose answer was lost is finished while the disk is full', async () => {
  const { id, settle, isOurs } = await paying();
  full = true;
  scene.world.operator.faults.loseNextSubmit();
  settle();
  await expect.poll(isOurs, patience).toBe(true);
  full = false;
  await scene.node.until(id, 'claimed');
  expect(await isOurs()).toBe(true);
}, 60_000);

test('fault 197, arkade: a claim that was half made from memory is finished once there is room', async () => {
  const { id, isOurs, finishing } = await halfMade();
  full = false;
  await scene.node.until(id, 'claiming');
  finishing.isAway = false;
  await scene.node.until(id, 'claimed');
  await expect.poll(isOurs, patience).toBe(true);
  await expect.poll(() => scene.node.runtime.guard.paused(), patience).toBe(null);
}, 60_000);

test('fault 197, arkade: a claim that was half made from memory is finished by the next process', async () => {
  const { id, isOurs } = await halfMade();
  full = false;
  before = () => undefined;
  await scene.restart();
  await scene.node.until(id, 'claimed');
  await expect.poll(isOurs, patience).toBe(true);
  await expect.poll(() => scene.node.runtime.guard.paused(), patience).toBe(null);
}, 60_000);

test('fault 198, arkade: a claim that was signed before the disk was full is finished while it is', async () => {
  const { id, settle, isOurs } = await paying();
  before = (what) => {
    full ||= what === 'arkade.submit';
  };
  settle();
  await expect.poll(isOurs, patience).toBe(true);
  before = () => undefined;
  full = false;
  await scene.node.until(id, 'claimed');
  expect(await isOurs()).toBe(true);
}, 60_000);

test('fault 3: a node that starts while its disk is full claims what was given up before', async () => {
  const { id, settle, isOurs } = await paying();
  before = (what) => {
    if (what === 'arkade.prepareClaim') throw anyFailure('refused', 'never', 'this claim is refused');
  };
  settle();
  await expect.poll(() => scene.node.store.effects.parkedCount(), patience).toBe(1);
  before = () => undefined;
  await scene.restart({
    ...options,
    async beforeStart({ store }) {
      full = true;
      store.effects.reviveAll = () => {
        throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
      };
    },
  });
  await expect.poll(isOurs, patience).toBe(true);
  full = false;
  await scene.node.until(id, 'claimed');
}, 60_000);
