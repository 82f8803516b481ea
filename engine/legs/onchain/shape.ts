import { z } from 'zod';
import { exactly, hash160, keyRef, outpoint, publicKey, sats, unix } from '../shape.ts';
import type { HtlcTerms, MusigHtlcTerms, TimeHtlcTerms } from './htlc.ts';
import type { WalletCoin } from './wallet-coin.ts';
import type { SavedSend } from './wallet-port.ts';

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
