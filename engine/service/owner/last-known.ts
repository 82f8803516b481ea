import { z } from 'zod';
import { balances as wire, type Balances } from '../../contract/owner/wallets.ts';
import type { Network } from '../../domain/chain.ts';
import type { ServiceContext } from '../context.ts';

type Row = Balances['balances'][number];

const key = 'balances.known';
const shape = z.record(z.string(), z.object({ at: z.number(), rows: wire.shape.balances }));
type Remembered = z.infer<typeof shape>;

/**
 * What each wallet held when its network was last heard, kept on the disk: one that is away has not lost its money, and
 * a row that is gone would say so. `now` are the rows of those that answer.
 */
export function createLastKnown(
  { networks, runtime: { store } }: Pick<ServiceContext, 'networks' | 'runtime'>,
  now: () => readonly Row[],
) {
  let remembered = read();

  function read(): Remembered {
    const parsed = shape.safeParse(store.settings.get(key) ?? {});
    return parsed.success ? parsed.data : {};
  }

  /** At each change of what a network holds, and when it goes: nothing else moves it. */
  function note(network: Network): void {
    const at = networks.heardAt(network);
    if (at === null) return;
    const rows = now().filter((row) => row.network === network);
    const before = remembered[network];
    if (rows.length === 0 && before === undefined) return;
    remembered = { ...remembered, [network]: { at, rows: rows.length === 0 ? (before?.rows ?? []) : [...rows] } };
    store.settings.put(key, remembered);
  }

  return {
    note,
    /** The rows of networks that are connected and do not answer, as they were. */
    away(): readonly Row[] {
      return networks
        .away()
        .flatMap((network) =>
          (remembered[network]?.rows ?? []).map((row) => ({ ...row, as_of: remembered[network]?.at ?? 0 })),
        );
    },
  };
}
