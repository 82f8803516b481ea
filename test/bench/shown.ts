import { setTimeout as pause } from 'node:timers/promises';
import type { DirectionName } from '../../engine/domain/chain.ts';
import { aims } from './aims.ts';
import { latencyOf, takeAnswers, type Span } from './answers.ts';
import { connections, type Bench } from './bench-node.ts';
import type { ClaimSetting } from './claims.ts';
import { lookMs, pooled, range } from './swaps.ts';
import { quantiles, takeTrace, type Traced } from './trace.ts';

export type Moment = (trace: readonly Traced[]) => number;

/** A swap whose preimage is about to be shown. */
export interface Ready {
  /** Shows it, and tells from what moment on it can be seen. */
  show(): Promise<Moments>;
  /** When our own claim with it came to its network. */
  readonly claimed: Moment;
}

/** Where a block of an EVM chain shows it: when that came, and when the node read it. */
export interface Moments {
  readonly visible: Moment;
  readonly read?: Moment;
}

/** How swaps of a direction are brought so far. */
export interface Way {
  readonly direction: DirectionName;
  /** Opens one and pays for it; what that answers waits until it is ready, once blocks have come. */
  open(): Promise<() => Promise<Ready>>;
}

/** Swaps that are open side by side: blocks that some wait for bring the deadlines of the others nearer. */
const inBatch = 10;
const patienceMs = 60_000;

/** B3: preimages that are shown one after the other. */
export async function shown(bench: Bench, way: Way, { open, size, print }: ClaimSetting): Promise<void> {
  const { controls } = bench.wallet;
  const spans: Span[] = [];
  const fromBlocks: number[] = [];
  await takeAnswers(bench.traceUrl);
  for (let left = size.claims; left > 0; left -= inBatch) {
    const opened: (() => Promise<Ready>)[] = [];
    await pooled(range(Math.min(inBatch, left)), connections, async () => {
      opened.push(await way.open());
    });
    await controls.mine(3);
    const swaps = await Promise.all(opened.map((ready) => ready()));
    for (const { show, claimed } of swaps) {
      await takeTrace(bench.traceUrl);
      const moments = await show();
      const { visible, read, sent } = await allOf(bench, way, { ...moments, claimed });
      spans.push({ from: read ?? visible, to: sent });
      if (read !== null) fromBlocks.push(sent - visible);
    }
    await controls.mine(1);
  }
  const latency = latencyOf(spans, await takeAnswers(bench.traceUrl));
  const byBlock = fromBlocks.length > 0;
  print('B3', {
    direction: way.direction,
    open,
    ...latency,
    ...(byBlock ? quantiles(fromBlocks) : {}),
    aim: byBlock ? aims.claimFromBlock : aims.claim,
  });
}

/** The moments of one claim, once there are all. What there was before it could be seen is of another. */
async function allOf(
  bench: Bench,
  { direction }: Way,
  { visible, read, claimed }: Moments & Pick<Ready, 'claimed'>,
): Promise<{ visible: number; read: number | null; sent: number }> {
  const trace: Traced[] = [];
  for (const deadline = Date.now() + patienceMs; ; await pause(lookMs)) {
    trace.push(...(await takeTrace(bench.traceUrl)));
    const from = visible(trace);
    const all = { visible: from, read: read?.(trace) ?? null, sent: claimed(trace.filter(({ at }) => at >= from)) };
    if (!Object.values(all).includes(Number.NaN)) return all;
    if (Date.now() > deadline) throw new Error(`${direction}: the claim of the node did not come`);
  }
}
