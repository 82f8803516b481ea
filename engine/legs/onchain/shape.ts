import { z } from 'zod';
import { bytes, exactly, keyRef, outpoint, sats, shapeOf, unix, type EffectShapes } from '../shape.ts';
import type { OnchainEffect } from './effects.ts';
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

type Effect<D extends OnchainEffect['do']> = Extract<OnchainEffect, { do: D }>;

export const onchainShapes: EffectShapes<OnchainEffect> = {
  'onchain.broadcast': shapeOf(
    exactly<Effect<'onchain.broadcast'>>()(
      z.strictObject({
        do: z.literal('onchain.broadcast'),
        txid: z.string(),
        spends: outpoint,
        amount: sats,
        rate: z.number(),
        capped: z.boolean(),
        raiseFrom: unix.exactOptional(),
        since: z.number(),
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
};
