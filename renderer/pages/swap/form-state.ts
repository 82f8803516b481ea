import { figureText, readUnits } from '../../format/amount.ts';
import { words } from '../../words/words.ts';
import type { Way } from './assets.ts';
import type { Destination } from './destination.ts';
import type { Ask, Priced, Side } from './quote.ts';

/** What the form says at this moment. */
export interface FormState {
  readonly way: Way;
  readonly side: Side;
  readonly text: string;
  readonly destination: Destination;
}

/** Over Lightning the payer's amount is fixed when the swap is made; everywhere else what arrives is. */
export function fixedSide({ give, get }: Way): Side {
  return give.network === 'lightning' && get.network === 'arkade' ? 'give' : 'get';
}

/** An invoice fixes what arrives; elsewhere the side that was typed on does. Null while there is no amount. */
export function askOf({ way, side, text, destination }: FormState): Ask | null {
  if (destination.is === 'invoice' && way.get.network === 'lightning')
    return { way, side: 'get', units: destination.amount };
  const units = readUnits(text, way[side].decimals);
  return units === null ? null : { way, side, units };
}

/** The amount of the other side, as a figure; empty while nobody knows. */
export function otherText(ask: Ask | null, priced: Priced | null, side: Side): string {
  if (ask === null) return '';
  if (ask.side === side) return figureText(ask.units, ask.way[side].decimals);
  return priced === null ? '' : figureText(priced[side], ask.way[side].decimals);
}

export interface LimitBreach {
  readonly is: 'most' | 'least';
  readonly nearest: string;
}

export function limitBreach(ask: Ask | null, priced: Priced | null): LimitBreach | null {
  if (ask === null || priced === null) return null;
  const amount = BigInt(ask.units);
  const { min_amount: least, max_amount: most } = priced.quote;
  if (amount > BigInt(most)) return { is: 'most', nearest: String(most) };
  return amount < BigInt(least) ? { is: 'least', nearest: String(least) } : null;
}

/** Why the swap cannot be made yet; null when it can. */
export function missing(state: FormState, ask: Ask | null, priced: Priced | null): string | null {
  const why = words.swap.whyNot;
  if (state.way.get.network === 'lightning' && state.destination.is !== 'invoice') return why.destination;
  if (ask === null) return why.amount;
  if (priced === null) return why.quote;
  return limitBreach(ask, priced) === null ? null : why.limits;
}
