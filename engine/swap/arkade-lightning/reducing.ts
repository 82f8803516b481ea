import { noSats } from '../../domain/money.ts';
import { unix } from '../../domain/time.ts';
import { defaultPolicy } from '../../legs/timeout-policy.ts';
import type { Reducing } from '../machine.ts';
import { isReduced, reduced, reducibleFrom, restored, type ReducedTerms } from '../reduced.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './terms.ts';

const longAgo = unix(0);

/** Only a swap that was never funded, and whose client could help itself long since. Its invoice is never paid: what paying needs goes. */
export const reducing: Reducing<ArkadeLightningTerms, ArkadeLightningProgress, ReducedTerms> = {
  reduce(t, p) {
    if (p.at !== 'lapsed') return null;
    const terms = reduced(t, 'sender', t.invoiceExpiresAt);
    return terms === null ? null : { from: reducibleFrom(t.vhtlc.refundLocktime), terms, progress: p };
  },
  script: ({ script }) => script,
  whole(terms) {
    if (!isReduced(terms)) return terms as ArkadeLightningTerms;
    return {
      ...restored(terms, 'sender'),
      bolt11: '',
      invoiceExpiresAt: unix(terms.invoiceExpiresAt),
      maxFeeMsat: noSats,
      maxTimeoutHeight: 0,
      toleranceBps: 0,
      fundBefore: longAgo,
      payBefore: longAgo,
      minCoinExpiry: longAgo,
      finalCltv: 0,
      policy: defaultPolicy,
    };
  },
};
