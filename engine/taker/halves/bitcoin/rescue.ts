import type { Sats } from '../../../domain/money.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import type { RescueLeg } from '../../../legs/rescue.ts';
import { htlcLeg } from '../../../swap/rescue.ts';
import type { BitcoinLeg, OrderTerms } from '../../terms.ts';

/** The leg, with either side's coin as it lies there; null while none is known. */
export function ourHtlc(
  { keyIndex }: Pick<OrderTerms, 'keyIndex'>,
  leg: BitcoinLeg,
  coin: { readonly outpoint: Outpoint; readonly amount: Sats } | null,
): RescueLeg {
  return htlcLeg('taker', { ...leg, keyIndex, amount: coin?.amount ?? leg.amount }, coin?.outpoint ?? null);
}
