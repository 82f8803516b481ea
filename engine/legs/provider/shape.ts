import { z } from 'zod';
import { takerDirections } from '../../domain/chain.ts';
import { vhtlcCoin } from '../arkade/shape.ts';
import { exactly, sha256, shapeOf, type EffectShapes } from '../shape.ts';
import type { ProviderEffect, ProviderOrder } from './effects.ts';

type Effect<D extends ProviderEffect['do']> = Extract<ProviderEffect, { do: D }>;

const order = exactly<ProviderOrder>()(
  z.strictObject({
    direction: z.enum(takerDirections),
    body: z.record(z.string(), z.union([z.string(), z.number()])),
    hash: sha256,
    keyIndex: z.number(),
  }),
);

export const providerShapes: EffectShapes<ProviderEffect> = {
  'provider.create': shapeOf(
    exactly<Effect<'provider.create'>>()(
      z.strictObject({ do: z.literal('provider.create'), provider: z.string(), order }),
    ),
  ),
  'provider.cosign': shapeOf(
    exactly<Effect<'provider.cosign'>>()(
      z.strictObject({ do: z.literal('provider.cosign'), provider: z.string(), swapId: z.string(), ...vhtlcCoin }),
    ),
  ),
};
