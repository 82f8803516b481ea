import { height } from '../../../../domain/time.ts';
import { holdSpan } from '../../../../legs/lightning/timelocks.ts';
import { move, type Event, type Outcome, type Watch } from '../../../machine.ts';
import { stepTo } from '../../answer.ts';
import type { ClaimHalf } from '../../claim.ts';
import { endOf, isShort } from '../../surety.ts';
import { settled, whenSeen } from './claiming.ts';
import { fields, heldOf, invoiceOf, stop, type Hold, type HoldTerms, type Stopped } from './terms.ts';
import { cancel, whenOpening, whenPending } from './waiting.ts';

/**
 * The half of a swap that begins with a hold invoice: the client's payment is held until the secret settles it, or goes
 * back.
 *
 * Loses money when wrong: something given for a payment that is not held, or not for long enough; an invoice cancelled
 * while what was given can still be claimed; a secret seen and not used.
 */
export const claimOnLightning: ClaimHalf<HoldTerms, Hold> = {
  leg: 'lightning',
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
  forgone: (p) => ({ ...heldOf(p), givesBack: true }),
  release: (t) => [cancel(t)],
  begin: heldOf,
  take: ({ hash }) => ({ do: 'hold.settle', hash }),
  claiming(t, p, event, now) {
    if (event.is === 'hold.settled') return settled(t, p);
    return event.is === 'hold.seen' ? whenSeen(t, p, event, now) : null;
  },
  resume: ({ hash }, p) => ({ progress: p, effects: [{ do: 'hold.settle', hash }] }),
  over(_, p, event) {
    if (!givesBack(p) || !wentBack(event)) return null;
    const { givesBack: __, ...over } = p as Hold['lost'];
    return move<Hold['lost']>(over);
  },
  stands: () => false,
  back: (p) => ({ at: 'refunded', ...invoiceOf(p) }),
  stopped(_, p, event): Outcome<Stopped | Hold['lapsed'] | Hold['refunded']> {
    if (p.cancelled === true) return 'stay';
    if (event.is === 'hold.seen' && event.state.is === 'held' && p.expiryHeight === undefined)
      return move<Stopped>({ ...p, expiryHeight: event.state.expiryHeight });
    if (!wentBack(event)) return 'stay';
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
  seed: ({ expiryHeight }) => ({ expiryHeight }),
  resumed: (p, { expiryHeight }) => ({ ...invoiceOf(p), expiryHeight }),
  remaining(_, p) {
    if (p.at === 'refunded' || p.cancelled === true || p.expiryHeight === undefined) return null;
    return heldOf({ ...p, expiryHeight: p.expiryHeight });
  },
  surely(t, { expiryHeight }) {
    const held = holdSpan(expiryHeight, t.policy);
    const cannotWait = isShort(held, 0, t.policy);
    return {
      back: t.back ?? t.lockBefore,
      // lnd gives the payment back by itself.
      alone: height(Math.max(0, expiryHeight - t.policy.lndCancelBlocks)),
      last: endOf(held),
      cannotWait,
      // From the stop line on the Lightning node may give the payment back while the client can still claim.
      late: (now) =>
        cannotWait(now) ? `The held payment can be settled safely only until block ${held.surelyOursUntil}` : null,
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
    const isBack = p.at === 'stopped' ? p.cancelled === true : !givesBack(p);
    return isLooked || !isBack ? [{ on: 'hold', hash }] : [];
  },
  deadline(t, { at }) {
    if (at === 'opening' || at === 'pending') return t.fundBefore;
    return at === 'funded' ? t.lockBefore : null;
  },
  open(state) {
    const p = state as { readonly at: string; readonly cancelled?: true };
    if (p.at === 'stopped') return p.cancelled !== true;
    if (givesBack(p)) return true;
    return !['unopened', 'lapsed', 'refunded', 'claimed', 'lost'].includes(p.at);
  },
  action(_, state) {
    const p = state as Pick<Stopped, 'why' | 'cancelled'> & { readonly at: keyof typeof actions };
    if (p.at !== 'stopped') return givesBack(p) ? actions.returned : actions[p.at];
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

/** Of a swap that is lost. */
function givesBack(p: object): boolean {
  return 'givesBack' in p && p.givesBack === true;
}

/** The held payment is with the client again, or there never was one and never will be. */
function wentBack(event: Event): boolean {
  return event.is === 'hold.cancelled' || (event.is === 'hold.seen' && event.state.is === 'cancelled');
}
