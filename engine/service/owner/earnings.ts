import { mostDays, type Earnings, type EarningsQuery } from '../../contract/owner/earnings.ts';
import { isEvm, ownerDirectionOf, walletJobs, type Network } from '../../domain/chain.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { msatPerSat } from '../../domain/money.ts';
import type { DayResult } from '../../store/earnings.ts';
import type { ServiceContext } from '../context.ts';
import { createUnits } from '../metrics/money.ts';
import { unitsText } from './units-text.ts';

const daySeconds = 86_400;
const usualDays = 30;

type Day = Earnings['days'][number];

interface Sums {
  swaps: number;
  sats: number;
  earned: bigint;
  paid: bigint;
  readonly gas: Map<string, bigint>;
}

/** What came of each direction on each day of a time. */
export function earnings(context: ServiceContext, query: EarningsQuery): Earnings | Refusal {
  const { store, clock } = context.runtime;
  const last = Math.floor((query.to ?? clock.now().wall) / daySeconds);
  const first = query.from === null ? last - usualDays + 1 : Math.floor(query.from / daySeconds);
  if (last < first) return refuse('invalid', 'to is before from: send the later of both as to.');
  if (last - first >= mostDays)
    return refuse('invalid', `from and to are ${last - first + 1} days apart: ask for at most ${mostDays} at once.`);
  const [from, to] = [Math.max(0, first) * daySeconds, (last + 1) * daySeconds];
  const days = new Map<string, { readonly day: number; readonly pair: Day['pair']; readonly sums: Sums }>();

  function sumsOf(day: number, machine: string | null): Sums {
    const isJob = machine === null || machine in walletJobs;
    const pair = isJob ? null : (ownerDirectionOf(machine) ?? null);
    const key = `${day} ${pair}`;
    const entry = days.get(key) ?? { day, pair, sums: { swaps: 0, sats: 0, earned: 0n, paid: 0n, gas: new Map() } };
    days.set(key, entry);
    return entry.sums;
  }

  for (const { day, machine, swaps, sats } of store.earnings.volume(from, to)) {
    // The node's own swaps are no service to anybody.
    if (machine === null || context.directions.of(machine) === null) continue;
    const sums = sumsOf(day, machine);
    sums.swaps += swaps;
    sums.sats += sats;
  }
  const units = createUnits(context);
  for (const result of store.earnings.results(from, to)) add(sumsOf(result.day, result.machine), result, units);
  return { from, to, days: [...days.values()].map(({ day, pair, sums }) => dayOf(day, pair, sums)) };
}

/** A token is counted by what it is worth in sats where its unit is known, and what pays for gas by itself. */
function add(sums: Sums, { network, asset, earned, paid }: DayResult, units: ReturnType<typeof createUnits>): void {
  const unit = units.of(network as Network, asset);
  if (asset === 'btc') {
    sums.earned += earned;
    sums.paid += paid;
  } else if (unit?.is === 'sats') {
    const unitsPerSat = BigInt(Math.round(1 / unit.perUnit));
    const msat = (amount: bigint): bigint => (amount * msatPerSat) / unitsPerSat;
    sums.earned += msat(earned);
    sums.paid += msat(paid);
  } else if (isEvm(network)) sums.gas.set(network, (sums.gas.get(network) ?? 0n) + paid);
}

function dayOf(day: number, pair: Day['pair'], { swaps, sats, earned, paid, gas }: Sums): Day {
  return {
    day: day * daySeconds,
    pair,
    swaps,
    volume_sats: sats,
    earned: unitsText({ asset: 'btc', amount: earned }),
    paid: unitsText({ asset: 'btc', amount: paid }),
    gas: [...gas].map(([network, amount]) => ({ network, amount: amount.toString() })),
  };
}
