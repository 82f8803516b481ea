import { z } from 'zod';
import { onlyIf } from '../only-if-shape.ts';
import { exactly, sats, sha256, shapeOf, unix, type EffectShapes } from '../shape.ts';
import type { LightningEffect } from './effects.ts';
import type { PayRequest } from './port.ts';

type Effect<D extends LightningEffect['do']> = Extract<LightningEffect, { do: D }>;

const payRequest = exactly<PayRequest>()(
  z.strictObject({
    bolt11: z.string(),
    hash: sha256,
    amount: sats,
    maxFeeMsat: z.bigint(),
    maxTimeoutHeight: z.number(),
  }),
);

export const lightningShapes: EffectShapes<LightningEffect> = {
  'hold.create': shapeOf(
    exactly<Effect<'hold.create'>>()(
      z.strictObject({
        do: z.literal('hold.create'),
        hash: sha256,
        amount: sats,
        description: z.string(),
        expiresAt: unix,
        cltvDelta: z.number(),
      }),
    ),
  ),
  'hold.settle': shapeOf(
    exactly<Effect<'hold.settle'>>()(z.strictObject({ do: z.literal('hold.settle'), hash: sha256 })),
  ),
  'hold.cancel': shapeOf(
    exactly<Effect<'hold.cancel'>>()(z.strictObject({ do: z.literal('hold.cancel'), hash: sha256 })),
  ),
  pay: shapeOf(exactly<Effect<'pay'>>()(z.strictObject({ do: z.literal('pay'), payment: payRequest, onlyIf }))),
};
