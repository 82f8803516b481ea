import { unix } from '../../domain/time.ts';
import { defaultPolicy } from '../../legs/timeout-policy.ts';
import type { Reducing } from '../machine.ts';
import { isReduced, reduced, reducibleFrom, restored, type ReducedTerms } from '../reduced.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from './terms.ts';

const longAgo = unix(0);

/** Only a swap whose invoice was never paid, or that nobody was ever told of: no VHTLC of ours exists. */
export const reducing: Reducing<LightningArkadeTerms, LightningArkadeProgress, ReducedTerms> = {
  reduce(t, p) {
    if (p.at !== 'expired' && p.at !== 'unopened') return null;
    const terms = reduced(t, 'receiver', p.at === 'expired' ? p.invoiceExpiresAt : t.fundBefore);
    if (terms === null) return null;
    return {
      from: reducibleFrom(t.vhtlc.refundLocktime),
      terms,
      progress: p.at === 'expired' ? { ...p, bolt11: '' } : { at: 'unopened', reason: '' },
    };
  },
  script: ({ script }) => script,
  whole(terms) {
    if (!isReduced(terms)) return terms as LightningArkadeTerms;
    return {
      ...restored(terms, 'receiver'),
      targetArkadeAddress: '',
      description: '',
      fundBefore: unix(terms.invoiceExpiresAt),
      cltvDelta: 0,
      lockBefore: longAgo,
      policy: defaultPolicy,
      minCoinExpiry: longAgo,
    };
  },
};
