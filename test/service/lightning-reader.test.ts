import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import { lightningFailure } from '../../engine/legs/lightning/failures.ts';
import type { Runtime } from '../../engine/runtime/runtime.ts';
import { createLightningReader } from '../../engine/service/networks/lightning.ts';

test('fault 251, lightning: new swaps wait while the Lightning node does not follow the chain', async () => {
  let synced = true;
  const runtime = {
    ports: {
      lightning: {
        info: async () => ({ height: 800_000, synced }),
        liquidity: async () => ({ leastHeld: 7n }),
        closingFunds: async () => ({ coins: 1_000_000n, channels: 0, htlcs: [], theirs: [] }),
      },
    },
    clock: { now: () => ({ wall: unix(1) }), hear: () => undefined },
  } as unknown as Runtime;
  const reader = createLightningReader({ runtime, tell: () => undefined, rate: () => 2 });
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

test('fault 336, lightning: new swaps wait while its node has no coins to close a channel', async () => {
  let coins: bigint | null = 10_000n;
  const runtime = {
    ports: {
      lightning: {
        info: async () => ({ height: 800_000, synced: true }),
        liquidity: async () => ({ leastHeld: 7n }),
        closingFunds: async () => {
          if (coins === null) throw lightningFailure('lightning-unauthorized', 'never', 'refused');
          return { coins, channels: 0, htlcs: [], theirs: [] };
        },
      },
    },
    clock: { now: () => ({ wall: unix(1) }), hear: () => undefined },
  } as unknown as Runtime;
  let rate: number | null = 2;
  const reader = createLightningReader({ runtime, tell: () => undefined, rate: () => rate });
  const sentences = async (): Promise<(string | null)[]> => {
    await reader.read();
    return [reader.closed()?.sentence ?? null, reader.reason()];
  };
  const waits = 'New swaps over Lightning wait: its node lacks coins on the chain. Try again later.';
  expect(await sentences()).toEqual([null, null]);
  rate = 20;
  expect(await sentences()).toEqual([waits, expect.stringContaining('send at least 21280 sats to an address of it')]);
  // Once nobody knows the price the cheapest counts; the payment itself waits for one.
  rate = null;
  expect(await sentences()).toEqual([null, null]);
  coins = 0n;
  expect(await sentences()).toEqual([waits, expect.stringContaining('has 0 sats in blocks')]);
  coins = null;
  expect(await sentences()).toEqual([waits, expect.stringContaining('must allow WalletBalance')]);
});

test('fault 368, lightning: an lnd that claims nothing without coins for half of it begins no swap', async () => {
  const readerOf = async (version: string) => {
    const runtime = {
      ports: {
        lightning: {
          info: async () => ({ height: 800_000, synced: true, version }),
          liquidity: async () => ({ leastHeld: 7n }),
          closingFunds: async () => ({ coins: 1_000_000n, channels: 0, htlcs: [], theirs: [] }),
        },
      },
      clock: { now: () => ({ wall: unix(1) }), hear: () => undefined },
    } as unknown as Runtime;
    const reader = createLightningReader({ runtime, tell: () => undefined, rate: () => 2 });
    await reader.read();
    return [reader.closed()?.sentence ?? null, reader.reason()];
  };
  expect(await readerOf('0.18.5-beta commit=v0.18.5-beta')).toEqual([
    expect.stringContaining('too old'),
    expect.stringContaining('update it to 0.20 or newer'),
  ]);
  for (const version of ['0.19.0-beta', '0.20.2-beta', '1.0.0', 'a build'])
    expect(await readerOf(version)).toEqual([null, null]);
});
