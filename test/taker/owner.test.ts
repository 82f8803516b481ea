import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownerSwap } from '../../engine/contract/owner/swaps.ts';
import { startPair, type Pair } from './pair.ts';

let pair: Pair;
beforeAll(async () => void (pair = await startPair()));
afterAll(() => pair.stop());

test("the owner's view of a swap in which the node is the client is whole, its direction included", async () => {
  const id = await pair.fromLightning(50_000n);
  const view = pair.taker.service.owner.swap(id);
  expect(ownerSwap.safeParse(view)).toMatchObject({
    success: true,
    data: { direction: 'lightning_to_arkade', record: null },
  });
});
