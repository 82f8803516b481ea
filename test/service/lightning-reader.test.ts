import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { Runtime } from '../../engine/runtime/runtime.ts';
import { createLightningReader } from '../../engine/service/networks/lightning.ts';

test('fault 251, lightning: new swaps wait while the Lightning node does not follow the chain', async () => {
  let synced = true;
  const runtime = {
    ports: {
      lightning: { info: async () => ({ height: 800_000, synced }), liquidity: async () => ({ leastHeld: 7n }) },
    },
    clock: { now: () => ({ wall: unix(1) }), hear: () => undefined },
  } as unknown as Runtime;
  const reader = createLightningReader({ runtime, tell: () => undefined });
  const refused = async (): Promise<string | null> => {
    await reader.read();
    return reader.closed()?.refusal ?? null;
  };
  expect([reader.closed(), await refused(), reader.height(), reader.leastHeld()]).toEqual([null, null, 800_000, 7n]);
  synced = false;
  expect([await refused(), reader.height()]).toEqual(['unavailable', 0]);
  synced = true;
  expect(await refused()).toBeNull();
});
