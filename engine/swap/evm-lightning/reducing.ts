import { z } from 'zod';
import { noSats } from '../../domain/money.ts';
import { unix } from '../../domain/time.ts';
import { exactly } from '../../legs/shape.ts';
import { defaultPolicy } from '../../legs/timeout-policy.ts';
import { keepSource, sourceColumns, sourceOf, type SourceColumns } from '../evm-source/reducing.ts';
import { timelockOf } from '../evm-source/terms.ts';
import type { Reducing } from '../machine.ts';
import { isReduced, reducibleFrom } from '../reduced.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

export interface ReducedEvmLightning {
  readonly reduced: 1;
  readonly deposit: readonly [...SourceColumns, invoiceExpiresAt: number];
}

export const reducedEvmLightning = exactly<ReducedEvmLightning>()(
  z.strictObject({ reduced: z.literal(1), deposit: z.tuple([...sourceColumns, z.number()]) }),
);

/** Only a swap that no lock was ever made for, and whose timelock is over: whoever locks now takes it back alone at once. Its invoice is never paid. */
export const reducing: Reducing<EvmLightningTerms, EvmLightningProgress, ReducedEvmLightning> = {
  reduce(t, p) {
    if (p.at !== 'lapsed') return null;
    const deposit = [...keepSource(t), t.invoiceExpiresAt] as const;
    return { from: reducibleFrom(timelockOf(t)), terms: { reduced: 1, deposit }, progress: p };
  },
  script: () => null,
  whole(terms) {
    if (!isReduced(terms)) return terms;
    const invoiceExpiresAt = terms.deposit[17];
    return {
      ...sourceOf(terms.deposit.slice(0, 17) as unknown as SourceColumns),
      bolt11: '',
      invoiceExpiresAt: unix(invoiceExpiresAt),
      maxFeeMsat: noSats,
      maxTimeoutHeight: 0,
      finalCltv: 0,
      agreed: true,
      policy: defaultPolicy,
    };
  },
};
