import { z } from 'zod';
import { onlyIf } from '../only-if-shape.ts';
import { exactly, sats, shapeOf, unix, type EffectShapes } from '../shape.ts';
import type { EvmAct } from './acts.ts';
import type { EvmEffect, EvmForwardEffect, EvmReading } from './effects.ts';
import {
  evmAddress,
  evmCall,
  evmNetworkName,
  evmSignature,
  forwardingFields,
  lockFields,
  lockTerms,
  permit,
  swapContracts,
  takerClaimFields,
  takerFundingFields,
} from './shape.ts';

const calls = z.array(evmCall);

const act = exactly<EvmAct>()(
  z.discriminatedUnion('is', [
    z.strictObject({ is: z.literal('lock'), lock: lockTerms }),
    z.strictObject({ is: z.literal('claim'), lock: lockTerms }),
    z.strictObject({ is: z.literal('refund'), lock: lockTerms }),
    z.strictObject({
      is: z.literal('relay-claim'),
      lock: lockTerms,
      calls,
      sweepToken: evmAddress,
      minAmountOut: z.bigint(),
      destination: evmAddress,
      signature: evmSignature,
    }),
    z.strictObject({ is: z.literal('relay-fund'), lock: z.strictObject(lockFields), permit, calls }),
    z.strictObject({
      is: z.literal('relay-refund'),
      lock: lockTerms,
      depositor: evmAddress,
      signature: evmSignature,
    }),
    z.strictObject({ is: z.literal('taker-claim'), ...takerClaimFields }),
    z.strictObject({ is: z.literal('taker-fund'), ...takerFundingFields }),
    z.strictObject({ is: z.literal('taker-refund'), lock: lockTerms }),
    z.strictObject({ is: z.literal('pay'), token: evmAddress, to: evmAddress, amount: z.bigint() }),
  ]),
);

type Forward<D extends EvmForwardEffect['do']> = Extract<EvmForwardEffect, { do: D }>;

export const evmShapes: EffectShapes<EvmEffect | EvmForwardEffect | EvmReading> = {
  'evm.forward': shapeOf(
    exactly<Forward<'evm.forward'>>()(z.strictObject({ do: z.literal('evm.forward'), ...forwardingFields })),
  ),
  'evm.forward-send': shapeOf(
    exactly<Forward<'evm.forward-send'>>()(
      z.strictObject({ do: z.literal('evm.forward-send'), ...forwardingFields, lastLook: z.boolean() }),
    ),
  ),
  'evm.send': shapeOf(
    exactly<EvmEffect>()(
      z.strictObject({
        do: z.literal('evm.send'),
        network: evmNetworkName,
        contracts: swapContracts.nullable(),
        act,
        deadline: unix.nullable(),
        value: sats,
        onlyIf: onlyIf.exactOptional(),
      }),
    ),
  ),
  'evm.read-arrival': shapeOf(
    exactly<EvmReading>()(
      z.strictObject({
        do: z.literal('evm.read-arrival'),
        network: evmNetworkName,
        txid: z.string(),
        to: evmAddress,
        tokens: z.array(evmAddress),
      }),
    ),
  ),
};
