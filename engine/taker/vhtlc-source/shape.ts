import { z } from 'zod';
import { outpoint, unix } from '../../legs/shape.ts';
import { stray } from '../../swap/halves/extra-coins.ts';
import { arkadeLeg, cancelled, dealFields, lastWord } from '../shape.ts';

const txid = z.string();

/** What is watched at our script, beside the deal. */
const watched = {
  said: lastWord,
  coins: z.array(stray),
  expiresAt: unix.nullable(),
  proof: z.strictObject({ claimTxid: txid.nullable() }).nullable(),
  cancelled,
};

/** The part of every state once there is a deal, by the leg that the provider gives. */
export function dealtShape<G extends z.ZodType>(target: G) {
  return { deal: z.strictObject({ ...dealFields, source: arkadeLeg, target }), ...watched };
}

/** The states of a swap that begins with a VHTLC of ours, each with what is common to them. */
export function vhtlcSourceStates<D extends ReturnType<typeof dealtShape>>(dealt: D) {
  return [
    z.strictObject({ at: z.literal('waiting'), ...dealt }),
    z.strictObject({
      at: z.literal('funded'),
      notBefore: unix.nullable(),
      declined: z.string().nullable(),
      ...dealt,
    }),
    z.strictObject({ at: z.literal('asking'), coin: outpoint, ...dealt }),
    z.strictObject({
      at: z.literal('refunding'),
      coin: outpoint,
      refundTxid: txid.nullable(),
      exit: z.literal(true).exactOptional(),
      halted: z.literal(true).exactOptional(),
      ...dealt,
    }),
    z.strictObject({ at: z.literal('done'), refundTxid: txid.nullable(), over: z.boolean(), ...dealt }),
    z.strictObject({ at: z.literal('lapsed'), ...dealt }),
  ] as const;
}
