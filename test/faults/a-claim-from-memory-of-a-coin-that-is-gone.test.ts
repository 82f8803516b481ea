import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { eventually, openScene, type Scene } from '../support/scene.ts';

let scene: Scene;
let full = false;
/** While it is there nobody says what blocks ask for: a claim goes on being prepared. */
let gate: Promise<void> | null = null;
let held = 0;

const options = {
  bitcoinWallet: true,
  pollMs: 25,
  onBoundary(what: string, moment: string) {
    if (full && what === 'commit' && moment === 'before')
      throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
  },
} as const;

beforeEach(async () => {
  [full, gate, held] = [false, null, 0];
  scene = await openScene(options);
  const port = createBitcoinPort(scene.world.bitcoin);
  const bitcoin: typeof port = {
    ...port,
    async feeRate(blocks) {
      if (gate !== null) held += 1;
      await gate;
      return port.feeRate(blocks);
    },
  };
  await scene.restart({ ...options, bitcoin });
});
afterEach(() => scene.end());

/** The client's coin is in a block, and our VHTLC is there for it. */
async function paid() {
  const { client, node, world } = scene;
  const secret = client.secret();
  const record = await client.createBitcoinArkade(node, 100_000n, secret);
  const first = client.payBitcoin(record);
  await world.mine(1);
  await eventually(() => node.status(record.id) === 'serverfunded', 'the VHTLC is locked');
  return { record, secret, first, bytes: world.bitcoin.transaction(first.txid)?.tx.bytes ?? new Uint8Array() };
}

type Paid = Awaited<ReturnType<typeof paid>>;

/** A reorganisation takes the coin, and the client sends another one. */
function paidAgain({ first, record }: Paid) {
  scene.world.bitcoin.reorg(1, [first.txid]);
  const second = scene.client.payBitcoin(record);
  scene.world.bitcoin.mine(3);
  return second;
}

async function ended({ record }: Paid): Promise<void> {
  full = false;
  await scene.world.mine(6);
  await eventually(() => scene.node.at(record.id) === 'claimed', 'our claim is buried');
}

/** Our claim was asked for, is prepared as long as `gate` is there, and no disk takes what comes of it. */
async function claiming({ record, secret }: Paid): Promise<() => void> {
  let release = (): void => undefined;
  gate = new Promise((resolve) => {
    release = resolve;
  });
  await scene.client.claim(record, secret);
  await eventually(() => scene.node.at(record.id) === 'claiming' && held > 0, 'our claim is being prepared');
  full = true;
  return () => {
    gate = null;
    release();
  };
}

test('fault 310, bitcoin: with the disk full the coin is claimed that took the place of a claimed one', async () => {
  const on = await paid();
  const { world } = scene;
  const release = await claiming(on);
  release();
  await eventually(() => world.bitcoin.spend(on.first) !== undefined, 'it is claimed from memory');
  const second = paidAgain(on);
  await eventually(() => world.bitcoin.spend(second) !== undefined, 'the other one is claimed');
  await ended(on);
}, 60_000);

test('fault 310, bitcoin: a claim that was asked for before the disk was full gives way to the step', async () => {
  const on = await paid();
  const { world, node } = scene;
  const release = await claiming(on);
  const second = paidAgain(on);
  await eventually(() => node.runtime.guard.paused() !== null, 'the other coin cannot be saved');
  release();
  await eventually(() => world.bitcoin.spend(second) !== undefined, 'the other one is claimed');
  world.bitcoin.include([on.bytes]);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(world.bitcoin.spend(on.first)).toBe(undefined);
  await ended(on);
}, 60_000);

test('fault 310, bitcoin: with the disk full the first coin is claimed where its block comes back', async () => {
  const on = await paid();
  const { world, node } = scene;
  const release = await claiming(on);
  const second = paidAgain(on);
  await eventually(() => node.runtime.guard.paused() !== null, 'the other coin cannot be saved');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  world.bitcoin.reorg(3, [second.txid]);
  world.bitcoin.include([on.bytes]);
  world.bitcoin.mine(3);
  release();
  await eventually(() => world.bitcoin.spend(on.first) !== undefined, 'the first one is claimed', 20_000);
  await ended(on);
}, 60_000);
