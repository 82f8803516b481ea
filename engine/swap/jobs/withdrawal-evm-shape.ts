import { z } from 'zod';
import { evmAddress, evmNetworkName } from '../../legs/evm/shape.ts';
import { exactly, sats, shapeOf } from '../../legs/shape.ts';
import type { EvmWithdrawalProgress, EvmWithdrawalTerms } from './withdrawal-evm.ts';

export const evmWithdrawalShape = {
  terms: shapeOf(
    exactly<EvmWithdrawalTerms>()(
      z.strictObject({
        network: evmNetworkName,
        token: evmAddress,
        to: evmAddress,
        amount: z.bigint(),
        mostFee: sats,
        confirmations: z.number(),
      }),
    ),
  ),
  progress: shapeOf(
    exactly<EvmWithdrawalProgress>()(
      z.discriminatedUnion('at', [
        z.strictObject({ at: z.literal('choosing') }),
        z.strictObject({ at: z.literal('sending'), txid: z.string() }),
        z.strictObject({ at: z.literal('sent'), txid: z.string() }),
        z.strictObject({ at: z.literal('failed'), reason: z.string() }),
      ]),
    ),
  ),
};
