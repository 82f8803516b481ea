import { z } from 'zod';
import { takerDirections } from '../../domain/chain.ts';
import {
  evmNetworkName,
  lockTerms,
  swapContracts,
  takerClaimFields,
  takerEvmKey,
  takerFundingFields,
} from '../evm/shape.ts';
import { onlyIf } from '../only-if-shape.ts';
import { vhtlcCoin } from '../arkade/shape.ts';
import { exactly, sats, sha256, shapeOf, type EffectShapes } from '../shape.ts';
import type { ProviderEffect, ProviderOrder } from './effects.ts';

type Effect<D extends ProviderEffect['do']> = Extract<ProviderEffect, { do: D }>;

const order = exactly<ProviderOrder>()(
  z.strictObject({
    direction: z.enum(takerDirections),
    body: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    hash: sha256,
    keyIndex: z.number(),
  }),
);

const onEvm = { provider: z.string(), swapId: z.string(), network: evmNetworkName, contracts: swapContracts };

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
  'provider.claim-evm': shapeOf(
    exactly<Effect<'provider.claim-evm'>>()(
      z.strictObject({
        do: z.literal('provider.claim-evm'),
        claim: z.strictObject(takerClaimFields),
        onlyIf,
        ...onEvm,
      }),
    ),
  ),
  'provider.fund-evm': shapeOf(
    exactly<Effect<'provider.fund-evm'>>()(
      z.strictObject({
        do: z.literal('provider.fund-evm'),
        funding: z.strictObject(takerFundingFields),
        value: sats,
        ...onEvm,
      }),
    ),
  ),
  'provider.refund-evm': shapeOf(
    exactly<Effect<'provider.refund-evm'>>()(
      z.strictObject({ do: z.literal('provider.refund-evm'), lock: lockTerms, key: takerEvmKey, ...onEvm }),
    ),
  ),
};
