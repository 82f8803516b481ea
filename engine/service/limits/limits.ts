import { chainIdOf, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { greater, lesser, sats } from '../../domain/money.ts';
import { termsFor } from '../../domain/terms.ts';
import { refusedPace } from '../../legs/block-pace.ts';
import type { Price } from '../../quote/fees.ts';
import type { NetworkCosts } from '../../quote/gas.ts';
import { limitsWithin, noLiquidity, withinLimits, type Limits } from '../../quote/limits.ts';
import { leftByCaps, withinCaps } from './caps.ts';
import type { ServiceContext } from '../context.ts';
import { namesChain, networkAt, onChain, type Direction } from '../directions/direction.ts';
import { floorOf } from './floor.ts';
import { notLive } from './live.ts';
import { costsOf } from '../market/costs.ts';
import { isCoin, isNativeChain } from '../market/market.ts';
import type { Needed } from '../networks/reader.ts';
import { isComparison } from '../reconciliation/sentences.ts';

/** The owner's limits of a direction, never below its floor nor above what it can carry now. */
export function limitsOf(context: ServiceContext, direction: Direction): Limits {
  const { minSats, maxSats } = termsFor(context.config.terms, direction.name);
  const floor = floorOf(context, direction);
  // Where the costs are not known nothing is begun at all (`stopped`).
  const min = isRefusal(floor) ? sats(minSats) : greater(sats(minSats), floor.sats);
  return limitsWithin({ min, max: sats(maxSats) }, direction.liquidity(context, direction.evm));
}

/** Why a swap at this price is too small or too large now, by the direction's limits and the owner's ceilings. */
export function tooMuch(context: ServiceContext, direction: Direction, price: Price): Refusal | null {
  return withinLimits(price, limitsOf(context, direction)) ?? withinCaps(context, direction, price.target);
}

/**
 * No permit moves the native coin: it can be received, and not be given (facts/clients.md 37). `token`: what is to be
 * given, where that is known.
 */
export function nativeSource(network: EvmNetwork, token: EvmAddress | null = null): Refusal | null {
  if (isNativeChain(chainIdOf(network)))
    return refuse('invalid', 'The native coin cannot be the source of a swap: choose a token of another chain.');
  return token !== null && isCoin(token)
    ? refuse('invalid', 'The native coin cannot be the source of a swap: send the address of an ERC-20 token.')
    : null;
}

/** What stops every new swap of a direction now, whatever its amount: the 503 of its create. */
export function stopped(context: ServiceContext, direction: Direction): Refusal | null {
  const native = direction.source === 'evm' && direction.evm !== null ? nativeSource(direction.evm) : null;
  if (native !== null) return native;
  const tooFast = refusedPace(direction.name, context.config.network);
  if (tooFast !== null) return tooFast;
  const needed = direction.needs.flatMap((place) => networkAt(place, direction.evm) ?? []);
  const closed =
    notNow(context) ??
    context.networks.closed(...needed) ??
    booksDiffer(context, needed) ??
    tooPoorForFees(context, direction);
  if (closed !== null) return closed;
  const costs = costsOf(context, direction);
  if (isRefusal(costs)) return costs;
  return direction.evm === null ? null : context.markets.closed(direction.evm);
}

/** The books and a network do not say the same: by how much is the owner's to know. */
function booksDiffer({ runtime }: ServiceContext, needed: readonly Needed[]): Refusal | null {
  return needed.every((network) => runtime.guard.closed(network) === null)
    ? null
    : refuse('unavailable', 'New swaps of this direction wait: its wallets are being checked. Try again later.');
}

/** What is open may need its fees before anything new is funded; claims go on, and directions that lock elsewhere. */
function tooPoorForFees({ networks }: ServiceContext, { locksOn }: Direction): Refusal | null {
  const { held, total } = networks.feeReserve();
  return locksOn === 'bitcoin' && held !== null && held < total
    ? refuse('unavailable', 'New swaps to Bitcoin wait: open swaps may need the fees first. Try again later.')
    : null;
}

/** What a swap of a direction could pay out now, the owner's ceilings counted; refused when that is nothing. */
export function roomNow(context: ServiceContext, direction: Direction): Limits | Refusal {
  const refused = stopped(context, direction);
  if (refused !== null) return refused;
  const { min, max } = limitsOf(context, direction);
  const left = leftByCaps(context, direction);
  const room = { min, max: left === null ? max : lesser(max, left) };
  if (room.max >= min) return room;
  return max < min
    ? noLiquidity()
    : refuse('unavailable', "The owner's ceiling is reached for this direction: try again later.");
}

/** Every direction, those with an EVM chain once for each chain that there is something to swap on. */
export function eachPair({ directions, markets }: ServiceContext): readonly Direction[] {
  return directions.all.flatMap((direction: Direction) =>
    namesChain(direction)
      ? markets
          .all()
          .filter(({ native }) => !native || direction.source !== 'evm')
          .map(({ network }) => onChain(direction, network))
      : [direction],
  );
}

/** The directions that a swap could take now, with their limits. */
export function swappable(
  context: ServiceContext,
): { readonly direction: Direction; readonly limits: Limits; readonly costs: NetworkCosts }[] {
  return eachPair(context).flatMap((direction) => {
    const limits = roomNow(context, direction);
    const costs = costsOf(context, direction);
    return isRefusal(limits) || isRefusal(costs) ? [] : [{ direction, limits, costs }];
  });
}

/** What stops every new swap: a pause, by the owner or the guard; and a stranger's, that the node is not live. */
export function notNow(context: ServiceContext): Refusal | null {
  const paused = context.runtime.guard.paused();
  if (paused === null) return context.forOwner || context.live() ? null : notLive;
  if (paused.by === 'owner' && !isComparison(paused.reason))
    return refuse('unavailable', `New swaps are paused: ${paused.reason}`);
  // The node's own words may name a wallet, a disk or an operator, and are the owner's to know: who knows which
  // payments were forgotten knows which locks cannot be taken back.
  return refuse('unavailable', 'New swaps are paused: open swaps are being checked. Try again later.');
}
