import { z } from 'zod';
import { locktime, partOf, sha256, unix, type StatesOf, type ValueOf } from '../../../../legs/shape.ts';
import { claimTerms } from '../../claim-terms.ts';
import { stoppedFor } from '../../extra-coins.ts';

export const holdTerms = {
  ...claimTerms,
  hash: sha256,
  description: z.string(),
  /** In the invoice in place of the description, where the client gave one. */
  descriptionHash: sha256.exactOptional(),
  /** Nothing is locked for it after this moment of median time past. */
  lockBefore: unix,
  /** Final CLTV delta of the hold invoice, in blocks. */
  cltvDelta: z.number(),
  /**
   * What we give for the payment is ours again by then, if it is not claimed, on the clock that judges it; left out
   * where nothing is paid to hurry that.
   */
  back: locktime.exactOptional(),
};
export type HoldTerms = ValueOf<typeof holdTerms>;

const invoice = { bolt11: z.string(), invoiceExpiresAt: unix };
/** The lowest height at which an HTLC of the held payment times out. */
const timeout = { expiryHeight: z.number() };
const held = { ...invoice, ...timeout };
const stopped = {
  why: stoppedFor,
  reason: z.string(),
  ...invoice,
  /** The invoice is cancelled, and whatever was held is with its payer. */
  cancelled: z.literal(true).exactOptional(),
  /** Of a payment that is held all the same: what a copy of the database forgot may have been given for it. */
  expiryHeight: z.number().exactOptional(),
};

export const fields = {
  waiting: {
    /** The invoice is asked for. */
    opening: {},
    /** The invoice was never given out. `taken`: its hash has another invoice at the Lightning node. */
    unopened: { reason: z.string(), taken: z.literal(true).exactOptional() },
    pending: invoice,
  },
  sure: held,
  claiming: held,
  claimed: held,
  /** `givesBack`: what we gave is gone by a secret that settles nothing, and the payment is not known to be back. */
  lost: { ...held, givesBack: z.literal(true).exactOptional() },
  stopped,
  lapsed: invoice,
  refunded: invoice,
  seed: timeout,
} as const;

type Invoice = ValueOf<typeof invoice>;
export type Held = ValueOf<typeof held>;
export type Stopped = ValueOf<typeof stopped> & { readonly at: 'stopped' };
export type Waiting = StatesOf<typeof fields.waiting>;

/** The states of a held payment. */
export interface Hold {
  readonly waiting: Waiting[keyof Waiting];
  readonly sight: { readonly amount: HoldTerms['sourceAmount']; readonly expiryHeight: number };
  readonly sure: Held;
  readonly claiming: Held;
  readonly claimed: Held;
  readonly lost: ValueOf<typeof fields.lost>;
  readonly stopped: Stopped;
  readonly left: Omit<Stopped, 'at' | 'why'>;
  readonly seed: Pick<Held, 'expiryHeight'>;
  readonly lapsed: Invoice & { readonly at: 'lapsed' };
  readonly refunded: Invoice & { readonly at: 'refunded' };
}

export const invoiceOf = partOf(invoice);
export const heldOf = partOf(held);
const heldAtMost = partOf({ ...invoice, expiryHeight: stopped.expiryHeight });

/** What must hold of the held payment when something is given for it. */
export function holdOf({ hash, sourceAmount, policy }: HoldTerms) {
  return { hash, sourceAmount, policy };
}

export function stop(why: Stopped['why'], reason: string, p: Invoice & Partial<Held>): Stopped {
  return { at: 'stopped', why, reason, ...heldAtMost(p) };
}
