import { z } from 'zod';
import { vhtlcTerms } from '../../legs/arkade/shape.ts';
import { bytes, exactly, outpoint, publicKey, sats, sha256, shapeOf, timeoutPolicy, unix } from '../../legs/shape.ts';
import { reducedTerms } from '../reduced-shape.ts';
import type { LightningArkadeProgress, LightningArkadeTerms } from './terms.ts';

const whole = exactly<LightningArkadeTerms>()(
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
const locked = { ...invoice, lock: outpoint, expiryHeight: z.number().exactOptional() };
const raced = { racing: yes, bothLegs: yes, refundTxid: txid.exactOptional(), finishing: yes, asked: yes };
const claim = { claimTxid: txid.nullable(), ...locked, ...raced };

function at<N extends LightningArkadeProgress['at']>(name: N) {
  return { at: z.literal(name) };
}

const progress = exactly<LightningArkadeProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject(at('opening')),
    z.strictObject({ ...at('abandoning'), reason: z.string() }),
    z.strictObject({ ...at('unopened'), reason: z.string(), taken: yes }),
    z.strictObject({ ...at('pending'), ...invoice }),
    z.strictObject({ ...at('expiring'), ...invoice }),
    z.strictObject({ ...at('expired'), ...invoice }),
    z.strictObject({ ...at('held'), expiryHeight: z.number(), ...invoice }),
    z.strictObject({ ...at('locking'), ...locked, expiryHeight: z.number() }),
    z.strictObject({ ...at('locked'), ...locked, alarmed: yes }),
    z.strictObject({
      ...at('refunding'),
      refundTxid: txid.nullable(),
      exit: yes,
      halted: yes,
      told: yes,
      ...locked,
      alarmed: yes,
    }),
    z.strictObject({ ...at('refunded'), refundTxid: txid, ...locked }),
    z.strictObject({ ...at('returned'), refundTxid: txid, ...locked }),
    z.strictObject({ ...at('claimed'), ...claim }),
    z.strictObject({ ...at('settled'), ...claim }),
    z.strictObject({ ...at('lost'), ...claim }),
    z.strictObject({ ...at('declining'), reason: z.string(), ...invoice }),
    z.strictObject({ ...at('declined'), reason: z.string(), ...invoice }),
  ]),
);

export const shape = { terms: shapeOf(z.union([whole, reducedTerms])), progress: shapeOf(progress) };
