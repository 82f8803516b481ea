import type { Purpose } from '../../legs/arkade/effects.ts';
import type { TransactionRow } from '../../store/transactions.ts';

/** A lock still on its way was claimed by the client and so stands; a claim or refund was overtaken. */
const onArkade: Readonly<Record<Purpose, 'final' | 'dead'>> = { lock: 'final', claim: 'dead', refund: 'dead' };

/** What becomes of a transaction on its way once its swap ended without it: told by its own network. On a chain nothing stands that is not buried. */
export function overtaken({ network, purpose }: Pick<TransactionRow, 'network' | 'purpose'>): 'final' | 'dead' {
  return network === 'arkade' && isPurpose(purpose) ? onArkade[purpose] : 'dead';
}

function isPurpose(purpose: string): purpose is Purpose {
  return Object.hasOwn(onArkade, purpose);
}
