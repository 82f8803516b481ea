import { sats } from '../../../../domain/money.ts';
import type { Watch } from '../../../machine.ts';
import { mostOf } from './coins.ts';
import type { Coin, OnchainSourceTerms } from './terms.ts';
import type { ExtraCoin } from '../../extra-coins.ts';

/**
 * Of the coins beside the swap's own so many are asked after by name, the largest: each is a question in every look
 * (facts/faults.md 89).
 */
const mostNamed = 3;

/** The coins at the HTLC, and what takes those that were seen: one that is spent is listed nowhere any more. */
export function coinsWatch(
  t: OnchainSourceTerms,
  p: Partial<Coin> & { readonly extras?: readonly ExtraCoin[] },
): Watch {
  const own = p.coin === undefined ? [] : [{ outpoint: p.coin, amount: sats(t.sourceAmount + (p.surplus ?? 0n)) }];
  const extras = (p.extras ?? []).slice(0, mostNamed).map(({ outpoint, amount }) => ({ outpoint, amount }));
  return {
    on: 'htlc',
    terms: t.htlc,
    script: t.htlcScript,
    since: t.htlcSince,
    agreed: { least: t.sourceAmount, most: mostOf(t) },
    coins: [...own, ...extras],
  };
}
