import type { Bench } from './bench-node.ts';
import { createArkadeEvm, createEvmLightning, openDepositor } from './evm-swaps.ts';
import type { Floors } from './floors.ts';
import { invoices, pooled, timeOf } from './swaps.ts';
import { quantiles } from './trace.ts';

interface Creates {
  readonly size: { readonly creates: number; readonly burst: number };
  readonly floors: Floors;
  readonly atOnce: number;
  readonly print: (bench: string, facts: object) => void;
}

/** B1 and B2 of the directions with an EVM chain: a create asks nothing of the chain, so their aims are those of the others. */
export async function evmCreates(bench: Bench, { size, floors, atOnce, print }: Creates): Promise<void> {
  const depositor = await openDepositor(bench, 1);
  const ways = [
    ['arkade-evm', () => createArkadeEvm(bench, depositor)],
    [
      'evm-lightning',
      async () => {
        const invoice = given.pop();
        if (invoice === undefined) throw new Error('too few invoices were made');
        await createEvmLightning(bench, invoice, depositor);
      },
    ],
  ] as const;
  const given = await invoices(bench, size.creates + size.burst + 20);
  for (const [direction, create] of ways) {
    for (let i = 0; i < 20; i++) await create();
    const samples: number[] = [];
    for (let i = 0; i < size.creates; i++) samples.push(await timeOf(create));
    const floor = floors.loopback.p50 + floors.keyDerivation.p50 + floors.fdatasync.p50;
    print('B1', {
      direction,
      ...quantiles(samples),
      aim: { p50: 2 },
      floor: { p50: Math.round(floor * 1_000) / 1_000, of: 'round trip, one key, one sync' },
    });
    const before = bench.cpuSeconds();
    const begun = performance.now();
    const all = await pooled(
      Array.from({ length: size.burst }, (_, i) => i),
      atOnce,
      create,
    );
    print('B2', {
      direction,
      createsPerSecond: Math.round((size.burst * 1_000) / (performance.now() - begun)),
      connections: atOnce,
      processorPerCreate: Math.round(((bench.cpuSeconds() - before) * 100_000) / size.burst) / 100,
      latency: quantiles(all),
      aim: { createsPerSecond: 600 },
    });
  }
}
