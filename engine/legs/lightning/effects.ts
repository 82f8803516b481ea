import { z } from 'zod';
import { onlyIf } from '../only-if-shape.ts';
import { effectShapes, exactly, sats, sha256, unix, type EffectsOf } from '../shape.ts';
import type { PayRequest } from './port.ts';

const payment = exactly<PayRequest>()(
  z.strictObject({
    bolt11: z.string(),
    hash: sha256,
    amount: sats,
    maxFeeMsat: z.bigint(),
    maxTimeoutHeight: z.number(),
  }),
);

const effects = {
  'hold.create': {
    hash: sha256,
    amount: sats,
    description: z.string(),
    descriptionHash: sha256.exactOptional(),
    expiresAt: unix,
    cltvDelta: z.number(),
  },
  'hold.settle': { hash: sha256 },
  'hold.cancel': { hash: sha256 },
  pay: { payment, onlyIf },
};

/** What a machine asks of the Lightning node. */
export type LightningEffect = EffectsOf<typeof effects>;
export const lightningShapes = effectShapes(effects);
