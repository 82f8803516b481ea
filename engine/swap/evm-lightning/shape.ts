import { z } from 'zod';
import { exactly, sats, shapeOf, timeoutPolicy, unix } from '../../legs/shape.ts';
import { sourceFields as source, sourceTerms } from '../evm-source/shape.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

const terms = exactly<EvmLightningTerms>()(
  z.strictObject({
    ...sourceTerms,
    targetAmount: sats,
    bolt11: z.string(),
    invoiceExpiresAt: unix,
    maxFeeMsat: z.bigint(),
    maxTimeoutHeight: z.number(),
    finalCltv: z.number(),
    agreed: z.boolean(),
    policy: timeoutPolicy,
  }),
);

const late = { late: z.enum(['maybe', 'in-flight']).exactOptional() };

function at<N extends EvmLightningProgress['at']>(name: N) {
  return { at: z.literal(name) };
}

const progress = exactly<EvmLightningProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ ...at('pending'), ...source.pending }),
    z.strictObject({ ...at('seen'), ...source.seen }),
    z.strictObject({ ...at('funded'), ...source.deposited }),
    z.strictObject({ ...at('paying'), ...source.deposited, ...late }),
    z.strictObject({ ...at('claiming'), ...source.claiming }),
    z.strictObject({ ...at('claimed'), ...source.claimed }),
    z.strictObject({ ...at('lost'), ...source.lost }),
    z.strictObject({ ...at('stopped'), ...source.stopped, ...late }),
    z.strictObject({ ...at('lapsed') }),
    z.strictObject({ ...at('refunded'), ...source.refunded, ...late }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
