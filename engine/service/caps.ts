import { refuse, type Refusal } from '../domain/errors.ts';
import type { Sats } from '../domain/money.ts';
import type { SwapStatus } from '../domain/status.ts';
import { hour, day } from '../domain/time.ts';
import type { ServiceContext } from './context.ts';
import type { Offered } from './limits.ts';

/** The networks on which a swap of this direction leaves value of ours, or of our claim, until it is over. */
const exposedOn: Record<Offered, readonly ('arkade' | 'lightning')[]> = {
  'lightning-arkade': ['arkade', 'lightning'],
  'arkade-lightning': ['lightning', 'arkade'],
};

/**
 * The owner's ceilings on what may be out at once and in a time: what an attack can cost is decided before it comes.
 * 0 sets no ceiling. `approveAboveSats` refuses larger swaps as long as nobody can be asked.
 */
export function withinCaps(context: ServiceContext, direction: Offered, amount: Sats): Refusal | null {
  const { caps, arkade } = context.config;
  if (caps.approveAboveSats > 0 && amount > BigInt(caps.approveAboveSats)) {
    return refuse('invalid', `Max amount is ${caps.approveAboveSats} sats without the owner's approval; the swap would pay out ${amount}: ask for less.`);
  }
  for (const network of exposedOn[direction]) {
    const ceiling = ceilingOf(caps.perNetworkSats[network] ?? 0, network === 'arkade' ? (arkade?.maxExposureSats ?? 0) : 0);
    if (ceiling === null) continue;
    const out = openValue(context, network);
    if (out + amount > BigInt(ceiling)) return full(`${out} of ${ceiling} sats are out on ${network}`);
  }
  const { swaps } = context.runtime.store;
  const now = context.runtime.clock.now().wall;
  for (const [span, ceiling, words] of [[hour, caps.perHourSats, 'an hour'], [day, caps.perDaySats, 'a day']] as const) {
    if (ceiling === 0) continue;
    const moved = swaps.valueSince(now - span);
    if (moved + amount > BigInt(ceiling)) return full(`${moved} of the ${ceiling} sats of ${words} are used`);
  }
  return null;
}

function ceilingOf(a: number, b: number): number | null {
  if (a === 0) return b === 0 ? null : b;
  return b === 0 ? a : Math.min(a, b);
}

/** Something of ours is out or may still go out. A refused or given up coin of a client waits for its client, not for us. */
const exposed: ReadonlySet<SwapStatus> = new Set(['pending', 'clientfundingseen', 'clientfunded', 'serverfunded', 'clientredeeming', 'clientredeemed']);

function openValue(context: ServiceContext, network: 'arkade' | 'lightning'): bigint {
  let total = 0n;
  for (const { row } of context.runtime.workingSet.all()) {
    if (row.machine in exposedOn && exposedOn[row.machine as Offered].includes(network) && exposed.has(row.status)) total += row.valueSats;
  }
  return total;
}

function full(fact: string): Refusal {
  return refuse('unavailable', `The owner's ceiling is reached (${fact}): try a smaller amount, or later.`);
}
