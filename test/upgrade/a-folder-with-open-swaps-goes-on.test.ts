import Database from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { patienceMs } from '../stories/every-direction.ts';
import { payFromOutside } from '../stories/pay-from-outside.ts';
import { eventually, startWireNode, type WireNode } from '../stories/wire-node.ts';

/** What `record-folder.ts` wrote of the swaps that are open in a folder. */
interface OpenSwaps {
  readonly unfunded: { readonly id: string; readonly address: string; readonly price: number };
  readonly paying: { readonly id: string; readonly hash: string };
  readonly locked: { readonly id: string; readonly payment: string };
  /** Of the node with itself, in every direction that the build had. */
  readonly waiting?: readonly string[];
  readonly paid?: readonly string[];
}

const folders = join(import.meta.dirname, 'folders');
const builds = readdirSync(folders).flatMap((file) => (file.endsWith('.json') ? [file.replace('.json', '')] : []));
const day = 86_400;

let folder: string;
let node: WireNode | null = null;
afterEach(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** For the node and its sandbox it is the moment at which their folder was left, however long ago that is. */
function thatMoment(): Record<string, string> {
  const db = new Database(join(folder, 'sandbox', 'networks.db'), { readonly: true });
  const { row } = db.prepare(`SELECT row FROM row WHERE area = 'clock' AND key = 'highest'`).get() as { row: string };
  db.close();
  return {
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'earlier.ts')).href}`,
    MACHINE_BEHIND_SECONDS: String(Math.floor(Date.now() / 1_000) - Number(row)),
  };
}

/** Those that were paid in the moment in which their node died, and those that are paid now. */
async function ownSwapsEnd(own: WireNode, { waiting = [], paid = [] }: OpenSwaps): Promise<void> {
  const swapOf = async (id: string) => (await own.owner('GET', `/owner/taker/swaps/${id}`)) as unknown as TakerSwap;
  await own.owner('POST', '/sandbox/bitcoin/mine', { auto: 'on_demand' });
  for (const id of waiting) await payFromOutside(own, await swapOf(id));
  const ends = await Promise.all(
    [...waiting, ...paid].map((id) =>
      eventually(
        () => swapOf(id),
        ({ open }) => !open,
        patienceMs,
      ),
    ),
  );
  expect(ends.map(({ direction, outcome }) => `${direction} ${outcome}`)).toEqual(
    ends.map(({ direction }) => `${direction} finished`),
  );
}

test.each(builds)(
  'the folder of build %s opens unpaused, and its open swaps come to their end',
  async (build) => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'));
    execFileSync('tar', ['--extract', '--file', join(folders, `${build}.tar.xz`), '--directory', folder]);
    const swaps = JSON.parse(readFileSync(join(folders, `${build}.json`), 'utf8')) as OpenSwaps;
    const own = await startWireNode({ folder, environment: thatMoment() });
    node = own;
    expect((await own.owner('GET', '/owner/status'))['paused']).toBeNull();
    const statusOf = async ({ id }: { id: string }) => (await own.get(`/swap/${id}`))['status'];
    expect(await Promise.all([swaps.unfunded, swaps.paying, swaps.locked].map(statusOf))).toEqual([
      'pending',
      'serverfunded',
      'serverfunded',
    ]);
    await own.faucet(swaps.unfunded.address, swaps.unfunded.price);
    await own.until(swaps.unfunded, 'serverredeemed');
    await own.owner('POST', '/sandbox/lightning/release', { payment_hash: swaps.paying.hash, outcome: 'settles' });
    await own.until(swaps.paying, 'serverredeemed');
    await ownSwapsEnd(own, swaps);
    // Its client never claims: our lock comes back, and then the payment goes back.
    await own.advance(3 * day);
    await eventually(
      () => own.payment(swaps.locked.payment),
      (state) => state === 'failed',
    );
    expect(await statusOf(swaps.locked)).not.toBe('serverfunded');
  },
  400_000,
);
