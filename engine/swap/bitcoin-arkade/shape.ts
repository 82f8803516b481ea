import { z } from 'zod';
import { vhtlcTerms } from '../../legs/arkade/shape.ts';
import { htlcTerms } from '../../legs/onchain/shape.ts';
import { bytes, exactly, hash160, publicKey, sats, shapeOf, timeoutPolicy, unix } from '../../legs/shape.ts';
import { sourceFields } from '../onchain-source/shape.ts';
import { targetFields } from '../vhtlc-target/shape.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms } from './terms.ts';

const terms = exactly<BitcoinArkadeTerms>()(
  z.strictObject({
    hash: hash160,
    sourceAmount: sats,
    targetAmount: sats,
    feeSats: sats,
    networkFeeSats: sats,
    htlc: htlcTerms,
    htlcScript: bytes,
    htlcAddress: z.string(),
    vhtlc: vhtlcTerms,
    script: bytes,
    address: z.string(),
    keyIndex: z.number(),
    serverKey: publicKey,
    claimKeyText: z.string(),
    refundKeyText: z.string(),
    targetArkadeAddress: z.string(),
    toleranceBps: z.number(),
    confirmations: z.number(),
    since: z.number(),
    fundBefore: unix,
    lockBefore: unix,
    minCoinExpiry: unix,
    policy: timeoutPolicy,
  }),
);

const txid = z.string();
const { pending, seen, funded, claiming, stopped, refunded, unwatched } = sourceFields;
const redeemed = { ...claiming, ...targetFields.claim };
const returned = { fundTxid: txid, refundTxid: txid };

function at<N extends BitcoinArkadeProgress['at']>(name: N) {
  return { at: z.literal(name) };
}

const progress = exactly<BitcoinArkadeProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ ...at('pending'), ...pending }),
    z.strictObject({ ...at('seen'), ...seen }),
    z.strictObject({ ...at('funded'), ...funded }),
    z.strictObject({ ...at('locking'), ...funded, ...targetFields.lock }),
    z.strictObject({ ...at('locked'), ...funded, ...targetFields.locked }),
    z.strictObject({ ...at('refunding'), ...funded, ...targetFields.refunding }),
    z.strictObject({ ...at('claiming'), ...redeemed }),
    z.strictObject({ ...at('claimed'), ...redeemed, ...unwatched }),
    z.strictObject({ ...at('lost'), ...redeemed, ...unwatched }),
    z.strictObject({ ...at('returned'), reason: stopped.reason, strays: stopped.strays, ...unwatched, ...returned }),
    z.strictObject({ ...at('stopped'), ...stopped }),
    z.strictObject(at('lapsed')),
    z.strictObject({ ...at('refunded'), ...refunded, returned: z.strictObject(returned).exactOptional() }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
