import { z } from 'zod';
import { exactly, outpoint, shapeOf } from '../../legs/shape.ts';
import {
  arkadeLeg,
  arkadeOrderFields,
  cancelled,
  creating,
  dealFields,
  lightningLeg,
  refused,
  lastWord,
} from '../shape.ts';
import type { TakeLightningArkadeProgress, TakeLightningArkadeTerms } from './terms.ts';

const terms = exactly<TakeLightningArkadeTerms>()(
  z.strictObject({ ...arkadeOrderFields, targetAddress: z.string(), description: z.string() }),
);

const txid = z.string();
const dealt = {
  deal: z.strictObject({ ...dealFields, source: lightningLeg, target: arkadeLeg }),
  said: lastWord,
  cancelled,
};

const progress = exactly<TakeLightningArkadeProgress>()(
  z.discriminatedUnion('at', [
    creating,
    refused,
    z.strictObject({ at: z.literal('waiting'), why: z.string().nullable(), ...dealt }),
    z.strictObject({
      at: z.literal('claiming'),
      halted: z.literal(true).exactOptional(),
      told: z.literal(true).exactOptional(),
      coin: outpoint,
      claimTxid: txid.nullable(),
      exit: z.literal(true).exactOptional(),
      ...dealt,
    }),
    z.strictObject({ at: z.literal('claimed'), claimTxid: txid, coin: outpoint.nullable(), ...dealt }),
    z.strictObject({
      at: z.literal('ended'),
      reason: z.enum(['provider-ended', 'never-locked', 'lock-unsafe']),
      detail: z.string().nullable(),
      ...dealt,
    }),
    z.strictObject({ at: z.literal('lost'), ...dealt }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
