import { z } from 'zod';
import { exactly, shapeOf, unix } from '../../legs/shape.ts';
import { arkadeOrderFields, creating, lightningLeg, refused } from '../shape.ts';
import { dealtShape, vhtlcSourceStates } from '../vhtlc-source/shape.ts';
import type { TakeArkadeLightningProgress, TakeArkadeLightningTerms } from './terms.ts';

const terms = exactly<TakeArkadeLightningTerms>()(
  z.strictObject({ ...arkadeOrderFields, bolt11: z.string(), invoiceExpiresAt: unix }),
);

const progress = exactly<TakeArkadeLightningProgress>()(
  z.discriminatedUnion('at', [creating, refused, ...vhtlcSourceStates(dealtShape(lightningLeg))]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
