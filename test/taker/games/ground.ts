import type { Sats } from '../../../engine/domain/money.ts';
import { unix, type Clocks } from '../../../engine/domain/time.ts';
import type { OnlyIf } from '../../../engine/legs/only-if.ts';
import type { Safety } from '../../../engine/legs/safety/verdict.ts';
import type { TimeoutPolicy } from '../../../engine/legs/timeout-policy.ts';
import { tooLate } from '../../../engine/runtime/networks/late.ts';
import type { Effect, Event } from '../../../engine/swap/machine.ts';
import type { Deal, Leg, OrderTerms } from '../../../engine/taker/terms.ts';
import { start, startHeight } from '../../swap/cases.ts';
import type { diceOf } from '../../swap/dice.ts';
import { evmClocksAt } from '../../swap/evm-lightning-cases.ts';

/*
 * What both sides of a game stand on: one wall, a Bitcoin chain whose blocks come faster or slower than every ten
 * minutes, an EVM chain, and the secret. A side is one network with what its people do there: it answers late, twice,
 * with lies, or not at all.
 */

/** How well something goes: 0 is refused, 1 is a promise that is not held, from 2 on it is done. */
export type Luck = number;

interface Side {
  /** What anybody may do there, at any time. */
  readonly acts: readonly (() => void)[];
  /** Tells the swap what the network shows. */
  look(): void;
  /** Carries out what is owed; false where it is not of this side. */
  run(effect: Effect, luck: Luck): boolean;
  /** Blocks came, or time went on. */
  passed?(): void;
  /** The game is over, and what follows is fair. */
  calm?(): void;
}

/** What the client gives. */
export interface Given extends Side {
  /** Hears what a step asks for. */
  owes?(effect: Effect): void;
  /** The provider takes it, as soon as it has the secret. */
  take(): void;
  /** A refund was signed that may still be used: no secret is shown beside it. */
  isComingBack(): boolean;
  /** Fails where the swap is over too early. */
  over?(at: string): void;
  /**
   * Where it is in the end; `there`: nobody took it; `ours`: it came back without its provider; `nowhere`: nothing was
   * given, or its provider signed it back.
   */
  end(): 'nowhere' | 'there' | 'theirs' | 'ours';
}

/** What the provider gives for it. */
export interface Got extends Side {
  /** The last look before the secret leaves. */
  judge(onlyIf: OnlyIf, now: Clocks): Safety;
  /** The provider takes its own back, where it can. */
  takeBack(): void;
  /** It did. */
  isBack(): boolean;
  isOurs(): boolean;
}

type Shown = 'shown' | 'late' | 'wait';

export interface Secret {
  isOut(): boolean;
  /** A payee gives it for its payment, and not for ours. */
  learned(): void;
  /** It leaves with an act of ours. Fails where the act may not show it. */
  show(onlyIf: OnlyIf | undefined): Shown;
}

export type Ground = ReturnType<typeof groundOf>;

export function groundOf(of: {
  readonly dice: ReturnType<typeof diceOf>;
  readonly terms: OrderTerms;
  readonly deal: Deal;
  /** Whether the swap moved by it. */
  hear(event: Event, done?: Effect): boolean;
  stage(): string;
  sides(): { readonly given: Given; readonly got: Got };
  fail(sentence: string): never;
}) {
  const { dice, terms, deal, hear, stage, sides, fail } = of;
  const pace = [450, 600, 800][dice.roll(3)] ?? 600;
  let wall: number = start + 60;
  let isOut = false;

  const height = (): number => startHeight + Math.floor((wall - start) / pace);
  const mtp = (): number => wall - 1_800;

  function now(): Clocks {
    const clocks = evmClocksAt(wall);
    return { ...clocks, bitcoin: { mtp: unix(mtp()), height: height() } };
  }

  const secret: Secret = {
    isOut: () => isOut,
    learned: () => void (isOut = true),
    show(onlyIf) {
      if (isOut) return 'shown';
      if (onlyIf === undefined) return fail('the secret leaves without a last look');
      const { given, got } = sides();
      if (tooLate(onlyIf, now()) !== null) return 'late';
      const safety = got.judge(onlyIf, now());
      if (safety !== null) return safety.unsafe === 'wait' ? 'wait' : 'late';
      if (given.isComingBack()) return fail('the secret is shown beside a refund of ours');
      if (given.end() === 'ours') return fail('the secret is shown for what we have again');
      isOut = true;
      return 'shown';
    },
  };

  return {
    ...dice,
    deal,
    terms,
    /** By which the client judges. */
    policy: terms.policy satisfies TimeoutPolicy,
    hear: (event: Event, done?: Effect): void => void hear(event, done),
    moves: (event: Event): boolean => hear(event),
    stage,
    fail,
    secret,
    /** Our own secret is out, for something that the provider may still have to give. */
    isExposed: (): boolean => isOut && deal.target.on !== 'lightning' && !sides().got.isBack(),
    /** What was given for it is ours. */
    isBought: (): boolean => sides().got.isOurs(),
    now,
    height,
    mtp,
    wall: (): number => wall,
    /** Of the newest block. */
    evmTime: (): number => wall - 2,
    legOn: <L extends Leg>(side: 'source' | 'target') => deal[side] as L,
    pass(seconds: number): void {
      wall += seconds;
      sides().given.passed?.();
      sides().got.passed?.();
    },
  };
}

/** Less than was agreed, sometimes. */
export function about(ground: Pick<Ground, 'roll'>, amount: Sats): Sats {
  return (ground.roll(4) === 0 ? amount - 1n : amount) as Sats;
}
