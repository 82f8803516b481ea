import { z } from 'zod';
import { sats, timeoutPolicy, unix } from '../../legs/shape.ts';

/** What every half that claims was agreed for, whatever the client gives. */
export const claimTerms = {
  /** Worth of what it gives at least. */
  sourceAmount: sats,
  feeSats: sats,
  networkFeeSats: sats,
  /** End of the funding window, by our wall clock; a hold invoice itself says when it expires, by its node’s. */
  fundBefore: unix,
  /** The timeouts' relations as they were agreed. */
  policy: timeoutPolicy,
};

/** Of a half whose client may agree to other terms after the create. */
export const amendableOnce = {
  /** Amount or invoice is another than at the create: it is never again. */
  amended: z.literal(true).exactOptional(),
  /** Sats: the least that one can cost whose price is agreed to once its invoice is named. */
  leastAmount: sats.exactOptional(),
};
