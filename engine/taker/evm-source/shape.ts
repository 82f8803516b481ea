import { z } from 'zod';
import { unix } from '../../legs/shape.ts';
import { evmLeg } from '../evm/shape.ts';
import { cancelled, dealFields, lastWord } from '../shape.ts';

const txid = z.string();
const pausing = { notBefore: unix.nullable(), declined: z.string().nullable() };

/** The part of every state once there is a deal, by the leg that the provider gives. */
export function dealtShape<G extends z.ZodType>(target: G) {
  return {
    deal: z.strictObject({ ...dealFields, source: evmLeg, target }),
    said: lastWord,
    made: z.strictObject({ txid, amount: z.bigint() }).nullable(),
    signedUntil: unix.nullable(),
    cancelled,
  };
}

/** The states of a swap that begins with a lock of ours on an EVM chain, each with what is common to them. */
export function evmSourceStates<D extends z.ZodRawShape>(dealt: D) {
  return [
    z.strictObject({ at: z.literal('waiting'), ...pausing, ...dealt }),
    z
      .strictObject({
        at: z.literal('funding'),
        by: z.enum(['provider', 'node']),
        sent: txid.nullable(),
        ...dealt,
      })
      .extend({ signedUntil: unix }),
    z.strictObject({ at: z.literal('locked'), ...pausing, ...dealt }),
    z.strictObject({ at: z.literal('asking'), ...dealt }),
    z.strictObject({ at: z.literal('refunding'), sent: txid.nullable(), ...dealt }),
    z.strictObject({ at: z.literal('refunded'), refundTxid: txid, ...dealt }),
    z.strictObject({ at: z.literal('lapsed'), ...dealt }),
  ] as const;
}
