import { z } from 'zod';
import { savedSend } from '../../legs/onchain/shape.ts';
import { exactly, sats, shapeOf } from '../../legs/shape.ts';
import type { BitcoinConsolidationProgress, BitcoinConsolidationTerms } from './consolidation-bitcoin.ts';

const progress = exactly<BitcoinConsolidationProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ at: z.literal('choosing') }),
    z.strictObject({ at: z.literal('sending'), payment: savedSend, height: z.number() }),
    z.strictObject({ at: z.literal('sent'), txid: z.string() }),
    z.strictObject({ at: z.literal('failed'), reason: z.string() }),
  ]),
);

export const bitcoinConsolidationShape = {
  terms: shapeOf(exactly<BitcoinConsolidationTerms>()(z.strictObject({ mostRate: z.number(), mostFee: sats }))),
  progress: shapeOf(progress),
};
