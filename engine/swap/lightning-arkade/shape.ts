import { z } from 'zod';
import { vhtlcTerms } from '../../legs/arkade/shape.ts';
import { bytes, exactly, publicKey, sats, sha256, shapeOf, timeoutPolicy, unix } from '../../legs/shape.ts';
import { targetFields } from '../vhtlc-target/shape.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from './terms.ts';

const terms = exactly<LightningArkadeTerms>()(
  z.strictObject({
    hash: sha256,
    sourceAmount: sats,
    targetAmount: sats,
    feeSats: sats,
    networkFeeSats: sats,
    vhtlc: vhtlcTerms,
    script: bytes,
    address: z.string(),
    keyIndex: z.number(),
    serverKey: publicKey,
    clientKeyText: z.string(),
    targetArkadeAddress: z.string(),
    description: z.string(),
    fundBefore: unix,
    cltvDelta: z.number(),
    lockBefore: unix,
    policy: timeoutPolicy,
    minCoinExpiry: unix,
  }),
);

const txid = z.string();
const yes = z.literal(true).exactOptional();
const invoice = { bolt11: z.string(), invoiceExpiresAt: unix };
const held = { ...invoice, expiryHeight: z.number().exactOptional() };
const claim = { ...held, ...targetFields.claim };

function at<N extends LightningArkadeProgress['at']>(name: N) {
  return { at: z.literal(name) };
}

const progress = exactly<LightningArkadeProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject(at('opening')),
    z.strictObject({ ...at('unopened'), reason: z.string(), taken: yes }),
    z.strictObject({ ...at('pending'), ...invoice }),
    z.strictObject({ ...at('expiring'), ...invoice }),
    z.strictObject({ ...at('expired'), ...invoice }),
    z.strictObject({ ...at('held'), expiryHeight: z.number(), ...invoice }),
    z.strictObject({ ...at('locking'), ...invoice, expiryHeight: z.number(), ...targetFields.lock }),
    z.strictObject({ ...at('locked'), ...held, ...targetFields.locked }),
    z.strictObject({ ...at('refunding'), ...held, ...targetFields.refunding }),
    z.strictObject({ ...at('refunded'), refundTxid: txid, ...held, ...targetFields.lock }),
    z.strictObject({ ...at('returned'), refundTxid: txid, ...held, ...targetFields.lock }),
    z.strictObject({ ...at('claimed'), ...claim }),
    z.strictObject({ ...at('settled'), ...claim }),
    z.strictObject({ ...at('lost'), ...claim }),
    z.strictObject({ ...at('declining'), reason: z.string(), ...invoice }),
    z.strictObject({ ...at('declined'), reason: z.string(), ...invoice }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
