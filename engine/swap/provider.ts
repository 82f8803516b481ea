import { z } from 'zod';
import type { Hash160 } from '../domain/hash.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { Clocks, Unix } from '../domain/time.ts';
import type { OnlyIf } from '../legs/only-if.ts';
import type { RescueLeg, RescueSwap } from '../legs/rescue.ts';
import type { Safety } from '../legs/safety/verdict.ts';
import { shapeOf, type Shape } from '../legs/shape.ts';
import {
  isFact,
  stepTo,
  type Along,
  type ClaimEnd,
  type ClaimHalf,
  type ClaimStates,
  type DoubtFact,
  type FundFact,
  type FundHalf,
  type FundStates,
  type NeitherFact,
  type Surety,
  type News,
  type Answer,
} from './halves/half.ts';
import type { Event, Machine, NotedAct, Outcome, Step, Watch } from './machine.ts';
import { hidden, shown, unpaid } from './rescue.ts';
import { stoppedStatuses } from './source.ts';

/*
 * The story of every swap that we provide: the client's lock is sure, so we fund; ours is claimed, so its secret claims the client's; ours came
 * back, or nothing was given, so the client has its own again. What a network asks for on the way, its half knows.
 *
 * Loses money when wrong: something given for a lock that is not sure; a secret learned, and the lock not claimed; a refund of the client's
 * signed while ours may be with it.
 */

/** What a swap is in, stage by stage: the states of both halves that are legal together, and no others. */
export type ProviderProgress<C extends ClaimStates, F extends FundStates> =
  | C['waiting']
  | (F['standing'] & C['sure'])
  | ({ readonly at: 'claiming' } & C['claiming'] & F['revealed'])
  | ({ readonly at: 'claimed' } & C['claimed'] & F['revealed'])
  /** The client has ours, and took back what it had locked. */
  | ({ readonly at: 'lost' } & C['lost'] & F['revealed'])
  /** Ours is ours again for good. */
  | ({ readonly at: 'returned' } & C['left'] & F['returned'])
  | (C['stopped'] & Doubted<C, F>)
  | C['lapsed']
  | (C['refunded'] & Doubted<C, F> & { readonly returned?: F['returned'] });

/** What was called off and may stand all the same, with what it was given for. */
interface Doubted<C extends ClaimStates, F extends FundStates> {
  readonly doubt?: F['doubt'] & C['seed'];
}

/** Something of ours was called off, and may stand, or be paid, all the same. */
export function isDoubted(p: { readonly at: string; readonly doubt?: object }): boolean {
  return p.doubt !== undefined;
}

/** A direction as its provider: two halves, and what compares them. */
export interface Provider<T, C extends ClaimStates, F extends FundStates> {
  readonly name: string;
  readonly terms: Shape<T>;
  readonly claim: ClaimHalf<T, C>;
  readonly fund: FundHalf<T, F>;
  /** Whether something may be given now for a lock that shows like this. */
  judge(t: T, sight: C['sight'], now: Clocks): Safety;
  /** What must still hold when our part is given. */
  onlyIf(t: T, sure: C['sure']): OnlyIf;
  readonly notes: readonly NotedAct[];
  hash160(t: T): Hash160;
  readonly unfunded: { locktime(t: T): Unix; script(t: T): Uint8Array | null };
}

/** What clients are told; why a swap was stopped is told by `stoppedStatuses`. */
const statuses: Readonly<Record<string, SwapStatus>> = {
  opening: 'pending',
  unopened: 'expired',
  pending: 'pending',
  seen: 'clientfundingseen',
  funded: 'clientfunded',
  funding: 'clientfunded',
  locking: 'clientfunded',
  paying: 'serverfunded',
  locked: 'serverfunded',
  relaying: 'clientredeeming',
  relayed: 'clientredeeming',
  refunding: 'serverfunded',
  claiming: 'clientredeemed',
  claimed: 'serverredeemed',
  lost: 'clientredeemedandclientrefunded',
  returned: 'clientfundedserverrefunded',
  lapsed: 'expired',
};

export function providerOf<T, C extends ClaimStates, F extends FundStates>(
  of: Provider<T, C, F>,
): Machine<T, ProviderProgress<C, F>> {
  type P = ProviderProgress<C, F>;
  type Standing = F['standing'] & C['sure'];
  type Revealed = { readonly at: 'claiming' | 'claimed' | 'lost' } & F['revealed'];
  type GivenBack = (C['stopped'] | C['refunded']) & Doubted<C, F>;
  const { claim, fund } = of;

  function whenWaiting(t: T, p: C['waiting'], event: Event, now: Clocks): Outcome<P> {
    const answer = claim.waiting(t, p, event, now);
    if (!isFact(answer)) return answer as Outcome<P>;
    const { sure, sight, waits } = answer;
    const unsafe = of.judge(t, sight, now);
    if (unsafe === null) return begun(t, sure);
    if (unsafe.unsafe === 'never') return givenBack(t, sure, { why: 'late', reason: unsafe.sentence });
    return waits === null ? 'stay' : stepTo(waits as P);
  }

  /** Our part is asked for. */
  function begun(t: T, sure: C['sure']): Step<P> {
    return stepTo({ at: 'funded', ...claim.kept(sure) } as unknown as P, {}, fund.begin(t, of.onlyIf(t, sure)));
  }

  /** Ours decides, whatever becomes of the client's lock. */
  function whenStanding(t: T, p: Standing, event: Event, now: Clocks): Outcome<P> {
    if (claim.isLook(event)) return claim.backing(t, p, event) as Outcome<P>;
    const sight = claim.sight(t, p);
    const answer = fund.standing(t, p, event, now, {
      ...claim.surely(t, p),
      judge: (at) => (sight === null ? null : of.judge(t, sight, at)),
      onlyIf: of.onlyIf(t, p),
    });
    if (answer === null) return 'stay';
    return isFact(answer) ? whenAnswered(t, p, answer) : (answer as Outcome<P>);
  }

  /** What our part comes to, given for `sure`. */
  function whenAnswered(t: T, sure: C['sure'], answer: Exclude<News<DoubtFact<F>>, { fact: 'settled' }>): Outcome<P> {
    const { along } = answer;
    switch (answer.fact) {
      case 'next':
        return stepTo({ ...answer.next, ...claim.kept(sure) } as P, along);
      case 'again':
        return begun(t, sure);
      case 'declined':
        return givenBack(t, sure, answer);
      case 'revealed':
        return claiming(t, sure, answer.revealed, along);
      case 'returned': {
        const { at: _, why: __, ...left } = claim.givenBack(t, sure, 'wont', answer.reason);
        return stepTo({ at: 'returned', ...left, ...answer.returned } as unknown as P, along, ...claim.release(t));
      }
    }
  }

  /** Nothing of ours will be with the client, but for what is in doubt. */
  function givenBack(
    t: T,
    sure: C['sure'],
    {
      why,
      reason,
      doubt = null,
      along,
    }: Partial<News<FundFact<F> & { fact: 'declined' }>> & Pick<C['stopped'], 'why' | 'reason'>,
  ): Step<P> {
    const inDoubt = doubt === null ? {} : { doubt: { ...doubt, ...claim.seed(sure) } };
    return stepTo({ ...claim.givenBack(t, sure, why, reason), ...inDoubt } as P, along, ...claim.release(t));
  }

  /** The secret is ours: the client's lock is claimed, and nothing but its end stops that. */
  function claiming(t: T, sure: C['sure'], revealed: F['revealed'], along?: Along): Step<P> {
    const progress = { at: 'claiming', ...claim.begin(sure), ...revealed } as unknown as P;
    return stepTo(progress, along, claim.take(t, sure));
  }

  /** The client's lock is claimed, or was: what its end does not decide, ours may. */
  function whenRevealed(t: T, p: Revealed, event: Event, now: Clocks): Outcome<P> {
    const theirs = p as unknown as C['claiming'] & C['claimed'];
    const answer =
      p.at === 'claiming'
        ? claim.claiming(t, theirs, event, now, fund.isPaidBack(p))
        : claim.over(t, theirs, event, now);
    if (answer === null) return whenOursEnds(t, p, event, now);
    return isFact(answer) ? whenClaimEnds(t, p, answer) : lasting(t, answer as Outcome<P>);
  }

  function whenClaimEnds(t: T, p: Revealed, answer: News<ClaimEnd<C>>): Outcome<P> {
    const revealed = fund.kept(p);
    if (answer.fact === 'claimed') {
      const { supersedes, ...along } = answer.along ?? {};
      const progress = { at: 'claimed', ...answer.claimed, ...fund.onceClaimed(revealed) } as unknown as P;
      return lasting(
        t,
        stepTo(progress, { ...along, ...(supersedes === undefined || fund.isBusy(p) ? {} : { supersedes }) }),
      );
    }
    const ours = fund.lost(t, p, `The client took ${claim.name} back`, surelyOf(t, p));
    if (ours.fact === 'neither') return whenNeither(p, ours);
    const lost = { at: 'lost', ...answer.lost, ...ours.revealed } as unknown as P;
    return lasting(t, stepTo(lost, { supersedes: true, ...ours.along }));
  }

  /** What lasts until our part's end is buried makes way for what is asked for now, and goes on behind it. */
  function lasting(t: T, outcome: Outcome<P>): Outcome<P> {
    if (outcome === 'stay' || (outcome.supersedes !== true && outcome.effects.length === 0)) return outcome;
    const effects = fund.lasting(t, outcome.progress as unknown as Revealed);
    if (effects === null) return outcome;
    const { supersedes: _, ...step } = outcome;
    return { ...step, interrupts: true, effects: [...outcome.effects, ...effects] };
  }

  function whenOursEnds(t: T, p: Revealed, event: Event, now: Clocks): Outcome<P> {
    const answer = fund.revealed(t, p, event, now, surelyOf(t, p));
    if (answer === null) return 'stay';
    return isFact(answer) ? whenNeither(p, answer) : (answer as Outcome<P>);
  }

  /** Each has its own again. */
  function whenNeither(p: Revealed, { returned, along }: News<NeitherFact<F>>): Step<P> {
    return stepTo({ ...claim.back(p as unknown as C['claiming']), returned } as unknown as P, along);
  }

  function surelyOf(t: T, p: Revealed): Surety {
    return claim.surely(t, p as unknown as C['sure']);
  }

  /** Nothing is given for the lock: it is watched, and given back, unless what was called off comes all the same. */
  function whenGivenBack(t: T, p: GivenBack, event: Event, now: Clocks): Outcome<P> {
    const { doubt } = p;
    const answer = p.at === 'refunded' && doubt === undefined ? null : fund.doubted(t, doubt ?? null, event, now);
    if (answer !== null) return answer === 'stay' ? 'stay' : whenDecided(t, p, answer);
    if (p.at === 'refunded') return whenRefunded(t, p, event, now);
    const stopped = p as C['stopped'] & Doubted<C, F>;
    if (doubt === undefined) return claim.stopped(t, stopped, event, now) as Outcome<P>;
    if (claim.isRefund(event) && fund.forbidsRefund(doubt) && !claim.isFenced(stopped)) return 'stay';
    const outcome = claim.stopped(t, stopped, event, now);
    if (outcome === 'stay' || outcome.progress.at === 'lapsed') return 'stay';
    const keeps = outcome.progress.at === 'stopped' || fund.isPayment;
    return keeps ? { ...outcome, progress: { ...outcome.progress, doubt } as unknown as P } : (outcome as Outcome<P>);
  }

  function whenRefunded(t: T, p: GivenBack, event: Event, now: Clocks): Outcome<P> {
    const { returned } = p as { readonly returned?: F['returned'] };
    const answer = returned === undefined ? null : fund.afterReturn(returned, event);
    // What came back is as it was: only what it cost is new.
    return answer === null
      ? (claim.refunded(t, p as C['refunded'], event, now) as Outcome<P>)
      : { ...answer, progress: p as P };
  }

  /** What was called off is known now. */
  function whenDecided(t: T, p: GivenBack, answer: Exclude<Answer<F['doubt'], DoubtFact<F>>, 'stay'>): Outcome<P> {
    if (!isFact(answer)) {
      const { progress, ...step } = answer;
      return { ...step, progress: { ...p, doubt: { ...p.doubt, ...progress } } as unknown as P };
    }
    const { doubt, ...settled } = p;
    if (answer.fact === 'settled') return stepTo(settled as unknown as P, answer.along);
    const sure = fund.isPayment || doubt === undefined ? claim.remaining(t, p) : claim.resumed(p, doubt);
    if (sure !== null) return whenAnswered(t, sure, answer);
    const { ledger = [], flag = '', ...along } = answer.along ?? {};
    return stepTo(settled as unknown as P, {
      ...along,
      flag: `${flag} What its client had locked is refunded, or may be.`,
      ...(doubt === undefined ? {} : { ledger: [...ledger, fund.loss(t)] }),
    });
  }

  /** The client has its lock again, or may: nothing of ours is out. */
  function whenReturned(t: T, p: P & { readonly at: 'returned' }, event: Event, now: Clocks): Outcome<P> {
    const answer = fund.afterReturn(p as unknown as F['returned'], event);
    if (answer !== null) return answer as unknown as Outcome<P>;
    const returned = fund.came(p as unknown as F['returned']);
    const stopped = { ...p, at: 'stopped', why: 'wont' } as unknown as C['stopped'];
    const outcome = claim.stopped(t, stopped, event, now);
    if (outcome === 'stay') return 'stay';
    const { progress, ...step } = outcome;
    switch (progress.at) {
      case 'refunded':
        return { ...step, progress: { ...progress, returned } as unknown as P };
      case 'lapsed':
        return outcome as Outcome<P>;
      case 'stopped': {
        if (claim.isBack(progress as C['stopped']))
          return { ...step, progress: { ...claim.back(progress as unknown as C['lost']), returned } as unknown as P };
        const { why: _, ...left } = progress as C['stopped'];
        return { ...step, progress: { ...left, at: 'returned', ...returned } as unknown as P };
      }
    }
  }

  function step(t: T, p: P, event: Event, now: Clocks): Outcome<P> {
    switch (p.at) {
      case 'claiming':
      case 'claimed':
      case 'lost':
        return whenRevealed(t, p as unknown as Revealed, event, now);
      case 'returned':
        return whenReturned(t, p as P & { readonly at: 'returned' }, event, now);
      case 'stopped':
      case 'refunded':
        return whenGivenBack(t, p as unknown as GivenBack, event, now);
      case 'lapsed':
        return claim.lapsed(p as C['lapsed'], event) as Outcome<P>;
      default:
        return isStanding(p) ? whenStanding(t, p, event, now) : whenWaiting(t, p as C['waiting'], event, now);
    }
  }

  function isStanding(p: P): p is Standing & P {
    return Object.hasOwn(fund.fields.standing, p.at);
  }

  function isWaiting(p: P): boolean {
    return Object.hasOwn(claim.fields.waiting, p.at);
  }

  function isRevealed(p: P): boolean {
    return p.at === 'claiming' || p.at === 'claimed' || p.at === 'lost';
  }

  function doubtOf(p: P): (F['doubt'] & C['seed']) | null {
    return p.at === 'stopped' || p.at === 'refunded' ? ((p as unknown as GivenBack).doubt ?? null) : null;
  }

  function watches(t: T, p: P): Watch[] {
    const ours = isStanding(p) || isRevealed(p) || doubtOf(p) !== null ? fund.watches(t, p) : [];
    return [...claim.watches(t, p), ...ours];
  }

  function status(p: P): SwapStatus {
    if (p.at === 'stopped')
      return claim.isUnsure(p as C['stopped']) ? 'pending' : stoppedStatuses[(p as C['stopped']).why];
    if (p.at === 'claiming' && claim.stands(p as unknown as C['claiming'])) return 'serverredeemed';
    if (p.at !== 'refunded') return statuses[p.at] as SwapStatus;
    return 'returned' in p && p.returned !== undefined ? 'clientrefundedserverrefunded' : 'clientrefunded';
  }

  function nextAction(t: T, p: P): string {
    if (isStanding(p)) return fund.action(p);
    const doubt = doubtOf(p);
    const ours = isRevealed(p)
      ? fund.afterwards(p as unknown as Revealed)
      : p.at === 'refunded' && doubt !== null
        ? 'nothing, unless a payment arrives that was called off'
        : null;
    return ours ?? claim.action(t, p);
  }

  function rescue(t: T, p: P): RescueSwap | null {
    const both = (as: typeof hidden, theirs: RescueLeg | null, ours: RescueLeg | null): RescueSwap | null =>
      theirs === null || ours === null ? null : as(theirs, ours);
    if (isStanding(p)) return both(hidden, claim.rescue(t, p), fund.rescue(t, p));
    switch (p.at) {
      case 'claiming':
      case 'claimed': {
        const revealed = p as unknown as F['revealed'];
        const legs = both(shown, claim.rescue(t, p as unknown as C['sure']), fund.rescue(t, revealed));
        const resend = fund.resend(revealed);
        return legs === null || resend === null ? legs : { ...legs, resend };
      }
      // The client has its own again, or may: ours is ours unless a claim of it is a fact.
      case 'lost':
      case 'returned': {
        const ours = fund.rescueBack(t, p as unknown as F['revealed'] | F['returned']);
        return ours === null ? null : unpaid(ours);
      }
      case 'stopped': {
        // What was called off may come all the same; a refund that we signed closes the claim for good.
        const stopped = p as unknown as C['stopped'] & Doubted<C, F>;
        const { doubt } = stopped;
        if (doubt === undefined || claim.isFenced(stopped)) return null;
        const theirs = fund.isPayment
          ? claim.rescueRemaining(t, stopped)
          : claim.rescue(t, claim.resumed(stopped, doubt));
        return both(hidden, theirs, fund.rescue(t, doubt));
      }
      default:
        return null;
    }
  }

  return {
    name: of.name,
    shape: { terms: of.terms, progress: shapeOf(schemaOf(of)) },
    notes: of.notes,
    step,
    watches,
    deadline: (t, p) => (isStanding(p) ? fund.deadline(t, p, claim.surely(t, p)) : null) ?? claim.deadline(t, p),
    status,
    open: (_, p) =>
      claim.open(p) ||
      (fund.isPayment && doubtOf(p) !== null) ||
      ((p.at === 'claimed' || p.at === 'lost') && fund.open(p as unknown as F['revealed'])),
    reserves: (p) => (isStanding(p) ? fund.reserves(p) : isWaiting(p) && p.at !== 'unopened'),
    untold: (p) => p.at === 'unopened',
    hash160: of.hash160,
    unfunded: { ends: ['lapsed', 'unopened'] as P['at'][], ...of.unfunded },
    rescue,
    nextAction,
  };
}

/** As it is kept: a stage has the fields of both halves that are legal in it. */
function schemaOf<T, C extends ClaimStates, F extends FundStates>({
  claim: { fields: theirs },
  fund: { fields: ours },
}: Pick<Provider<T, C, F>, 'claim' | 'fund'>): z.ZodType<ProviderProgress<C, F>> {
  const stage = (at: string, ...parts: readonly z.ZodRawShape[]) =>
    z.strictObject(Object.assign({ at: z.literal(at) }, ...parts) as { at: z.ZodLiteral<string> });
  const { why: _, ...left } = theirs.stopped;
  const doubt = { doubt: z.strictObject({ ...ours.doubt, ...theirs.seed }).exactOptional() };
  const standing = Object.entries<z.ZodRawShape>(ours.standing);
  const waiting = Object.entries<z.ZodRawShape>(theirs.waiting);
  return z.discriminatedUnion('at', [
    stage('claiming', theirs.claiming, ours.revealed),
    stage('claimed', theirs.claimed, ours.revealed),
    stage('lost', theirs.lost, ours.revealed),
    stage('returned', left, ours.returned),
    stage('stopped', theirs.stopped, doubt),
    stage('lapsed', theirs.lapsed),
    stage('refunded', theirs.refunded, doubt, { returned: z.strictObject(ours.returned).exactOptional() }),
    ...waiting.map(([at, fields]) => stage(at, fields)),
    ...standing.map(([at, fields]) => stage(at, theirs.sure, fields)),
  ]) as unknown as z.ZodType<ProviderProgress<C, F>>;
}
