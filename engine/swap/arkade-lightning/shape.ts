import { z } from 'zod';
import { vhtlcTerms } from '../../legs/arkade/shape.ts';
import { bytes, exactly, outpoint, publicKey, sats, sha256, shapeOf, timeoutPolicy, unix } from '../../legs/shape.ts';
import { reducedTerms } from '../reduced-shape.ts';
import { stray } from '../source-shape.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './terms.ts';

const whole = exactly<ArkadeLightningTerms>()(
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
    bolt11: z.string(),
    invoiceExpiresAt: unix,
    maxFeeMsat: z.bigint(),
    maxTimeoutHeight: z.number(),
    toleranceBps: z.number(),
    fundBefore: unix,
    payBefore: unix,
    minCoinExpiry: unix,
    finalCltv: z.number(),
    policy: timeoutPolicy,
  }),
);

const txid = z.string();
const yes = z.literal(true).exactOptional();
const strays = z.array(stray);
const funded = { coin: outpoint, surplus: sats, strays };
const unwatched = { unwatched: yes, askedUntil: unix.exactOptional() };
const late = { late: z.enum(['maybe', 'in-flight']).exactOptional() };

function at<N extends ArkadeLightningProgress['at']>(name: N) {
  return { at: z.literal(name) };
}

const progress = exactly<ArkadeLightningProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ ...at('pending'), fenced: z.boolean() }),
    z.strictObject({ ...at('funded'), ...funded }),
    z.strictObject({ ...at('paying'), ...funded, ...late }),
    z.strictObject({ ...at('claiming'), claimTxid: txid.nullable(), exit: yes, halted: yes, ...funded }),
    z.strictObject({ ...at('claimed'), claimTxid: txid.nullable(), ...funded, ...unwatched }),
    z.strictObject({ ...at('lost'), ...funded, ...unwatched }),
    z.strictObject({
      ...at('stopped'),
      why: z.enum(['expired', 'invalid', 'late', 'wont']),
      reason: z.string(),
      fenced: z.boolean(),
      strays,
      ...unwatched,
      ...late,
    }),
    z.strictObject({ ...at('lapsed'), fenced: z.boolean() }),
    z.strictObject({ ...at('refunded'), refundTxid: txid.nullable(), strays, ...unwatched, ...late }),
  ]),
);

export const shape = { terms: shapeOf(z.union([whole, reducedTerms])), progress: shapeOf(progress) };
