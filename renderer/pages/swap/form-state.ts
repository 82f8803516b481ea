import { isEvm } from '../../../engine/domain/chain.ts';
import { figureText, readUnits } from '../../format/amount.ts';
import { words } from '../../words/words.ts';
import type { Asset, Pair } from './assets.ts';
import type { Destination } from './destination.ts';
import type { LimitBreach } from './limit-breach.ts';
import { placeOf } from './payee.ts';
import type { Ask, Priced, Side } from './quote.ts';

/** What the form says at this moment. */
export interface FormState {
  readonly pair: Pair;
  readonly side: Side;
  readonly text: string;
  readonly destination: Destination;
}

/**
 * The side in sats that is fixed when the swap is made: what an invoice asks for, or else what is given where nothing
 * else is.
 */
export function fixedSide({ give, get }: Pair): Side {
  return get.decimals > 0 || give.network === 'lightning' ? 'give' : 'get';
}

/** What has to be pasted before a swap of this pair can be made; null where it goes to the own wallet. */
export function needs({ get }: Pair): 'invoice' | 'evm' | null {
  if (get.network === 'lightning') return 'invoice';
  return isEvm(get.network) ? 'evm' : null;
}

/** An invoice fixes what arrives; elsewhere the side that was typed on does. Null while there is no amount. */
export function askOf({ pair, side, text, destination }: FormState): Ask | null {
  if (destination.is === 'invoice' && pair.get.network === 'lightning')
    return { pair, side: 'get', units: destination.amount };
  const units = readUnits(text, pair[side].decimals);
  return units === null ? null : { pair, side, units };
}

type Unit = Pick<Asset, 'decimals'>;

/**
 * What was typed, in the unit of another asset: all are worth bitcoin, and 25,000 sats never become 25,000 of a token.
 */
export function restated(text: string, from: Unit, to: Unit): string {
  const units = readUnits(text, from.decimals);
  if (units === null || from.decimals === to.decimals) return text;
  return figureText(String((BigInt(units) * inOneBitcoin(to)) / inOneBitcoin(from)), to.decimals);
}

/** What stands in a form that nobody touched: as many sats, in the unit of whatever is given. */
export function firstText({ give }: Pair, sats = '25,000'): string {
  return give.less === null ? restated(sats, { decimals: 0 }, give) : '';
}

/**
 * What was typed, for another pair: what an exchange makes or takes is worth what it says, so there the amount in
 * bitcoin stays, on whichever side it is.
 */
export function carried(state: FormState, next: Pair, priced: Priced | null): Pick<FormState, 'side' | 'text'> {
  const { pair, side, text } = state;
  if (pair[side].less === null && next[side].less === null)
    return { side, text: restated(text, pair[side], next[side]) };
  const inBitcoin = pair.give.less === null ? 'give' : 'get';
  const stays = next.give.less === null ? 'give' : 'get';
  return { side: stays, text: restated(figureOf(state, priced, inBitcoin), pair[inBitcoin], next[stays]) };
}

/** As it was typed, or as it is priced. */
function figureOf({ pair, side, text }: FormState, priced: Priced | null, of: Side): string {
  if (side === of) return text;
  return priced === null ? '' : figureText(priced[of], pair[of].decimals);
}

function inOneBitcoin({ decimals }: Unit): bigint {
  return 10n ** BigInt(decimals === 0 ? 8 : decimals);
}

/** The amount of the other side, as a figure; empty while nobody knows. */
export function otherText(ask: Ask | null, priced: Priced | null, side: Side): string {
  if (ask === null) return '';
  if (ask.side === side) return figureText(ask.units, ask.pair[side].decimals);
  return priced === null ? '' : figureText(priced[side], ask.pair[side].decimals);
}

/** Limits are in sats: of tokens, what is on the other side is judged. */
export function limitBreach(ask: Ask | null, priced: Priced | null): LimitBreach | null {
  if (ask === null || priced === null) return null;
  const other = ask.side === 'give' ? 'get' : 'give';
  const amount = BigInt(ask.pair[ask.side].decimals === 0 ? ask.units : priced[other]);
  const { least, most } = priced;
  if (amount > BigInt(most)) return { is: 'most', nearest: String(most) };
  return amount < BigInt(least) ? { is: 'least', nearest: String(least) } : null;
}

/** Why the swap cannot be made yet; null when it can. */
export function missing(state: FormState, ask: Ask | null, priced: Priced | null): string | null {
  const why = words.swap.whyNot;
  const needed = needs(state.pair);
  const isThere = state.destination.is === needed || (needed === 'invoice' && placeOf(state.destination) !== null);
  if (needed !== null && !isThere) return why.destination;
  if (ask === null) return why.amount;
  if (priced === null) return why.quote;
  return limitBreach(ask, priced) === null ? null : why.limits;
}

/** Of what lies free as much as one swap can take, in the smallest units of what is given. */
export function mostGiven({ give }: Pair, free: string, priced: Pick<Priced, 'most'> | null): string {
  if (priced === null) return free;
  const most = (BigInt(priced.most) * inOneBitcoin(give)) / inOneBitcoin({ decimals: 0 });
  return BigInt(free) > most ? String(most) : free;
}
