import { afterEach, beforeEach, describe } from 'vitest';
import { holdTests } from './lightning-holds.ts';
import { outageTests } from './lightning-outages.ts';
import { partTests } from './lightning-parts.ts';
import { paymentTests } from './lightning-payments.ts';
import { type LightningBench, type Scene, sceneOn } from './lightning-scene.ts';

/** What every implementation of `LightningPort` does, error for error, named by what it is tried on. */
export function lightningPortSuite(name: string, open: () => Promise<LightningBench>): void {
  describe(`the Lightning port: ${name}`, { timeout: 90_000 }, () => {
    let bench: LightningBench;
    let current: Scene;

    beforeEach(async () => {
      bench = await open();
      current = sceneOn(bench);
    });
    afterEach(() => bench.stop());

    const scene = () => current;
    describe('receives', () => holdTests(scene));
    describe('pays', () => paymentTests(scene));
    describe('in parts', () => partTests(scene));
    describe('loses and finds again', () => outageTests(scene));
  });
}
