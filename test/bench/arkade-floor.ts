import { connections, networksFrom, type Bench } from './bench-node.ts';
import type { Bare } from './evm-floor.ts';
import { createLightning, pooled, range, type OpenLightning } from './swaps.ts';
import { takeTrace } from './trace.ts';

/** Claims under way at the same time: what the node has. */
const atOnce = 16;

/**
 * What a burst of so many claims on Arkade costs without a node: a bare client claims coins of VHTLCs, signed before
 * the stopwatch runs. Stops the node.
 */
export async function bareClaims(bench: Bench, count: number): Promise<Bare> {
  const swaps: OpenLightning[] = [];
  await pooled(range(count), connections, async () => void swaps.push(await createLightning(bench)));
  await bench.stopNode();
  const ready: (() => Promise<void>)[] = [];
  for (const { record, secret } of swaps) {
    const address = record.arkade_vhtlc_address;
    await bench.wallet.controls.arkadeFaucet({ address, amount: Number(record.target_amount) });
    ready.push(await bench.wallet.claimReady(record, secret));
  }
  await takeTrace(bench.traceUrl);
  const used = networksFrom(bench);
  const begun = performance.timeOrigin + performance.now();
  await pooled(ready, atOnce, (claim) => claim());
  const processor = used();
  const submits = (await takeTrace(bench.traceUrl)).filter(({ what }) => what === 'submit');
  return {
    lastBroadcast: Math.round(Math.max(...submits.map(({ at }) => at - begun))),
    processor,
    of: `${count} claims of a bare client`,
  };
}
