import { z } from 'zod';
import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { bytes, exactly, sha256, sized } from '../shape.ts';
import type { Call, EvmSignature, SwapContracts } from './contracts.ts';
import type { LockTerms } from './swap-key.ts';
import { evmKeySchemes, type TakerEvmKey } from './taker-key.ts';

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

export const lockFields = {
  preimageHash: sha256,
  token: evmAddress,
  refundAddress: evmAddress,
  claimAddress: evmAddress,
  timelock: z.bigint(),
};

export const lockTerms = exactly<LockTerms>()(z.strictObject({ ...lockFields, amount: z.bigint() }));

export const evmCall = exactly<Call>()(z.strictObject({ target: evmAddress, value: z.bigint(), data: bytes }));

export const evmSignature = exactly<EvmSignature>()(z.strictObject({ v: z.number(), r: bytes, s: bytes }));

export const takerEvmKey = exactly<TakerEvmKey>()(z.strictObject({ scheme: z.enum(evmKeySchemes), index: z.number() }));
