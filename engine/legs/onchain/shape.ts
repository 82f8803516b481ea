import { z } from 'zod';
import { exactly, keyRef, outpoint, sats } from '../shape.ts';
import type { SavedSend, WalletCoin } from './wallet-port.ts';

export const walletCoin = exactly<WalletCoin>()(z.strictObject({ outpoint, amount: sats, key: keyRef }));

export const savedSend = exactly<SavedSend>()(
  z.strictObject({
    txid: z.string(),
    coins: z.array(walletCoin),
    change: z.strictObject({ amount: sats, key: keyRef }).nullable(),
    fee: sats,
    rate: z.number(),
    capped: z.boolean(),
  }),
);
