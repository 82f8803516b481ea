import { z } from 'zod';
import { savedSend, walletCoin } from '../../legs/onchain/shape.ts';
import { bytes, exactly, sats, shapeOf } from '../../legs/shape.ts';
import type { BitcoinWithdrawalProgress, BitcoinWithdrawalTerms } from './withdrawal-bitcoin.ts';

const terms = exactly<BitcoinWithdrawalTerms>()(
  z.strictObject({
    script: bytes,
    address: z.string(),
    amount: sats,
    mostFee: sats.exactOptional(),
    told: z.literal(true).exactOptional(),
  }),
);

const chosen = { earlier: z.array(z.array(walletCoin)).exactOptional() };
const onItsWay = { payment: savedSend, replaced: z.array(savedSend), height: z.number(), ...chosen };

const progress = exactly<BitcoinWithdrawalProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ at: z.literal('choosing'), ...chosen }),
    z.strictObject({ at: z.literal('sending'), ...onItsWay }),
    z.strictObject({ at: z.literal('raising'), ...onItsWay }),
    z.strictObject({ at: z.literal('sent'), txid: z.string() }),
    z.strictObject({ at: z.literal('failed'), reason: z.string() }),
  ]),
);

export const bitcoinWithdrawalShape = { terms: shapeOf(terms), progress: shapeOf(progress) };
