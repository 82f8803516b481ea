import { z } from 'zod';
import { outpoint } from '../../legs/shape.ts';

const txid = z.string();
const yes = z.literal(true).exactOptional();

/** Fields of the states that every target of this kind has, without their name. */
export const targetFields = {
  lock: { lock: outpoint },
  locked: { lock: outpoint, alarmed: yes },
  refunding: { lock: outpoint, alarmed: yes, refundTxid: txid.nullable(), exit: yes, halted: yes, told: yes },
  claim: {
    lock: outpoint,
    claimTxid: txid.nullable(),
    racing: yes,
    bothLegs: yes,
    refundTxid: txid.exactOptional(),
    finishing: yes,
    asked: yes,
    exit: yes,
    halted: yes,
  },
} as const;
