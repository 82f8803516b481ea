import { z } from 'zod';
import { exactly, hash160, keyRef, outpoint, publicKey, sats, unix } from '../shape.ts';
import type { HtlcTerms } from './htlc.ts';
import type { SavedSend, WalletCoin } from './wallet-port.ts';

export const walletCoin = exactly<WalletCoin>()(z.strictObject({ outpoint, amount: sats, key: keyRef }));

/** What comes back of a payment. */
export const change = z.strictObject({ amount: sats, key: keyRef }).nullable();

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

export const htlcTerms = exactly<HtlcTerms>()(
  z.strictObject({
    form: z.enum(['p2tr', 'p2wsh']),
    hash: hash160,
    claimer: publicKey,
    refunder: publicKey,
    refundLocktime: unix,
  }),
);
