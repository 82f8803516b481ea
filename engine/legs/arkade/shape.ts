import { z } from 'zod';
import { onlyIf } from '../only-if-shape.ts';
import {
  bytes,
  exactly,
  hash160,
  keyRef,
  outpoint,
  sats,
  seconds,
  shapeOf,
  unix,
  xOnly,
  type EffectShapes,
} from '../shape.ts';
import type { ArkadeEffect, Purpose } from './effects.ts';
import type { OnChainCoin } from './vtxo.ts';
import type { VhtlcTerms } from './terms.ts';

export const vhtlcTerms = exactly<VhtlcTerms>()(
  z.strictObject({
    sender: xOnly,
    receiver: xOnly,
    operator: xOnly,
    hash: hash160,
    refundLocktime: unix,
    claimDelay: seconds,
    refundDelay: seconds,
    refundWithoutReceiverDelay: seconds,
  }),
);

export const onChainCoin = exactly<OnChainCoin>()(
  z.strictObject({ outpoint, amount: sats, signer: xOnly, exitDelay: z.number() }),
);

type Effect<D extends ArkadeEffect['do']> = Extract<ArkadeEffect, { do: D }>;

/** The members of a coin at a VHTLC, for whatever acts on one. */
export const vhtlcCoin = { terms: vhtlcTerms, script: bytes, key: keyRef, coin: outpoint };

const purpose = exactly<Purpose>()(z.enum(['lock', 'claim', 'refund']));
const taking = z.enum(['claim', 'refund']);
const yes = z.literal(true).exactOptional();

const onItsWay = { purpose, txid: z.string(), coin: outpoint.exactOptional(), onlyIf: onlyIf.exactOptional() };

export const arkadeShapes: EffectShapes<ArkadeEffect> = {
  'vhtlc.lock': shapeOf(
    exactly<Effect<'vhtlc.lock'>>()(
      z.strictObject({ do: z.literal('vhtlc.lock'), script: bytes, amount: sats, minExpiry: unix, ownScript: yes }),
    ),
  ),
  'vhtlc.claim': shapeOf(
    exactly<Effect<'vhtlc.claim'>>()(z.strictObject({ do: z.literal('vhtlc.claim'), ...vhtlcCoin })),
  ),
  'vhtlc.refund': shapeOf(
    exactly<Effect<'vhtlc.refund'>>()(z.strictObject({ do: z.literal('vhtlc.refund'), ...vhtlcCoin })),
  ),
  'vhtlc.submit': shapeOf(
    exactly<Effect<'vhtlc.submit'>>()(z.strictObject({ do: z.literal('vhtlc.submit'), ...onItsWay })),
  ),
  'vhtlc.finalize': shapeOf(
    exactly<Effect<'vhtlc.finalize'>>()(z.strictObject({ do: z.literal('vhtlc.finalize'), ...onItsWay })),
  ),
  'vhtlc.settle': shapeOf(
    exactly<Effect<'vhtlc.settle'>>()(
      z.strictObject({ do: z.literal('vhtlc.settle'), purpose: taking, taken: yes, ...vhtlcCoin }),
    ),
  ),
  'vhtlc.exit': shapeOf(
    exactly<Effect<'vhtlc.exit'>>()(
      z.strictObject({ do: z.literal('vhtlc.exit'), purpose: taking, leastRate: z.number(), ...vhtlcCoin }),
    ),
  ),
  'arkade.unroll': shapeOf(
    exactly<Effect<'arkade.unroll'>>()(
      z.strictObject({
        do: z.literal('arkade.unroll'),
        coin: outpoint,
        mostFee: sats,
        deadline: unix.exactOptional(),
      }),
    ),
  ),
  'arkade.sweep': shapeOf(
    exactly<Effect<'arkade.sweep'>>()(
      z.strictObject({ do: z.literal('arkade.sweep'), coins: z.array(onChainCoin), leastRate: z.number() }),
    ),
  ),
};
