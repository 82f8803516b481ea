import type { Effect } from '../swap/machine.ts';

/** Milliseconds: the first pause, twice as long each time. */
const firstMs = 250;
/** The longest pause of an effect that fails or waits. Short against the shortest margin, which is counted in hours. */
const longestFailureMs = 15_000;
/**
 * The longest pause of an effect that is asked for again and again: it ends each time, so that the swap's journal
 * grows.
 */
const longestRepeatMs = 60_000;
/** What was not asked for again for this long got somewhere: the next time counts as the first. */
const quietMs = 600_000;
/** A pause is up to this much shorter or longer, so that what fails together is not tried together. */
const jitter = 0.25;

interface Pace {
  readonly times: number;
  readonly at: number;
}

/**
 * How long effects rest (facts/faults.md 50). One that throws is tried again by the outbox; one that ends with an
 * answer from which the swap asks for the same again would go round at once, whatever the machine: so each time that a
 * swap asks for a kind of effect which it asked for before, it waits longer.
 */
export function createPacing(options: {
  nowMs: () => number;
  random: () => number;
  /** Milliseconds of the first pause of an effect that is asked for again, where it is not the usual one. */
  firstRepeatMs?: (effect: Effect) => number | undefined;
}) {
  const { nowMs, random, firstRepeatMs } = options;
  const subjects = new Map<string, Map<string, Pace>>();

  function spread(ms: number): number {
    return Math.round(ms * (1 - jitter + 2 * jitter * random()));
  }

  function growing(first: number, times: number, longest: number): number {
    return spread(Math.min(longest, first * 2 ** Math.min(times, 20)));
  }

  function remember(subject: string, kind: string, pace: Pace): void {
    const kinds = subjects.get(subject) ?? new Map<string, Pace>();
    kinds.set(kind, pace);
    subjects.set(subject, kinds);
  }

  return {
    spread,
    /** After a failure, `attempts` of which came before. */
    afterFailure: (attempts: number): number => growing(firstMs, attempts, longestFailureMs),
    longestFailureMs,
    longestMs: longestRepeatMs * (1 + jitter),
    /** A swap asks for an effect: how often it did before, and until when it has to wait; 0 when it has not to. */
    ask(subject: string, effect: Effect): { readonly timesAsked: number; readonly due: number } {
      const now = nowMs();
      const kind = kindOf(effect);
      const before = subjects.get(subject)?.get(kind);
      const timesAsked = before === undefined || now - before.at > quietMs ? 0 : before.times;
      remember(subject, kind, { times: timesAsked + 1, at: now });
      return {
        timesAsked,
        due: timesAsked === 0 ? 0 : now + growing(firstRepeatMs?.(effect) ?? firstMs, timesAsked - 1, longestRepeatMs),
      };
    },
    /** From before a restart: a process that dies and comes back does not begin to hurry. */
    recall({
      subject,
      effect,
      asked: timesAsked,
    }: {
      readonly subject: string;
      readonly effect: Effect;
      readonly asked: number;
    }): void {
      if (timesAsked > 0) remember(subject, kindOf(effect), { times: timesAsked + 1, at: nowMs() });
    },
    /** The swap is over. */
    forget(subject: string): void {
      subjects.delete(subject);
    },
  };
}

/** What counts as the same act, asked for again: a claim and a refund are not, though both are sent. */
function kindOf(effect: Effect): string {
  if (effect.do === 'evm.send') return `${effect.do} ${effect.act.is}`;
  if (effect.do === 'onchain.broadcast') return `${effect.do} ${effect.leg}`;
  return 'purpose' in effect ? `${effect.do} ${effect.purpose}` : effect.do;
}

export type Pacing = ReturnType<typeof createPacing>;
