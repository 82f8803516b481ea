import { refuse, type Refusal } from '../../domain/errors.ts';
import { less, lesser, noSats, sats, type Sats } from '../../domain/money.ts';
import type { SwapStatus } from '../../domain/status.ts';
import { hour, day } from '../../domain/time.ts';
import type { WorkingSet } from '../../runtime/working-set.ts';
import type { ServiceContext } from '../context.ts';
import { networkAt, type Direction } from '../directions/direction.ts';
import type { Needed } from '../networks/reader.ts';
import { unsavedFact } from './unsaved.ts';

/**
 * The owner's ceilings on what may be out at once and in a time: what an attack can cost is decided before it comes.
 * 0 sets no ceiling. `approveAboveSats` refuses larger swaps as long as nobody can be asked.
 */
export function withinCaps(context: ServiceContext, direction: Direction, amount: Sats): Refusal | null {
  const { caps } = context.config;
  if (caps.approveAboveSats > 0 && amount > BigInt(caps.approveAboveSats)) {
    return refuse(
      'invalid',
      `Max amount is ${caps.approveAboveSats} sats without the owner's approval; the swap would pay out ` +
        `${amount}: ask for less.`,
    );
  }
  const reached = ceilings(context, direction).find(({ left }) => amount > left);
  return reached === undefined
    ? null
    : refuse('unavailable', `The owner's ceiling is reached (${reached.fact}): try a smaller amount, or later.`);
}

/** The largest amount that `withinCaps` would let through now; null without a ceiling. */
export function leftByCaps(context: ServiceContext, direction: Direction): Sats | null {
  const { approveAboveSats } = context.config.caps;
  const all = [
    ...ceilings(context, direction).map(({ left }) => left),
    ...(approveAboveSats > 0 ? [sats(approveAboveSats)] : []),
  ];
  return all.length === 0 ? null : all.reduce(lesser);
}

/** What the ceilings on what is out, and on what went out in a time, still leave. */
export function ceilings(
  context: ServiceContext,
  direction: Direction,
): { readonly left: Sats; readonly fact: string }[] {
  const { caps } = context.config;
  const now = context.runtime.clock.now().wall;
  const out = direction.exposedOn.flatMap((place) => {
    const network = networkAt(place, direction.evm);
    const ceiling = network === null ? 0 : (caps.perNetworkSats[network] ?? 0);
    if (network === null || ceiling === 0) return [];
    const value = openValue(context, network);
    return [{ left: less(sats(ceiling), value), fact: `${value} of ${ceiling} sats are out on ${network}` }];
  });
  const moved = (
    [
      [hour, caps.perHourSats, 'an hour'],
      [day, caps.perDaySats, 'a day'],
    ] as const
  ).flatMap(([span, ceiling, words]) => {
    if (ceiling === 0) return [];
    // What the owner withdraws, or swaps elsewhere, is no client's doing.
    const value = sats(
      context.runtime.store.swaps.valueSince(
        now - span,
        context.directions.all.map(({ name }) => name),
      ),
    );
    return [{ left: less(sats(ceiling), value), fact: `${value} of the ${ceiling} sats of ${words} are used` }];
  });
  return [...out, ...exposure(context, direction), ...unsaved(context, direction), ...moved];
}

/**
 * A client's lock brings value to the operator that is to be ours; a lock of ours only moves within it, and is refused
 * once it holds too much.
 */
function exposure(context: ServiceContext, direction: Direction): { readonly left: Sats; readonly fact: string }[] {
  const most = sats(context.config.arkade?.maxExposureSats ?? 0);
  if (most === noSats) return [];
  const there = atOperator(context);
  const fact = `${there} of ${most} sats lie with the Arkade operator`;
  if (direction.bringsToOperator) return [{ left: less(most, there), fact }];
  return there > most ? [{ left: noSats, fact }] : [];
}

/** What is brought to an operator that withholds the way back makes it only worse. */
function unsaved(context: ServiceContext, direction: Direction): { readonly left: Sats; readonly fact: string }[] {
  const fact = direction.needs.includes('arkade') ? unsavedFact(context) : null;
  return fact === null ? [] : [{ left: noSats, fact }];
}

/**
 * Something of ours is out or may still go out. A refused or given up coin of a client waits for its client, not for
 * us.
 */
export const exposed: ReadonlySet<SwapStatus> = new Set([
  'pending',
  'clientfundingseen',
  'clientfunded',
  'serverfunded',
  'clientredeeming',
  'clientredeemed',
]);

/** What the operator could keep from us: the wallet's coins, our locks, and the clients' that we are to claim. */
function atOperator(context: ServiceContext): Sats {
  const seen = context.networks.arkade();
  let total = 0n;
  if (seen.state === 'connected') {
    const { available, recoverable, pending } = seen.facts.balance;
    total = available + recoverable + pending;
  }
  return sats(total + openSums(context)('operator'));
}

function openValue(context: ServiceContext, network: Needed): Sats {
  return sats(openSums(context)(network));
}

/** Of each node that runs in this process. */
const sums = new WeakMap<WorkingSet, ReturnType<WorkingSet['tally']>>();

/** What is out on each network, and with the `operator`. */
function openSums({ runtime: { workingSet }, directions }: ServiceContext): (key: Needed | 'operator') => bigint {
  const before = sums.get(workingSet);
  if (before !== undefined) return before;
  const made = workingSet.tally(({ row }) => {
    const direction = directions.of(row.machine);
    if (direction === null) return [];
    const networks = direction.exposedOn.flatMap((place) => networkAt(place, direction.chainOf(row)) ?? []);
    return [...(exposed.has(row.status) ? networks : []), ...(direction.atOperator(row.status) ? ['operator'] : [])];
  });
  sums.set(workingSet, made);
  return made;
}
