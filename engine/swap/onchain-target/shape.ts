import { z } from 'zod';
import { htlcTerms, savedSend } from '../../legs/onchain/shape.ts';
import { bytes, exactly, outpoint, sats, timeoutPolicy, unix } from '../../legs/shape.ts';
import { coinTaking } from '../onchain-taking-shape.ts';
import type { Funding, Redeem } from './terms.ts';

/** The terms that every target of this kind has. */
export const targetTerms = {
  targetAmount: sats,
  htlc: htlcTerms,
  script: bytes,
  address: z.string(),
  keyIndex: z.number(),
  mostFee: sats,
  htlcSince: z.number(),
  lockBefore: unix,
  policy: timeoutPolicy,
};

const txid = z.string();
const funding = exactly<Funding>()(z.strictObject({ payment: savedSend, height: z.number() }));
const redeem = exactly<Redeem>()(z.strictObject({ txid, bytes }));
const placed = { output: outpoint, funding: funding.nullable(), buried: z.boolean() };

/** Fields of the states that every target of this kind has, without their name. */
export const targetFields = {
  placed,
  refunding: {
    ...placed,
    ...coinTaking,
    redeem: redeem.exactOptional(),
  },
  revealed: {
    ...placed,
    redeem,
    spends: z.array(txid),
    end: z.enum(['claimed', 'refunded', 'void']).nullable(),
  },
};
