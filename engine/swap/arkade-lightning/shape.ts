import { z } from 'zod';
import { vhtlcTerms } from '../../legs/arkade/shape.ts';
import { bytes, exactly, publicKey, sats, sha256, shapeOf, timeoutPolicy, unix } from '../../legs/shape.ts';
import { sourceFields as source } from '../vhtlc-source/shape.ts';
import type { ArkadeLightningProgress, ArkadeLightningTerms } from './terms.ts';

const terms = exactly<ArkadeLightningTerms>()(
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

const late = { late: z.enum(['maybe', 'in-flight']).exactOptional() };

function at<N extends ArkadeLightningProgress['at']>(name: N) {
  return { at: z.literal(name) };
}

const progress = exactly<ArkadeLightningProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ ...at('pending'), ...source.pending }),
    z.strictObject({ ...at('funded'), ...source.funded }),
    z.strictObject({ ...at('paying'), ...source.funded, ...late }),
    z.strictObject({ ...at('claiming'), ...source.claiming }),
    z.strictObject({ ...at('claimed'), ...source.claimed }),
    z.strictObject({ ...at('lost'), ...source.lost }),
    z.strictObject({ ...at('stopped'), ...source.stopped, ...late }),
    z.strictObject({ ...at('lapsed'), ...source.lapsed }),
    z.strictObject({ ...at('refunded'), ...source.refunded, ...late }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
