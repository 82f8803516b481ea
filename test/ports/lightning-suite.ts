import { afterEach, beforeEach, describe, expect } from 'vitest';
import { holdTests } from './lightning-holds.ts';
import { chainWalletTests } from './lightning-chain-wallet.ts';
import { listingTests } from './lightning-listings.ts';
import { outageTests } from './lightning-outages.ts';
import { partTests } from './lightning-parts.ts';
import { paymentTests } from './lightning-payments.ts';
import { type LightningBench, patience, type Scene, sceneOn } from './lightning-scene.ts';

/** What every implementation of `LightningPort` does, error for error, named by what it is tried on. */
export function lightningPortSuite(name: string, open: () => Promise<LightningBench>): void {
  describe(`the Lightning port: ${name}`, { timeout: 240_000 }, () => {
    let bench: LightningBench;
    let current: Scene;

    beforeEach(async () => {
      bench = await open();
      current = sceneOn(bench);
    });
    afterEach(async ({ task }) => {
      // A payment is over before its HTLC has left the channel, and the next test counts what it finds there.
      if (task.result?.state !== 'fail')
        await expect.poll(async () => (await bench.port.liquidity()).pending, patience).toBe(0n);
      await bench.stop();
    }, 2 * patience.timeout);

    const scene = () => current;
    describe('receives', () => holdTests(scene));
    describe('pays', () => paymentTests(scene));
    describe('lists', () => listingTests(scene));
    describe('has on the chain', () => chainWalletTests(scene));
    describe('in parts', () => partTests(scene));
    describe('loses and finds again', () => outageTests(scene));
  });
}
