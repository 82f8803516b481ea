import { z } from 'zod';
import { btc } from '../../../domain/money.ts';
import { furthest, type Clocks } from '../../../domain/time.ts';
import { sats, sha256, timeoutPolicy, unix, type ValueOf } from '../../../legs/shape.ts';
import { blocksAfterTimeout, stopLine } from '../../../legs/timelocks.ts';
import { stepTo, type News } from '../answer.ts';
import type { ClaimEnd, ClaimHalf } from '../claim.ts';
import { move, type Effect, type Event, type Outcome, type Step, type Watch } from '../../machine.ts';

/**
 * The half of a swap that begins with a hold invoice: the client's payment is held until the secret settles it, or goes back.
 *
 * Loses money when wrong: something given for a payment that is not held, or not for long enough; an invoice cancelled while what was given can
 * still be claimed; a secret seen and not used.
 */
export const holdTerms = {
  hash: sha256,
  /** What the invoice asks for. */
  sourceAmount: sats,
  feeSats: sats,
  networkFeeSats: sats,
  description: z.string(),
  /** End of the funding window by our wall clock; the invoice itself says when it expires by its node's. */
  fundBefore: unix,
  /** Nothing is given after this moment of the chain's clock. */
  lockBefore: unix,
  /** Final CLTV delta of the hold invoice, in blocks. */
  cltvDelta: z.number(),
  /** The timeouts' relations as they were agreed. */
  policy: timeoutPolicy,
};
export type HoldTerms = ValueOf<typeof holdTerms>;

const invoice = { bolt11: z.string(), invoiceExpiresAt: unix };
/** `expiryHeight`: the lowest at which an HTLC of the held payment times out. */
const held = { ...invoice, expiryHeight: z.number() };
const stopped = {
  why: z.enum(['expired', 'invalid', 'late', 'wont']),
  reason: z.string(),
  ...invoice,
  /** The invoice is cancelled, and whatever was held is with its payer. */
  cancelled: z.literal(true).exactOptional(),
};

const fields = {
  waiting: {
    /** The invoice is asked for. */
    opening: {},
    /** Nobody was told of it. `taken`: its hash has another invoice at the Lightning node. */
    unopened: { reason: z.string(), taken: z.literal(true).exactOptional() },
    pending: invoice,
  },
  sure: held,
  claiming: held,
  claimed: held,
  lost: held,
  stopped,
  lapsed: invoice,
  refunded: invoice,
  seed: {},
} as const;

type Invoice = ValueOf<typeof invoice>;
type Held = ValueOf<typeof held>;
type Stopped = ValueOf<typeof stopped> & { readonly at: 'stopped' };
type Waiting = {
  readonly [S in keyof typeof fields.waiting]: ValueOf<(typeof fields.waiting)[S]> & { readonly at: S };
};

/** The states of a held payment. */
export interface Hold {
  readonly waiting: Waiting[keyof Waiting];
  readonly sight: { readonly amount: HoldTerms['sourceAmount']; readonly expiryHeight: number };
  readonly sure: Held;
  readonly claiming: Held;
  readonly claimed: Held;
  readonly lost: Held;
  readonly stopped: Stopped;
  readonly left: Omit<Stopped, 'at' | 'why'>;
  readonly seed: object;
  readonly lapsed: Invoice & { readonly at: 'lapsed' };
  readonly refunded: Invoice & { readonly at: 'refunded' };
}

function invoiceOf({ bolt11, invoiceExpiresAt }: Invoice): Invoice {
  return { bolt11, invoiceExpiresAt };
}

function heldOf(p: Held): Held {
  return { ...invoiceOf(p), expiryHeight: p.expiryHeight };
}

/** What a new swap asks for first: its hold invoice. */
export function openingEffects({
  hash,
  sourceAmount: amount,
  description,
  fundBefore: expiresAt,
  cltvDelta,
}: HoldTerms): Effect[] {
  return [{ do: 'hold.create', hash, amount, description, expiresAt, cltvDelta }];
}

function cancel({ hash }: HoldTerms): Effect {
  return { do: 'hold.cancel', hash };
}

/** The client pays a hold invoice, and the secret settles it. */
export const claimOnLightning: ClaimHalf<HoldTerms, Hold> = {
  name: 'its payment',
  fields,
  waiting(t, p, event, now) {
    switch (p.at) {
      case 'opening':
        return whenOpening(t, event, now);
      case 'pending':
        return whenPending(t, p, event, now);
      case 'unopened':
        return 'stay';
    }
  },
  kept: heldOf,
  isLook: ({ is }) => is.startsWith('hold.'),
  backing(_, p, event) {
    // Nothing is given yet: the payment went back before.
    const isOver = 'at' in p && p.at === 'funded' && event.is === 'hold.seen' && event.state.is === 'cancelled';
    return isOver
      ? stepTo({ ...stop('wont', 'the held payment went back', p), cancelled: true }, { supersedes: true })
      : 'stay';
  },
  givenBack: (_, p, __, reason) => stop('wont', reason, p),
  release: (t) => [cancel(t)],
  begin: heldOf,
  take: ({ hash }) => ({ do: 'hold.settle', hash }),
  claiming(t, p, event, now) {
    if (event.is === 'hold.settled') return settled(t, p);
    return event.is === 'hold.seen' ? whenSeen(t, p, event, now) : null;
  },
  over: () => null,
  stands: () => false,
  back: (p) => ({ at: 'refunded', ...invoiceOf(p) }),
  stopped(_, p, event): Outcome<Stopped | Hold['lapsed'] | Hold['refunded']> {
    if (p.cancelled === true || !wentBack(event)) return 'stay';
    if (p.why === 'expired') return move<Hold['lapsed']>({ at: 'lapsed', ...invoiceOf(p) });
    return move<Stopped>({ ...p, cancelled: true });
  },
  lapsed: () => 'stay',
  refunded: () => 'stay',
  isRefund: () => false,
  // A payment that arrives in the last moment goes back with the cancellation.
  isUnsure: ({ why, cancelled }) => why === 'expired' && cancelled === undefined,
  isBack: ({ cancelled }) => cancelled === true,
  isFenced: () => false,
  seed: () => ({}),
  resumed: () => {
    throw new RangeError('nothing that is given for a held payment is in doubt');
  },
  remaining: () => null,
  surely(t, { expiryHeight }) {
    const line = stopLine(expiryHeight, t.policy);
    const isPast = ({ bitcoin }: Clocks): boolean => {
      const { height } = furthest(bitcoin);
      return height !== null && height >= line;
    };
    return {
      back: t.lockBefore,
      alone: t.fundBefore,
      last: t.lockBefore,
      cannotWait: isPast,
      // From the stop line on the Lightning node may give the payment back while the client can still claim.
      late: (now) =>
        isPast(now)
          ? `The payment of this swap is surely ours only until block ${line}, and the VHTLC is neither claimed nor back: see why the Arkade operator does not refund it.`
          : null,
      isPatient: false,
      words: {
        stays: 'The held payment stays until its preimage or our refund shows.',
        taken: 'its payment is settled',
        back: 'the payment went back to its payer',
      },
    };
  },
  sight: ({ sourceAmount: amount }, { expiryHeight }) => ({ amount, expiryHeight }),
  watches({ hash }, state): Watch[] {
    const p = state as { readonly at: string; readonly cancelled?: true };
    const isLooked = ['pending', 'funded', 'claiming', 'returned'].includes(p.at);
    return isLooked || (p.at === 'stopped' && p.cancelled !== true) ? [{ on: 'hold', hash }] : [];
  },
  deadline(t, { at }) {
    if (at === 'opening' || at === 'pending') return t.fundBefore;
    return at === 'funded' ? t.lockBefore : null;
  },
  open(state) {
    const p = state as { readonly at: string; readonly cancelled?: true };
    if (p.at === 'stopped') return p.cancelled !== true;
    return !['unopened', 'lapsed', 'refunded', 'claimed', 'lost'].includes(p.at);
  },
  action(_, state) {
    const p = state as Pick<Stopped, 'why' | 'cancelled'> & { readonly at: keyof typeof actions };
    if (p.at !== 'stopped') return actions[p.at];
    if (p.cancelled === true) return 'nothing: the payment went back';
    return p.why === 'expired' ? 'we cancel the invoice' : actions.returned;
  },
  rescue: ({ hash }, p) => ('at' in p && p.at === 'claimed' ? null : { on: 'lightning', hash }),
  rescueRemaining: () => null,
};

const actions = {
  opening: 'we create the invoice',
  unopened: 'nothing: it was never opened',
  pending: 'the client pays the invoice',
  stopped: 'we give the held payment back',
  lapsed: 'nothing: it expired',
  returned: 'we give the held payment back',
  refunded: 'nothing: both sides have their money back',
  claiming: 'we settle the held payment',
  claimed: 'nothing: it is done',
  lost: 'nothing: the payment is gone',
} as const;

function stop(why: Stopped['why'], reason: string, p: Invoice): Stopped {
  return { at: 'stopped', why, reason, ...invoiceOf(p) };
}

/** The held payment is with the client again, or there never was one and never will be. */
function wentBack(event: Event): boolean {
  return event.is === 'hold.cancelled' || (event.is === 'hold.seen' && event.state.is === 'cancelled');
}

/** Waiting for the invoice, with whoever asked for the swap. */
function whenOpening(t: HoldTerms, event: Event, now: Clocks): Outcome<Waiting['pending' | 'unopened']> {
  switch (event.is) {
    case 'hold.created':
      return move<Waiting['pending']>({ at: 'pending', bolt11: event.bolt11, invoiceExpiresAt: event.expiresAt });
    case 'abandoned':
      return unopened(event.reason);
    case 'clock':
      // Nobody waits for the answer any more: a restart ended the request, and the node was away until now.
      return now.wall >= t.fundBefore ? unopened('the Lightning node took the invoice too late or not at all') : 'stay';
    case 'hold.refused':
      return unopened(event.reason, event.taken);
    default:
      return 'stay';
  }
}

/**
 * Nobody was told of the invoice, so nobody can pay it. It is not cancelled: the hash of a cancelled one is lost for good,
 * and the client may ask again with the same secret (facts/faults.md 46).
 */
function unopened(reason: string, isTaken?: true): Step<Waiting['unopened']> {
  const progress = { at: 'unopened', reason, ...(isTaken === true ? { taken: isTaken } : {}) } as const;
  return { progress, effects: [], supersedes: true };
}

/** Waiting for the payment. */
function whenPending(
  t: HoldTerms,
  p: Waiting['pending'],
  event: Event,
  now: Clocks,
): ReturnType<typeof claimOnLightning.waiting> {
  // Our own clock on both sides: how far it is from the Lightning node's does not matter.
  if (event.is === 'clock' && now.wall >= t.fundBefore)
    return move<Stopped>(stop('expired', 'nothing was paid in time', p), cancel(t));
  if (event.is !== 'hold.seen') return 'stay';
  const { state } = event;
  if (state.is === 'cancelled') return move<Hold['lapsed']>({ at: 'lapsed', ...invoiceOf(p) });
  if (state.is !== 'held') return 'stay';
  const { expiryHeight } = state;
  return { fact: 'sure', sure: { ...invoiceOf(p), expiryHeight }, sight: state, waits: null };
}

/** The preimage is ours: the held payment is settled, however long that takes. */
function whenSeen(
  t: HoldTerms,
  p: Held,
  { state }: Event & { is: 'hold.seen' },
  { bitcoin: { height } }: Clocks,
): Step<Held> | News<ClaimEnd<Hold>> | 'stay' {
  switch (state.is) {
    case 'settled':
      return settled(t, p);
    case 'cancelled':
      return { fact: 'lost', lost: heldOf(p) };
    case 'absent':
      // The wrong node answers, or one that was restored from nothing: the right one may be back before the payment times out.
      return height !== null && height > p.expiryHeight + blocksAfterTimeout
        ? { fact: 'lost', lost: heldOf(p) }
        : stepTo(p, {
            flag: 'The client claimed the VHTLC and this Lightning node does not know the payment: connect the node that holds it, before it times out.',
          });
    default:
      return 'stay';
  }
}

function settled(t: HoldTerms, p: Held): News<ClaimEnd<Hold>> {
  return {
    fact: 'claimed',
    claimed: heldOf(p),
    along: {
      ledger: [
        { kind: 'protocol-fee', ...btc('arkade', t.feeSats) },
        { kind: 'network-fee-charged', ...btc('arkade', t.networkFeeSats) },
      ],
    },
  };
}
