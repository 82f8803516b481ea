import { refuse, type Refusal } from '../domain/errors.ts';
import { less, lesser, sats, type Sats } from '../domain/money.ts';
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
  const { caps } = context.config;
  if (caps.approveAboveSats > 0 && amount > BigInt(caps.approveAboveSats)) {
    return refuse('invalid', `Max amount is ${caps.approveAboveSats} sats without the owner's approval; the swap would pay out ${amount}: ask for less.`);
  }
  const reached = ceilings(context, direction).find(({ left }) => amount > left);
  return reached === undefined ? null : refuse('unavailable', `The owner's ceiling is reached (${reached.fact}): try a smaller amount, or later.`);
}

/** The largest amount that `withinCaps` would let through now; null without a ceiling. */
export function leftByCaps(context: ServiceContext, direction: Offered): Sats | null {
  const { approveAboveSats } = context.config.caps;
  const all = [...ceilings(context, direction).map(({ left }) => left), ...(approveAboveSats > 0 ? [sats(approveAboveSats)] : [])];
  return all.length === 0 ? null : all.reduce(lesser);
}

/** What the ceilings on what is out, and on what went out in a time, still leave. */
function ceilings(context: ServiceContext, direction: Offered): { readonly left: Sats; readonly fact: string }[] {
  const { caps, arkade } = context.config;
  const now = context.runtime.clock.now().wall;
  const out = exposedOn[direction].flatMap((network) => {
    const ceiling = ceilingOf(caps.perNetworkSats[network] ?? 0, network === 'arkade' ? (arkade?.maxExposureSats ?? 0) : 0);
    if (ceiling === null) return [];
    const value = openValue(context, network);
    return [{ left: less(sats(ceiling), value), fact: `${value} of ${ceiling} sats are out on ${network}` }];
  });
  const moved = ([[hour, caps.perHourSats, 'an hour'], [day, caps.perDaySats, 'a day']] as const).flatMap(([span, ceiling, words]) => {
    if (ceiling === 0) return [];
    const value = sats(context.runtime.store.swaps.valueSince(now - span));
    return [{ left: less(sats(ceiling), value), fact: `${value} of the ${ceiling} sats of ${words} are used` }];
  });
  return [...out, ...moved];
}

function ceilingOf(a: number, b: number): number | null {
  if (a === 0) return b === 0 ? null : b;
  return b === 0 ? a : Math.min(a, b);
}

/** Something of ours is out or may still go out. A refused or given up coin of a client waits for its client, not for us. */
const exposed: ReadonlySet<SwapStatus> = new Set(['pending', 'clientfundingseen', 'clientfunded', 'serverfunded', 'clientredeeming', 'clientredeemed']);

function openValue(context: ServiceContext, network: 'arkade' | 'lightning'): Sats {
  let total = 0n;
  for (const { row } of context.runtime.workingSet.all()) {
    if (row.machine in exposedOn && exposedOn[row.machine as Offered].includes(network) && exposed.has(row.status)) total += row.valueSats;
  }
  return sats(total);
}
