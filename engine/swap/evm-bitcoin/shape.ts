import { z } from 'zod';
import { exactly, shapeOf } from '../../legs/shape.ts';
import { deposit, sourceFields as source, sourceTerms } from '../evm-source/shape.ts';
import { coinTaking } from '../onchain-taking-shape.ts';
import { targetFields as target, targetTerms } from '../onchain-target/shape.ts';
import type { Doubt, EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

const terms = exactly<EvmBitcoinTerms>()(
  z.strictObject({ ...sourceTerms, ...targetTerms, targetAddress: z.string().nullable() }),
);

const placed = z.strictObject(target.placed);
const doubt = exactly<Doubt>()(z.strictObject({ deposit, placed: placed.nullable() }));
const refundTxid = z.string();

function at<N extends EvmBitcoinProgress['at']>(name: N) {
  return { at: z.literal(name) };
}

const { why: _, reason: __, ...givenBack } = source.stopped;

const progress = exactly<EvmBitcoinProgress>()(
  z.discriminatedUnion('at', [
    z.strictObject({ ...at('pending'), ...source.pending }),
    z.strictObject({ ...at('seen'), ...source.seen }),
    z.strictObject({ ...at('funded'), ...source.deposited, other: z.literal(true).exactOptional() }),
    z.strictObject({ ...at('funding'), ...source.deposited, ...target.placed }),
    z.strictObject({ ...at('locked'), ...source.deposited, ...target.placed }),
    z.strictObject({ ...at('refunding'), ...source.deposited, ...target.refunding }),
    z.strictObject({ ...at('claiming'), ...source.claiming, ...target.revealed }),
    z.strictObject({ ...at('claimed'), ...source.claimed, ...target.revealed }),
    z.strictObject({ ...at('lost'), ...source.lost, ...target.revealed, ...coinTaking }),
    z.strictObject({ ...at('returned'), ...givenBack, ...target.placed, refundTxid }),
    z.strictObject({ ...at('stopped'), ...source.stopped, doubt: doubt.exactOptional() }),
    z.strictObject({ ...at('lapsed') }),
    z.strictObject({
      ...at('refunded'),
      ...source.refunded,
      returned: z.strictObject({ ...target.placed, refundTxid }).exactOptional(),
    }),
  ]),
);

export const shape = { terms: shapeOf(terms), progress: shapeOf(progress) };
