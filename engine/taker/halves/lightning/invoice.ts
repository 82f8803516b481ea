import { z } from 'zod';
import type { SwapStatus } from '../../../domain/status.ts';
import { furthest, type Clocks } from '../../../domain/time.ts';
import type { StatesOf } from '../../../legs/shape.ts';
import { move, type Event, type Outcome, type Step } from '../../../swap/machine.ts';
import { bitcoinSide, going, notPaid, over, type Paid } from '../../facts.ts';
import { lightningLeg } from '../../shape.ts';
import { create, shut, shutUntil } from '../../steps.ts';
import type { LightningLeg, OrderTerms } from '../../terms.ts';
import type { Sats } from '../../../domain/money.ts';
import { frameOf, withWord, type Beside, type ClientFund, type Dealt, type FundView } from '../fund.ts';

/*
 * Somebody pays the provider's hold invoice, with a wallet that is not ours to see: that a payment is held is what the
 * provider says, and what its lock shows. As long as our secret stays here, the payment goes back by itself.
 */

export type LightningFundTerms = Pick<OrderTerms, 'provider'> & { readonly sourceAmount: Sats };
type T = LightningFundTerms;
type Base = Dealt<LightningLeg>;

const stages = {
  waiting: {},
  claimed: {},
  /** The provider took its own back although the secret had left us. */
  lost: {},
  /** Over without a claim: the secret never left, the payment goes back. */
  lapsed: { reason: z.enum(['provider-ended', 'never-locked', 'lock-unsafe']) },
} as const;
type Stages = StatesOf<typeof stages>;
export type LightningFunding = Stages[keyof Stages] & Base;
type P = LightningFunding;

/** In these the provider will not lock any more. */
const lockerIsOut: ReadonlySet<SwapStatus> = new Set([
  'expired',
  'serverwontfund',
  'clientrefunded',
  'clientfundedserverrefunded',
  'clientrefundedserverrefunded',
]);

/** In these nobody was seen to pay: nothing goes back. */
const saysUnpaid: ReadonlySet<SwapStatus> = new Set(['pending', 'expired']);

/** What a provider may say while nothing of it is locked; anything else is not repeated to people. */
const believable: ReadonlySet<SwapStatus> = new Set(['clientfundingseen', 'clientfunded', 'serverfunded']);

const begin = [create, { step: 'pay', reachedBy: ['claiming', 'claimed'] }] as const;
const back = [
  create,
  { step: 'pay', reachedBy: ['lapsed'] },
  { step: 'payment-returns', reachedBy: ['lapsed'] },
] as const;

function paid(p: { readonly at: string } & Base, unsafe: string | null): Paid {
  const byWord: Paid = { state: 'told', amount: null };
  switch (p.at) {
    case 'waiting':
    case 'lapsed':
      return unsafe === null && saysUnpaid.has(p.said) ? notPaid : byWord;
    case 'claiming':
      return byWord;
    default:
      return { state: 'taken', amount: p.deal.source.amount };
  }
}

const view: FundView<T, Base, P> = {
  give: (t, deal) => bitcoinSide('lightning', deal?.source.amount ?? t.sourceAmount),
  paid: (_, p, __, { unsafe }) => paid(p, unsafe),
  pay(_, p, until) {
    if (p.said !== 'pending' || p.cancelled === true) return null;
    const { amount, bolt11 } = p.deal.source;
    return { kind: 'invoice', text: bolt11, uri: `lightning:${bolt11}`, amount, until };
  },
  /** What is held over Lightning has no locktime of ours: it goes back by itself. */
  times: () => ({ refundAloneFrom: null, dangerFrom: null, last: null }),
  now: (_, { bitcoin }) => furthest(bitcoin).mtp,
  refund: (_, { at }) => ({ state: 'none', from: null, why: at === 'claimed' ? 'spent' : 'returns-by-itself' }),
  moves: (_, __, others) => others,
  reason(p, { unsafe }) {
    if (p.at === 'lapsed') return { reason: p.reason, detail: unsafe };
    return p.at === 'waiting' && unsafe !== null ? { reason: 'lock-unsafe', detail: unsafe } : null;
  },
  tracks: { begin, back },
  turn(p, { unsafe, window, claimUntil }, on) {
    if (p.at === 'lapsed') return paid(p, unsafe).state === 'none' ? over('unpaid', shut) : over('returned', back);
    if (p.at !== 'waiting') return null;
    const isUnwanted = p.cancelled === true && p.said === 'pending';
    if (unsafe === null && (isUnwanted || p.said === 'expired')) return shutUntil(window.pay);
    if (unsafe !== null || lockerIsOut.has(p.said))
      return going('wait', { who: 'nobody', step: 'payment-returns', until: window.over }, back);
    return p.said === 'pending'
      ? going('pay', { who: 'payer', step: 'pay', until: window.pay }, on)
      : going('wait', { who: 'provider', step: 'lock', until: claimUntil ?? window.over }, on);
  },
};

/**
 * A wallet pays the provider's hold invoice.
 *
 * Loses money when wrong: a swap that is called over while our secret may still leave us.
 */
export const fundOverLightning: ClientFund<T, Base, P> = {
  leg: 'lightning',
  ours: 'the payment',
  whenSpoiled: 'if the invoice was settled, the provider owes you the payment.',
  fields: { source: lightningLeg, base: {}, stages },
  begin: (deal) => ({ at: 'waiting', deal, said: 'pending' }),
  step,
  resume: () => [],
  meanwhile: () => null,
  base: frameOf,
  unclaimed: (p) => ({ at: 'waiting', ...frameOf(p) }),
  bought: (p) => ({ at: 'claimed', ...frameOf(p) }),
  spoiled: (p) => ({ at: 'lost', ...frameOf(p) }),
  awaits: ({ at }) => at === 'waiting',
  // Our claim shows the secret that settles it.
  isTaken: ({ at }) => at === 'claimed',
  isBack: () => false,
  aloneFrom: ({ deal }) => deal.source.expiresAt,
  watches: (t, { at, deal }) =>
    at === 'waiting' || at === 'claiming' ? [{ on: 'provider', provider: t.provider, swapId: deal.swapId }] : [],
  deadline: (p, window) => (p.at === 'waiting' ? window.over : null),
  open: ({ at }) => at === 'waiting',
  words: {
    waiting: new Set([...believable, ...lockerIsOut]),
    funded: () => believable,
    lapsed: lockerIsOut,
  },
  seenAs: () => 'pending',
  rescue: () => null,
  view,
};

function step(_: T, p: P, event: Event, now: Clocks, beside: Beside): Outcome<P> {
  if (p.at !== 'waiting') return 'stay';
  switch (event.is) {
    case 'provider.seen':
      return lockerIsOut.has(event.status) && now.wall >= p.deal.source.expiresAt
        ? ended({ ...p, said: event.status }, 'provider-ended')
        : withWord<P>(p, event.status);
    case 'cancel.requested':
      return p.said === 'pending' && beside.unsafe === null && p.cancelled !== true
        ? move<P>({ ...p, cancelled: true })
        : 'stay';
    case 'clock':
      // Nothing can be claimed safely any more: what is locked goes back to the provider, the payment to the payer.
      return beside.isOver(now) ? ended(p, beside.unsafe === null ? 'never-locked' : 'lock-unsafe') : 'stay';
    default:
      return 'stay';
  }
}

function ended(p: Base, reason: Stages['lapsed']['reason']): Step<P> {
  return move<P>({ at: 'lapsed', reason, ...frameOf(p) });
}
