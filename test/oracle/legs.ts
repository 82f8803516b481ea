// The former machines knew one queue for a whole swap: `true` dropped what both legs had asked for. Now each leg has a
// queue of its own, and a step names those of which it drops something. What differs by that is here, with its reason.
import { isDeepStrictEqual } from 'node:util';
import type { Queue } from '../../engine/legs/leg.ts';
import type { Effect, Event, Outcome, SwapOutcome } from '../../engine/swap/machine.ts';

export type LegStep<P> = Outcome<P>;

interface Given {
  readonly name: string;
  readonly from: { readonly at: string };
  readonly event: Event;
}

const standing = new Set(['funded', 'funding', 'locking', 'paying', 'locked', 'relaying', 'relayed', 'refunding']);
const revealed = new Set(['claiming', 'claimed', 'lost']);

/** What is claimed, and what is funded. */
function pairOf(name: string): readonly [claim: Queue, fund: Queue] {
  return name.split('-') as unknown as [Queue, Queue];
}

/**
 * Both legs of such a swap may be on the Bitcoin chain: a transaction of one was taken for one of the other, by whoever
 * heard of it first.
 */
export function isOfTheOtherLeg(name: string, p: { readonly at: string }, event: Event): boolean {
  if (!('leg' in event)) return false;
  if (name.startsWith('take-')) {
    const [fund, claim] = pairOf(name.slice('take-'.length));
    return event.leg !== (p.at === 'claiming' ? claim : fund);
  }
  if (name !== 'bitcoin-arkade') return false;
  const spends: readonly string[] = 'spends' in p && Array.isArray(p.spends) ? (p.spends as string[]) : [];
  if (event.leg === 'arkade') return p.at === 'claiming' && event.is === 'onchain.refused';
  return p.at !== 'claiming' || (event.is === 'onchain.final' && !spends.includes(event.txid));
}

/** The leg whose half answers. */
function speakerOf({ name, from, event }: Given): Queue {
  const [claim, fund] = pairOf(name);
  if ('leg' in event) return event.leg;
  if (/^(evm|claim\.requested|fund\.requested)/.test(event.is)) return 'evm';
  if (event.is.startsWith('htlc.')) return 'bitcoin';
  if (/^(vhtlc|claim\.relayed|refund\.cosign)/.test(event.is)) return 'arkade';
  if (/^(hold|payment)/.test(event.is)) return 'lightning';
  return standing.has(from.at) ? fund : claim;
}

function withoutLeg(effect: Effect): Effect {
  if (effect.do !== 'onchain.broadcast') return effect;
  const { leg: _, ...rest } = effect;
  return rest as Effect;
}

/** A step as it is, and the former one as it would be with a queue for each leg. */
export function ofItsLegs<P extends { readonly at: string }>(
  given: Given,
  is: SwapOutcome<P>,
  was: Outcome<P>,
): [SwapOutcome<P>, SwapOutcome<P>] {
  const now = is === 'stay' ? is : { ...is, effects: is.effects.map(withoutLeg) };
  if (was === 'stay') return [now, was];
  const { supersedes, interrupts, ...step } = was;
  if (given.name.startsWith('take-')) return [now, { ...step, ...clientsDrops(given, now, was) }];
  const [claim, fund] = pairOf(given.name);
  const speaker = speakerOf(given);
  const own: Step<P> = {
    ...step,
    ...(supersedes === undefined ? {} : { supersedes: [speaker] }),
    ...(interrupts === undefined ? {} : { interrupts: [speaker] }),
  };
  const to = is === 'stay' ? given.from : is.progress;
  if (given.name === 'evm-bitcoin' && revealed.has(given.from.at)) {
    // Its effects last in a queue of their own: none has to be asked for again behind those of the lock's claim.
    return [now, speaker === claim ? lockEnds(given, own) : coinEnds(given, own)];
  }
  if (endsBoth(given, to)) return [now, { ...step, supersedes: [claim, fund] }];
  // The claim waits for nothing else on its leg, and a payment that is settled is begun by nobody any more.
  if (!revealed.has(given.from.at) && to.at === 'claiming') {
    const isPaid = given.event.is === 'payment.seen' && standing.has(given.from.at);
    const ours: Drops = isPaid ? { supersedes: [fund] } : dropsOf(own);
    return [now, { ...step, ...ours, interrupts: [claim, ...(ours.interrupts ?? [])] }];
  }
  // A refund of the VHTLC that races is of the other leg, and kept what was asked for of the coin.
  if (given.name === 'bitcoin-arkade' && given.from.at === 'claiming' && to.at === 'claimed')
    return [now, { ...step, supersedes: [claim] }];
  return [now, own];
}

type Drops = Pick<AnyStep, 'supersedes' | 'interrupts'>;

/** Whose look it is. */
const legOf = { evm: 'evm', htlc: 'bitcoin', vhtlc: 'arkade', onchain: undefined, provider: undefined } as const;

/** A client's half drops what its own leg asked for; where a claim begins, and where both legs are lost, both do. */
function clientsDrops(
  { name, from, event }: Given,
  is: SwapOutcome<{ readonly at: string }>,
  was: LegStep<object>,
): Drops {
  if (is === 'stay' || was === 'stay') return {};
  const [fund, claim] = pairOf(name.slice('take-'.length));
  const { at } = is.progress;
  const begins = at === 'claiming' && from.at !== 'claiming';
  if (begins || (at === 'lost' && (is.supersedes?.length ?? 0) > 1)) return { supersedes: [claim, fund] };
  if (was.supersedes === undefined) return {};
  if (from.at === 'creating') return { supersedes: ['order'] };
  const [network] = event.is.split('.') as [keyof typeof legOf];
  const speaker = legOf[network];
  return { supersedes: [speaker === claim || (speaker === undefined && from.at === 'claiming') ? claim : fund] };
}

function dropsOf({ supersedes, interrupts }: AnyStep): Drops {
  return { ...(supersedes === undefined ? {} : { supersedes }), ...(interrupts === undefined ? {} : { interrupts }) };
}

/** Lost, or with each side again; and a held payment that went back before anything was given for it. */
function endsBoth({ name, from, event }: Given, to: { readonly at: string }): boolean {
  if (to.at === 'lost' && from.at === 'claiming') return true;
  if (to.at === 'refunded' && revealed.has(from.at)) return true;
  return name === 'lightning-arkade' && from.at === 'funded' && to.at === 'stopped' && event.is === 'hold.seen';
}

type Step<P> = Extract<SwapOutcome<P>, object>;
type AnyStep = Step<{ readonly at: string }>;

/** The client's lock, which we claim for a coin that it may claim: what is asked for on either leg stays there. */
function lockEnds<S extends AnyStep>({ from }: Given, { supersedes: _, interrupts: __, ...step }: S): S {
  const to = step.progress;
  const effects = step.effects.filter((effect) => effect.do === 'evm.send');
  if (from.at !== 'claiming') return { ...step, effects } as unknown as S;
  if (to.at === 'lost') {
    const { end = null } = from as Coin;
    const coin = end === null ? { interrupts: ['bitcoin'] } : { effects: [] };
    return { ...step, supersedes: ['evm'], ...coin } as unknown as S;
  }
  const isOther = !isDeepStrictEqual(keyOf(to), keyOf(from));
  return { ...step, effects, ...(to.at === 'claimed' || isOther ? { supersedes: ['evm'] } : {}) } as unknown as S;
}

function keyOf(p: object): unknown {
  return 'deposit' in p ? (p.deposit as { readonly key: Uint8Array }).key : null;
}

interface Coin {
  readonly end?: string | null;
  readonly buried?: boolean;
  readonly funding?: object | null;
}

/** Of the coin: what it cost to take it back is told whatever is over, and all of it ends once nothing can change. */
function coinEnds<S extends AnyStep>({ from }: Given, { supersedes: _, interrupts: __, ...step }: S): S {
  if (step.effects.length > 0) return { ...step, interrupts: ['bitcoin'] } as unknown as S;
  const { end: endBefore, buried: buriedBefore } = from as Coin;
  const { end = null, buried, funding } = step.progress as Coin;
  const isSettled = end === 'void' || (end !== null && (funding === null || buried === true));
  const isNew = end !== endBefore || buried !== buriedBefore;
  return { ...step, ...(isSettled && isNew ? { supersedes: ['bitcoin'] } : {}) } as unknown as S;
}
