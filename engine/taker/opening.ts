import type { TakerDirection } from '../domain/chain.ts';
import { isRefusal, type Refusal } from '../domain/errors.ts';
import type { RefusalReason } from '../domain/taker.ts';
import type { Clocks, Unix } from '../domain/time.ts';
import type { ProviderOrder } from '../legs/provider/effects.ts';
import { move, type Effect, type Event, type SwapOutcome } from '../swap/machine.ts';
import { noTimes, notPaid, type Facts, type Sides } from './facts.ts';
import type { OrderTerms } from './terms.ts';

/*
 * How every direction begins: a provider is asked once, and its record is either derived again to the last part, or
 * refused.
 */

interface Creating {
  readonly at: 'creating';
  readonly copied?: true;
}

interface Refused {
  readonly at: 'refused';
  readonly reason: RefusalReason;
  readonly detail: string | null;
}

export type Opening = Creating | Refused;

/** What the provider is asked for, in the form of the wire. */
export function createAt(t: OrderTerms, direction: TakerDirection, body: ProviderOrder['body']): Effect[] {
  return [
    { do: 'provider.create', provider: t.provider, order: { direction, body, hash: t.hash, keyIndex: t.keyIndex } },
  ];
}

/**
 * `verify` says what is wrong with the record, or what was agreed; `begin`, the state in which the owner is shown where
 * to pay.
 */
export function whenCreating<D extends object, P>(
  t: OrderTerms,
  event: Event,
  now: Clocks,
  { verify, begin }: { verify(record: unknown): D | Refusal; begin(deal: D): P },
): SwapOutcome<P | Refused> {
  switch (event.is) {
    case 'provider.created': {
      const deal = verify(event.record);
      return move<P | Refused>(isRefusal(deal) ? refused('record-wrong', deal.sentence) : begin(deal));
    }
    case 'provider.refused':
      return move<P | Refused>(refused('provider-refused', event.reason));
    case 'clock':
      return now.wall < t.createBefore
        ? 'stay'
        : { progress: refused('provider-silent', null), effects: [], supersedes: ['order'] };
    default:
      return 'stay';
  }
}

function refused(reason: RefusalReason, detail: string | null): Refused {
  return { at: 'refused', reason, detail };
}

/** The facts while nothing is agreed; `now` is the time of the chain that will judge the swap. */
export function openingFacts(p: Opening, sides: Sides, now: Unix | null): Facts {
  return {
    ...sides,
    paid: notPaid,
    pay: null,
    times: { ...noTimes, now },
    refund: { state: 'none', from: null, why: 'nothing-paid' },
    transactions: [],
    reason: p.at === 'refused' ? p.reason : null,
    detail: p.at === 'refused' ? p.detail : null,
  };
}
