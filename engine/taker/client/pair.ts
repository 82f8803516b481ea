import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import type { ProviderOrder } from '../../legs/provider/effects.ts';
import type { Shape } from '../../legs/shape.ts';
import type { TakerDirection } from '../../domain/chain.ts';
import type { Refusal } from '../../domain/errors.ts';
import type { Clocks } from '../../domain/time.ts';
import type { TakenDirection } from '../direction.ts';
import type { EvmLeg } from '../evm/terms.ts';
import type { Claim, ClientClaim } from '../halves/claim.ts';
import type { Beside, ClientFund, Dealt, FundStage } from '../halves/fund.ts';
import type { Opening } from '../opening.ts';
import type { Deal, Leg, OrderTerms } from '../terms.ts';
import { windowOf } from '../window.ts';

/** A direction as its client: its halves, what it asks a provider for, and how the answer is derived again. */
export interface Client<T extends OrderTerms, S extends Leg, G extends Leg> extends Pick<
  TakenDirection<T>,
  'order' | 'restorable' | 'neverRefunded'
> {
  readonly direction: TakerDirection;
  readonly terms: Shape<T>;
  readonly fund: ClientFund<T, Dealt<S>, Dealt<S> & { readonly at: FundStage }>;
  readonly claim: ClientClaim<T, G, object, object>;
  /** The order in the form of the wire. */
  request(t: T): ProviderOrder['body'];
  /** What is wrong with the provider's record, or what was agreed. */
  verify(record: unknown, t: T, now: Clocks, decode: DecodeInvoice): Deal<S, G> | Refusal;
}

/** Any direction, by what all halves have. */
export type Pair = Client<OrderTerms, Leg, Leg>;

/** What is known of the provider's lock, or of its claim. */
type Target = object;

/** A stage with a deal. */
export type Agreed = Dealt & { readonly at: FundStage; readonly target: Target };
export type ClaimingState = Dealt & { readonly at: 'claiming'; readonly target: Target };
export type State = Opening | Agreed | ClaimingState;

export function isAgreed(p: State): p is Agreed | ClaimingState {
  return p.at !== 'creating' && p.at !== 'refused';
}

/** What the half that funds is told of the rest. */
export function besideOf(pair: Pair, t: OrderTerms, p: Agreed | ClaimingState): Beside {
  const { claim, fund } = pair;
  const deal: Deal<Leg, Leg> = p.deal;
  const fate = p.at === 'claiming' ? null : claim.fate(p.target, fund.isTaken(p));
  return {
    fate,
    secret: secretOf(pair),
    window: windowOf(t, deal),
    isOffered: claim.isOffered(p.target),
    unsafe: claim.unsafe(p.target),
    isHopeless: fate === 'lost' || claim.isHopeless?.(p.target) === true,
    claimUntil: claim.view.times(t, deal)?.until ?? null,
    isOver: (now) => claim.isOver(t, deal, now),
  };
}

/** All that the half that claims is told. */
export function claimOf({ fund }: Pair, t: OrderTerms, p: Agreed | ClaimingState, now: Clocks): Claim<OrderTerms, Leg> {
  const { deal } = p;
  const { source } = deal;
  const clock = source.on === 'evm' ? (source as EvmLeg).network : 'bitcoin';
  return {
    ...{ t, deal },
    isOut: fund.isTaken(p),
    isBack: fund.isBack(p, now),
    limit: source.on === 'lightning' ? {} : { ownRefund: { clock, from: fund.aloneFrom(p) } },
  };
}

/** Where the provider pays an invoice, the secret is its payee's. */
export function secretOf({ claim }: Pick<Pair, 'claim'>): Beside['secret'] {
  return claim.look === null ? 'payee' : 'ours';
}
