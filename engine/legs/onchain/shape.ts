import { z } from 'zod';
import { leg } from '../leg.ts';
import { onlyIf } from '../only-if-shape.ts';
import {
  bytes,
  exactly,
  hash160,
  keyRef,
  locktime,
  outpoint,
  publicKey,
  sats,
  shapeOf,
  unix,
  type EffectShapes,
} from '../shape.ts';
import type { OnchainEffect } from './effects.ts';
import type { HtlcTerms, MusigHtlcTerms, TimeHtlcTerms } from './htlc.ts';
import type { SavedSend, WalletCoin } from './wallet-port.ts';

export const walletCoin = exactly<WalletCoin>()(z.strictObject({ outpoint, amount: sats, key: keyRef }));

const change = z.strictObject({ amount: sats, key: keyRef }).nullable();

export const savedSend = exactly<SavedSend>()(
  z.strictObject({
    txid: z.string(),
    coins: z.array(walletCoin),
    change,
    fee: sats,
    rate: z.number(),
    capped: z.boolean(),
  }),
);

const conditions = { hash: hash160, claimer: publicKey, refunder: publicKey };

export const timeHtlcTerms = exactly<TimeHtlcTerms>()(
  z.strictObject({ form: z.enum(['p2tr', 'p2wsh']), ...conditions, refundLocktime: unix }),
);

export const musigHtlcTerms = exactly<MusigHtlcTerms>()(
  z.strictObject({
    form: z.literal('musig'),
    ...conditions,
    provider: z.enum(['claimer', 'refunder']),
    sizeGuard: z.boolean(),
    refundHeight: z.number(),
  }),
);

export const htlcTerms = exactly<HtlcTerms>()(z.union([timeHtlcTerms, musigHtlcTerms]));

type Effect<D extends OnchainEffect['do']> = Extract<OnchainEffect, { do: D }>;

export const onchainShapes: EffectShapes<OnchainEffect> = {
  'onchain.broadcast': shapeOf(
    exactly<Effect<'onchain.broadcast'>>()(
      z.strictObject({
        do: z.literal('onchain.broadcast'),
        leg,
        txid: z.string(),
        spends: outpoint,
        amount: sats,
        rate: z.number(),
        capped: z.boolean(),
        raiseFrom: unix.exactOptional(),
        deadline: locktime.exactOptional(),
        since: z.number(),
        yieldsTo: hash160.exactOptional(),
        funding: bytes.exactOptional(),
        push: z.strictObject({ change: walletCoin, mostFee: sats }).exactOptional(),
        onlyIf: onlyIf.exactOptional(),
      }),
    ),
  ),
  'onchain.send': shapeOf(
    exactly<Effect<'onchain.send'>>()(
      z.strictObject({
        do: z.literal('onchain.send'),
        script: bytes,
        amount: sats,
        mostFee: sats.exactOptional(),
        doubted: z.boolean().exactOptional(),
        earlier: z.array(z.array(walletCoin)).exactOptional(),
      }),
    ),
  ),
  'onchain.bump': shapeOf(
    exactly<Effect<'onchain.bump'>>()(
      z.strictObject({
        do: z.literal('onchain.bump'),
        script: bytes,
        amount: sats,
        replaces: z.strictObject({ coins: z.array(walletCoin), change, fee: sats }),
        leastRate: z.number(),
        mostFee: sats,
        doubted: z.boolean().exactOptional(),
      }),
    ),
  ),
  'onchain.consolidate': shapeOf(
    exactly<Effect<'onchain.consolidate'>>()(
      z.strictObject({ do: z.literal('onchain.consolidate'), mostRate: z.number(), mostFee: sats }),
    ),
  ),
  'htlc.fund': shapeOf(
    exactly<Effect<'htlc.fund'>>()(
      z.strictObject({
        do: z.literal('htlc.fund'),
        script: bytes,
        amount: sats,
        mostFee: sats,
        lockBefore: unix,
        scriptSince: z.number(),
      }),
    ),
  ),
  'htlc.spend': shapeOf(
    exactly<Effect<'htlc.spend'>>()(
      z.strictObject({
        do: z.literal('htlc.spend'),
        purpose: z.enum(['claim', 'refund']),
        terms: htlcTerms,
        script: bytes,
        key: keyRef,
        coin: outpoint,
        funding: bytes.exactOptional(),
        leastRate: z.number(),
        deadline: locktime,
      }),
    ),
  ),
  'htlc.resend': shapeOf(
    exactly<Effect<'htlc.resend'>>()(z.strictObject({ do: z.literal('htlc.resend'), coin: outpoint, bytes })),
  ),
};
