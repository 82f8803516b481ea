import { sats } from '../../domain/money.ts';
import type { Watch } from '../machine.ts';
import type { Coin, OnchainSourceTerms } from './terms.ts';
import type { Stray } from '../source.ts';

/** The coins at the HTLC, and what takes those that were seen: one that is spent is listed nowhere any more. */
export function coinsWatch(t: OnchainSourceTerms, p: Partial<Coin> & { readonly strays?: readonly Stray[] }): Watch {
  const own = p.coin === undefined ? [] : [{ outpoint: p.coin, amount: sats(t.sourceAmount + (p.surplus ?? 0n)) }];
  const strays = (p.strays ?? []).map(({ outpoint, amount }) => ({ outpoint, amount }));
  return { on: 'htlc', terms: t.htlc, script: t.htlcScript, since: t.since, coins: [...own, ...strays] };
}
