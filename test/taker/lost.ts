import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TakerRestore } from '../../engine/contract/taker-restore.ts';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { everything, type Pair } from './pair.ts';

/* A taker that has lost its database, and finds its swaps again from its seed. */

export const patient = { taker: { untilMs: 90_000 }, provider: { untilMs: 90_000 } };

/**
 * The node dies, all of its folder is deleted, and it starts anew from its words. `meanwhile`: what happens while it is
 * away.
 */
export async function loseDatabase(
  pair: Pair,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  await pair.taker.kill();
  await meanwhile();
  for (const name of ['sluice.db', 'sluice.db-wal', 'taker-high-water'])
    rmSync(join(pair.taker.nextFolder, name), { force: true });
  await pair.restartTaker();
  expect(swaps(pair)).toEqual([]);
}

export async function restored(pair: Pair): Promise<TakerRestore> {
  pair.taker.taker.restore({ provider: null });
  await expect.poll(() => pair.taker.taker.restored().state, { timeout: 60_000 }).toBe('done');
  return pair.taker.taker.restored();
}

export function swaps(pair: Pair): readonly TakerSwap[] {
  const listed = pair.taker.taker.swaps(everything);
  if (isRefusal(listed) || listed instanceof Promise) throw new Error('the swaps are not listed');
  return listed.swaps;
}

/** The id of the one swap that was reopened. */
export async function only(pair: Pair): Promise<string> {
  const { counts, swaps: rows } = await restored(pair);
  expect([counts, rows.map(({ detail }) => detail)]).toEqual([
    { reopened: 1, held: 0, over: 0, refused: 0, later: 0 },
    [null],
  ]);
  return rows[0]?.id ?? '';
}
