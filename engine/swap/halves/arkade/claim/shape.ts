import { z } from 'zod';
import { outpoint, sats, unix } from '../../../../legs/shape.ts';
import { stray } from '../../extra-coins-shape.ts';

const txid = z.string();
const yes = z.literal(true).exactOptional();
const strays = z.array(stray);
const unwatched = { unwatched: yes, askedUntil: unix.exactOptional() };
const funded = { coin: outpoint, surplus: sats, strays };

/** Stored fields of each state of this half, without `at`. */
export const sourceFields = {
  sure: funded,
  seed: { coin: outpoint, surplus: sats },
  pending: { fenced: z.boolean() },
  claiming: { claimTxid: txid.nullable(), exit: yes, halted: yes, ...funded },
  claimed: { claimTxid: txid.nullable(), ...funded, ...unwatched },
  lost: { ...funded, ...unwatched },
  stopped: {
    why: z.enum(['expired', 'invalid', 'late', 'wont']),
    reason: z.string(),
    fenced: z.boolean(),
    strays,
    ...unwatched,
  },
  lapsed: { fenced: z.boolean() },
  refunded: { refundTxid: txid.nullable(), strays, ...unwatched },
} as const;
