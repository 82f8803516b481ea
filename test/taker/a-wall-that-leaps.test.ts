import { afterEach, expect, test, vi } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { startPair, type Pair } from './pair.ts';

vi.setConfig({ testTimeout: 120_000 });

let pair: Pair;
afterEach(() => pair.stop());

const hour = 3_600;

test('fault 113: a coin that looked expired by a wall that leapt is refunded all the same', async () => {
  let wrong = 0;
  // What every network with real money has: a limit to how far median time past may trail.
  const config = { timing: { medianTimeLagSeconds: 3 * hour } };
  pair = await startPair({ taker: { skew: () => wrong }, config });
  const { bolt11, hash } = pair.world.invoice(50_000n, { hold: true });
  const id = await pair.toLightning(bolt11, 50_000n);
  const { address, amount_sats, provider_swap_id } = await pair.listed(id);
  wrong = 40 * 24 * hour;
  pair.world.faucet(address ?? '', BigInt(amount_sats));
  await pair.provider.until(provider_swap_id ?? '', 'paying');
  pair.world.lightning.release(toHex(hash), 'fails');
  await pair.taker.until(id, 'refunding', 'done');
  await pair.world.advance(60 * hour);
  await pair.taker.until(id, 'funded', 'done');
  await pair.world.advance(120);
  await pair.taker.until(id, 'done');
  expect(await pair.balance()).toBe(BigInt(amount_sats));
});
