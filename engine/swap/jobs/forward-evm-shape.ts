import { z } from 'zod';
import { forwardingFields } from '../../legs/evm/shape.ts';
import { exactly, shapeOf } from '../../legs/shape.ts';
import type { ForwardEvmProgress, ForwardEvmTerms } from './forward-evm.ts';

const sent = { txid: z.string() };

export const forwardEvmShape = {
  terms: shapeOf(exactly<ForwardEvmTerms>()(z.strictObject(forwardingFields))),
  progress: shapeOf(
    exactly<ForwardEvmProgress>()(
      z.discriminatedUnion('at', [
        z.strictObject({ at: z.literal('choosing') }),
        z.strictObject({ at: z.literal('sending'), ...sent }),
        z.strictObject({ at: z.literal('missing'), ...sent }),
        z.strictObject({ at: z.literal('sent'), ...sent }),
        z.strictObject({ at: z.literal('failed'), reason: z.string() }),
      ]),
    ),
  ),
};
