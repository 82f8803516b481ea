import type { Sats } from '../domain/money.ts';
import type { Outpoint } from '../domain/outpoint.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import type { EvmLeg, EvmOrderTerms } from './evm/terms.ts';
import type { ArkadeLeg, BitcoinLeg, OrderTerms } from './terms.ts';

/*
 * Legs of a swap of our own, as somebody needs them who has lost the node: the seed finds none of them without the
 * provider's keys, terms and locktimes, and the provider may be gone. They are kept from the moment on at which there
 * is something to be paid.
 */

/** Whichever of the two sides we are. `coin`: null where only its amount is known. */
export function ourVhtlc(
  { keyIndex: index }: Pick<OrderTerms, 'keyIndex'>,
  leg: ArkadeLeg,
  coin: Outpoint | null,
): RescueLeg {
  return { on: 'arkade', terms: leg.vhtlc, key: { branch: 'taker', index }, coin, amount: leg.amount };
}

/** `coin`: as it lies there; null while none is known. */
export function ourHtlc(
  { keyIndex: index }: Pick<OrderTerms, 'keyIndex'>,
  { htlc: terms, since, amount }: BitcoinLeg,
  coin: { readonly outpoint: Outpoint; readonly amount: Sats } | null,
): RescueLeg {
  return {
    on: 'bitcoin',
    terms,
    key: { branch: 'taker', index },
    coin: coin?.outpoint ?? null,
    amount: coin?.amount ?? amount,
    since,
  };
}

/** `destination`: where a claim of it pays; a refund pays the account that it came from. */
export function ourLock(
  t: Pick<EvmOrderTerms, 'evmKey' | 'account' | 'since'>,
  { network, contracts, lock }: EvmLeg,
  destination = t.account,
): RescueLeg {
  return { on: 'evm', network, contracts, lock, since: t.since, taker: { key: t.evmKey, destination } };
}
