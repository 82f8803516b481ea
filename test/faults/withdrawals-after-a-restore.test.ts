import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRefusal, type Refusal } from '../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import { scriptOfAddress } from '../../engine/legs/onchain/address.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { openClient } from '../support/client.ts';
import { startNodeOn, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { bookedFor, costOf } from './withdrawn.ts';

/** An address of BIP-173's test vectors with regtest's prefix: nobody of these tests has its key. */
const payee = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

let world: World;
let folder: string;
let node: TestNode;
/** Set, the next commit is the last one that the backup holds. */
let atNextCommit: (() => void) | null;

beforeEach(async () => {
  atNextCommit = null;
  world = startWorld();
  folder = mkdtempSync(join(tmpdir(), 'sluice-restored-'));
  node = await startNodeOn(world, folder, {
    bitcoinWallet: true,
    pollMs: 25,
    onBoundary(what, moment) {
      if (what !== 'commit' || moment !== 'after') return;
      atNextCommit?.();
      atNextCommit = null;
    },
  });
});
afterEach(async () => {
  await node.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

function told<T>(answer: T | Refusal): T {
  if (isRefusal(answer)) throw new Error(answer.sentence);
  return answer;
}

function scriptOf(address: string): Uint8Array {
  const script = scriptOfAddress(address, 'regtest');
  if (script === null) throw new Error(`not an address: ${address}`);
  return script;
}

async function deposit(...amounts: number[]): Promise<void> {
  for (const amount of amounts) {
    const { address } = told(await node.service.owner.walletAddress('bitcoin', { asset: null, amount: null }));
    world.bitcoin.faucet(scriptOf(address), sats(amount));
  }
  await world.mine(1);
}

async function paid(): Promise<bigint[]> {
  return (await createBitcoinPort(world.bitcoin).coins([scriptOf(payee)])).map(({ amount }) => amount);
}

function backUp(): void {
  mkdirSync(join(folder, 'backup'), { recursive: true });
  for (const part of ['', '-wal'])
    if (existsSync(node.databaseFile + part))
      copyFileSync(node.databaseFile + part, join(folder, 'backup', `sluice.db${part}`));
}

async function restore(): Promise<void> {
  await node.kill();
  for (const part of ['', '-wal']) {
    rmSync(join(folder, 'life-2', `sluice.db${part}`), { force: true });
    const kept = join(folder, 'backup', `sluice.db${part}`);
    if (existsSync(kept)) copyFileSync(kept, join(folder, 'life-2', `sluice.db${part}`));
  }
  node = await startNodeOn(world, folder, { bitcoinWallet: true, pollMs: 25, restored: true });
}

test('fault 5: a withdrawal whose fee was raised after the backup is found, and not paid again', async () => {
  await deposit(300_000, 300_000);
  const { id } = told(
    await node.service.owner.withdraw('bitcoin', { address: payee, amount: tokenAmount(100_000), asset: null }),
  );
  await node.until(id, 'sending');
  backUp();
  const before = world.bitcoin.mempool().map(({ tx }) => tx.txid);
  told(await node.service.owner.bump(id));
  await vi.waitFor(() => expect(world.bitcoin.mempool().map(({ tx }) => tx.txid)).not.toEqual(before), {
    timeout: 10_000,
    interval: 20,
  });
  await world.mine(6);
  await node.until(id, 'sent');
  await restore();
  await node.until(id, 'sent', 'failed');
  await world.mine(7);
  await world.mine(7);
  expect([await paid(), bookedFor(node, id)]).toEqual([[100_000n], costOf(world, node, id)]);
}, 60_000);

async function heldBack(network: 'bitcoin' | 'arkade', to: string): Promise<void> {
  atNextCommit = backUp;
  const { id } = told(
    await node.service.owner.withdraw(network, { address: to, amount: tokenAmount(100_000), asset: null }),
  );
  if (network === 'bitcoin') {
    await vi.waitFor(() => expect(world.bitcoin.mempool()).toHaveLength(1), { timeout: 10_000, interval: 20 });
    await world.mine(6);
  }
  await node.until(id, 'sent');
  await restore();
  await node.until(id, 'failed', 'sent');
  await world.mine(7);
  const { at, reason } = node.runtime.workingSet.find(id)?.row.progress as { at: string; reason?: string };
  expect([at, reason, node.store.effects.of(id)]).toEqual([
    'failed',
    expect.stringContaining('restored from a backup'),
    [],
  ]);
}

test('fault 5: a withdrawal on Bitcoin that the backup has not sent yet waits for the owner', async () => {
  await deposit(300_000, 300_000);
  await heldBack('bitcoin', payee);
  expect(await paid()).toEqual([100_000n]);
}, 60_000);

test('fault 5: a withdrawal on Arkade that the backup has not sent yet waits for the owner', async () => {
  const client = await openClient(world);
  const { address, script } = await client.port.address();
  await heldBack('arkade', address);
  expect((await client.port.coins([script])).map(({ amount }) => amount)).toEqual([100_000n]);
}, 60_000);
