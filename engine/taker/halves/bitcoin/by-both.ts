import type { BitcoinLeg, Deal, Leg, OrderTerms } from '../../terms.ts';

/** What the provider is told with anything that it is to sign with us, by the key of both. */
export function byBoth(
  { provider, keyIndex: index }: Pick<OrderTerms, 'provider' | 'keyIndex'>,
  { swapId }: Deal<Leg, Leg>,
  { htlc: terms }: BitcoinLeg,
) {
  if (terms.form !== 'musig') throw new Error('an HTLC without an aggregate key is spent by its script');
  return { provider, swapId, terms, key: { branch: 'taker', index } } as const;
}
