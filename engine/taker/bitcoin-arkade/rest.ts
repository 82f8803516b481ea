import { hasOurs, isShown } from './coins.ts';
import { dealtOf, type Dealt, type TakeBitcoinArkadeProgress } from './terms.ts';

/** The state in which a swap waits, by what lies at its address and what became of the VHTLC. */
export function rest(p: Dealt): TakeBitcoinArkadeProgress {
  const dealt = dealtOf(p);
  if (p.payout === 'lost') return { at: 'lost', over: false, ...dealt };
  if (p.payout !== null) return { at: 'claimed', over: false, ...dealt };
  // Taken with our secret before the VHTLC is ours: that is what is waited for, whatever else came back.
  if (hasOurs(p) || isShown(p)) return { at: 'funded', why: null, ...dealt };
  return p.coins.some(({ spend }) => spend?.by === 'refund')
    ? { at: 'done', over: false, ...dealt }
    : { at: 'waiting', ...dealt };
}
