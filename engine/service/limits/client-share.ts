import { refuse, type Refusal } from '../../domain/errors.ts';
import { less, noSats, plus, sats, satsUp, type Purse, type Sats } from '../../domain/money.ts';
import type { Price } from '../../quote/fees.ts';
import type { Promised } from '../../store/reservations.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { ServiceContext } from '../context.ts';
import { isUnfunded, placesComeBackAfter } from '../create/open-creates.ts';
import type { Direction } from '../directions/direction.ts';
import { freeOn } from '../networks/free.ts';
import type { Networks } from '../networks/networks.ts';
import { ceilings } from './caps.ts';

/** What a swap would hold from its create on, for whom. */
interface Holding {
  readonly swap: string;
  /** Null for the owner, whose swaps have no share. */
  readonly client: string | null;
  /** Null where it is agreed on later. */
  readonly price: Price | null;
  readonly reserve: readonly { readonly network: Purse; readonly amount: Sats }[];
  /** What of it the owner's agreement to loose locks bears. */
  readonly atRisk?: Sats | null;
}

/**
 * Why a client may open no swap of this value beside those that it has not paid for, or null. The first of them may be
 * as large as any; with each further one they hold at most half of what there were without them, so that a stranger
 * leaves as much as it holds to everybody else (facts/faults.md 215). What was paid for does not count.
 *
 * Of what the owner agreed to lose, which is a few swaps, the first takes no more than half either: two strangers would
 * else leave nothing (266).
 */
export function shareUsedUp(context: ServiceContext, direction: Direction, holding: Holding): Refusal | null {
  const { swap, client, price, reserve, atRisk = null } = holding;
  if (client === null) return null;
  const { reservations } = context.runtime.store;
  const rows = new Map<string, SwapRow>();
  const unpaid = reservations.ofClient(client).filter(({ swap: id }) => {
    const row = rows.get(id) ?? unfundedRow(context, id);
    if (row !== null) rows.set(id, row);
    return row !== null;
  });
  for (const { network, amount } of reserve)
    if (isTooMuch(heldOf(unpaid, network), amount, leftOn(context.networks, network))) return tooMuchUnpaid;
  const { loose } = context;
  if (atRisk !== null && loose !== undefined) {
    const others = [...rows.keys()].filter((id) => id !== swap);
    const held = others.reduce((sum, id) => plus(sum, loose.of(id)), noSats);
    // It counts already where its create is done once more.
    if (plus(held, atRisk) > loose.unpaidShare(plus(held, loose.of(swap)))) return tooMuchUnpaid;
  }
  const value = sats([...rows.values()].reduce((sum, { valueSats }) => sum + valueSats, 0n));
  if (price === null || value === noSats) return null;
  const isOver = ceilings(context, direction).some(({ left }) => isTooMuch(value, price.target, left));
  return isOver ? tooMuchUnpaid : null;
}

/** An open swap that nobody paid for; null for any other. */
function unfundedRow({ runtime }: Pick<ServiceContext, 'runtime'>, id: string): SwapRow | null {
  const row = runtime.workingSet.readable(id)?.row;
  return row !== undefined && row.open && isUnfunded(row) ? row : null;
}

const tooMuchUnpaid = refuse(
  'flood',
  'Your swaps that wait for their funding hold as much as one client may hold unpaid: fund some of them, ask for ' +
    'less, or wait until they expire.',
  placesComeBackAfter,
);

/** `left`: what nobody holds. */
function isTooMuch(held: Sats, more: Sats, left: Sats): boolean {
  return held > noSats && (held + more) * 2n > left + held;
}

function heldOf(promised: readonly Promised[], purse: Purse): Sats {
  return satsUp(promised.reduce((sum, { network, amount }) => (network === purse ? sum + amount : sum), 0n));
}

/** What is promised to nobody, and kept for nothing else. */
function leftOn(networks: Networks, purse: Purse): Sats {
  const free = freeOn(networks, purse);
  return purse === 'bitcoin' ? less(free, networks.feeReserve().total) : free;
}
