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
    const ceiling = caps.perNetworkSats[network] ?? 0;
    if (ceiling === 0) continue;
    const out = openValue(context, network);
    if (out + amount > BigInt(ceiling)) return full(`${out} of ${ceiling} sats are out on ${network}`);
  }
  const most = arkade?.maxExposureSats ?? 0;
  if (most > 0) {
    const there = atOperator(context);
    // A lock of ours only moves within the operator; a client's brings value there that is to be ours.
    if (there + (direction === 'arkade-lightning' ? amount : 0n) > BigInt(most)) return full(`${there} of ${most} sats lie with the Arkade operator`);
  }
  const { swaps } = context.runtime.store;
  const now = context.runtime.clock.now().wall;
  for (const [span, ceiling, words] of [[hour, caps.perHourSats, 'an hour'], [day, caps.perDaySats, 'a day']] as const) {
    if (ceiling === 0) continue;
    // What the owner withdraws, or swaps elsewhere, is no client's doing.
    const moved = swaps.valueSince(now - span, Object.keys(exposedOn));
    if (moved + amount > BigInt(ceiling)) return full(`${moved} of the ${ceiling} sats of ${words} are used`);
  }
  return null;
}

/** Something of ours is out or may still go out. A refused or given up coin of a client waits for its client, not for us. */
const exposed: ReadonlySet<SwapStatus> = new Set(['pending', 'clientfundingseen', 'clientfunded', 'serverfunded', 'clientredeeming', 'clientredeemed']);

/** Our locks that are not in the wallet any more, and not the client's yet. */
const lockedAway: ReadonlySet<SwapStatus> = new Set(['serverfunded', 'clientredeeming']);

/** What the operator could keep from us: the wallet's coins, our locks, and the clients' that we are to claim. */
function atOperator(context: ServiceContext): bigint {
  const seen = context.networks.arkade();
  let total = 0n;
  if (seen.state === 'connected') {
    const { available, recoverable, pending } = seen.facts.balance;
    total = available + recoverable + pending;
  }
  for (const { row } of context.runtime.workingSet.all()) {
    if (row.machine === 'lightning-arkade' ? lockedAway.has(row.status) : row.machine === 'arkade-lightning' && exposed.has(row.status)) total += row.valueSats;
  }
  return total;
}

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
