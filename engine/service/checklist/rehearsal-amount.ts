import { isRefusal, type Refusal } from '../../domain/errors.ts';
import { bpsDown, lesser, plus, sats, type Sats } from '../../domain/money.ts';
import { priceFromTarget } from '../../quote/fees.ts';
import type { ServiceContext } from '../context.ts';
import type { Direction } from '../directions/direction.ts';
import { roomNow } from '../limits/limits.ts';
import { rateToTell } from '../price/rate.ts';

/** A rate that moves between this and the create must not bring what arrives below the smallest swap. */
const spare = { bps: 300, sats: 100 } as const;

/**
 * The least that the pair takes now, and a little on top: what is given for the smallest swap, so that it is enough
 * whichever side the create fixes. Refused where the pair takes nothing now.
 */
export function rehearsalAmount(context: ServiceContext, pair: Direction): Sats | Refusal {
  const room = roomNow(context, pair);
  if (isRefusal(room)) return room;
  const rate = rateToTell(context, pair, { extraFeesBps: 0, referralCode: null }, null);
  if (isRefusal(rate)) return rate;
  const { source } = priceFromTarget(room.min, rate);
  return lesser(room.max, plus(source, plus(bpsDown(source, spare.bps), sats(spare.sats))));
}
