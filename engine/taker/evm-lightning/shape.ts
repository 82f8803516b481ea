import { z } from 'zod';
import { exactly, sats, shapeOf, unix } from '../../legs/shape.ts';
import { evmOrderFields } from '../evm/shape.ts';
import { dealtShape, evmSourceStates } from '../evm-source/shape.ts';
import { creating, lightningLeg, orderFields, refused } from '../shape.ts';
import type { TakeEvmLightningProgress, TakeEvmLightningTerms } from './terms.ts';

const terms = exactly<TakeEvmLightningTerms>()(
  z.strictObject({
    ...orderFields,
    ...evmOrderFields,
    sourceAmount: z.bigint(),
    targetAmount: sats,
    bolt11: z.string(),
    invoiceExpiresAt: unix,
  }),
);

const dealt = dealtShape(lightningLeg);

const progress = exactly<TakeEvmLightningProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    ...evmSourceStates(dealt),
    z.strictObject({ at: z.literal('paid'), claimTxid: z.string(), ...dealt }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
