import { z } from 'zod';
import { bytes, exactly, outpoint, sats, sha256, shapeOf, unix } from '../../legs/shape.ts';
import type {
  ArkadeWithdrawalProgress,
  ArkadeWithdrawalTerms,
  LightningWithdrawalProgress,
  LightningWithdrawalTerms,
} from './withdrawal.ts';

const yes = z.literal(true).exactOptional();

export const arkadeWithdrawalShape = {
  terms: shapeOf(
    exactly<ArkadeWithdrawalTerms>()(
      z.strictObject({ script: bytes, address: z.string(), amount: sats, minExpiry: unix.exactOptional() }),
    ),
  ),
  progress: shapeOf(
    exactly<ArkadeWithdrawalProgress>()(
      z.discriminatedUnion('at', [
        z.strictObject({ at: z.literal('choosing') }),
        z.strictObject({ at: z.literal('sending'), output: outpoint }),
        z.strictObject({ at: z.literal('sent'), txid: z.string() }),
        z.strictObject({ at: z.literal('failed'), reason: z.string() }),
      ]),
    ),
  ),
};

export const lightningWithdrawalShape = {
  terms: shapeOf(
    exactly<LightningWithdrawalTerms>()(
      z.strictObject({
        bolt11: z.string(),
        hash: sha256,
        amount: sats,
        maxFeeMsat: z.bigint(),
        maxTimeoutHeight: z.number(),
        notAfter: unix,
      }),
    ),
  ),
  progress: shapeOf(
    exactly<LightningWithdrawalProgress>()(
      z.discriminatedUnion('at', [
        z.strictObject({ at: z.literal('starting') }),
        z.strictObject({ at: z.literal('paying'), late: yes }),
        z.strictObject({ at: z.literal('paid') }),
        z.strictObject({ at: z.literal('failed'), reason: z.string(), late: yes }),
      ]),
    ),
  ),
};
