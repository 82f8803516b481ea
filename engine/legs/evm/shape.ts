import { z } from 'zod';
import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { onlyIf } from '../only-if-shape.ts';
import { bytes, exactly, sats, sha256, shapeOf, sized, unix, type EffectShapes } from '../shape.ts';
import type { EvmAct, Permit } from './acts.ts';
import type { Call, EvmSignature, SwapContracts } from './contracts.ts';
import type { EvmEffect } from './effects.ts';
import type { LockTerms } from './swap-key.ts';

export const evmAddress = sized<EvmAddress>(20);

export const evmNetworkName = z.custom<EvmNetwork>((value) => typeof value === 'string' && value.startsWith('evm:'));

export const swapContracts = exactly<SwapContracts>()(
  z.strictObject({
    kind: z.enum(['erc20', 'native']),
    htlc: evmAddress,
    coordinator: evmAddress,
    htlcVersion: z.string(),
    coordinatorVersion: z.string().nullable(),
  }),
);

const lockFields = {
  preimageHash: sha256,
  token: evmAddress,
  refundAddress: evmAddress,
  claimAddress: evmAddress,
  timelock: z.bigint(),
};

export const lockTerms = exactly<LockTerms>()(z.strictObject({ ...lockFields, amount: z.bigint() }));

export const evmCall = exactly<Call>()(z.strictObject({ target: evmAddress, value: z.bigint(), data: bytes }));

export const evmSignature = exactly<EvmSignature>()(z.strictObject({ v: z.number(), r: bytes, s: bytes }));

export const permit = exactly<Permit>()(
  z.strictObject({
    depositor: evmAddress,
    token: evmAddress,
    amount: z.bigint(),
    nonce: z.bigint(),
    deadline: z.bigint(),
    signature: bytes,
    tokenPermit: z
      .strictObject({ value: z.bigint(), deadline: z.bigint(), signature: z.union([evmSignature, bytes]) })
      .exactOptional(),
  }),
);

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
    z.strictObject({ is: z.literal('pay'), token: evmAddress, to: evmAddress, amount: z.bigint() }),
  ]),
);

export const evmShapes: EffectShapes<EvmEffect> = {
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
};
