import { z } from 'zod';
import { vhtlcTerms } from '../../legs/arkade/shape.ts';
import { htlcTerms } from '../../legs/onchain/shape.ts';
import { bytes, exactly, hash160, publicKey, sats, shapeOf, timeoutPolicy, unix } from '../../legs/shape.ts';
import { sourceFields } from '../onchain-source/shape.ts';
import { targetFields } from '../vhtlc-target/shape.ts';
import type { ReducedBitcoinArkade } from './reducing.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms } from './terms.ts';

const whole = exactly<BitcoinArkadeTerms>()(
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
    confirmations: z.number().default(1),
    since: z.number(),
    fundBefore: unix,
    lockBefore: unix,
    minCoinExpiry: unix,
    policy: timeoutPolicy,
  }),
);

const number = z.number();
const cut = exactly<ReducedBitcoinArkade>()(
  z.strictObject({
    reduced: z.literal(2),
    confirmations: z.number().exactOptional(),
    kept: z.tuple([
      bytes,
      bytes,
      bytes,
      bytes,
      z.string(),
      z.string(),
      z.enum(['ark', 'tark']),
      z.enum(['p2tr', 'p2wsh']),
      z.string(),
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ]),
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

export const shape = { terms: shapeOf(z.union([whole, cut])), progress: shapeOf(progress) };
