import { type Clocks, type Seconds, spanInWords, type Unix, unix } from '../domain/time.ts';

/*
 * How far a chain's clock may be from the machine's before nothing new is begun over that chain (DECISIONS.md, "One
 * clock for both legs"; facts/faults.md 45, 60). Both are compared by everybody who has to know, and by nobody who has
 * to act: an act is judged by the chain's clock alone.
 */

/** `strict`: beyond it the chain's pairs are withdrawn; otherwise it is only told, as where blocks come on request. */
interface Limit {
  readonly seconds: Seconds;
  readonly strict: boolean;
}

export interface ClockLimits {
  /** Median time past behind the machine's clock: the same span that the margins of the timeouts hold. */
  readonly lag: Limit;
  /** The tip's own time behind the machine's clock. */
  readonly tipAge: Limit;
  /** The machine's clock behind median time past, which no honest chain lets happen for long. */
  readonly behind: Limit;
}

/** The same of an EVM chain, by the time of its tip. */
export interface EvmClockLimits {
  /** Behind the machine's clock. */
  readonly tipAge: Limit;
  /** Ahead of the machine's clock. */
  readonly ahead: Limit;
  /**
   * From the median time past of Bitcoin, which trails by itself: the span that the margins of a swap over both count
   * with.
   */
  readonly apart: Limit;
}

/** What the chain says of time. */
export interface ChainTime {
  readonly mtp: Unix;
  /** The tip's own time. */
  readonly time: Unix;
}

export interface ClockVerdict {
  /** Machine's clock minus median time past, in seconds: negative while the machine is behind. */
  readonly lag: number;
  /** What is beyond its limit, in a sentence for the owner, and whether that withdraws the chain's pairs. */
  readonly beyond: { readonly strict: boolean; readonly sentence: string } | null;
}

/**
 * The machine's clock, no further from the chain's than these limits: for what others judge by clocks of their own, as
 * an operator its coins. By a wall that leapt every coin seems expired: none can be spent, and all want to be renewed
 * (facts/faults.md 45). Where the chain may trail by any span its word bounds the wall on one side only.
 */
export function plausibleWall({ wall, bitcoin: { mtp } }: Clocks, { lag, behind }: ClockLimits): Unix {
  if (mtp === null) return wall;
  const latest = lag.strict ? Math.min(wall, mtp + lag.seconds) : wall;
  return unix(Math.max(0, latest, mtp - behind.seconds));
}

export function judgeClocks(wall: number, chain: ChainTime, limits: ClockLimits): ClockVerdict {
  const lag = wall - chain.mtp;
  const age = wall - chain.time;
  const { behind } = limits;
  const breaches = [
    {
      over: -lag > behind.seconds,
      strict: behind.strict,
      sentence:
        `This machine's clock is ${spanInWords(-lag)} behind the median time past of Bitcoin, up to ` +
        `${spanInWords(behind.seconds)} are possible: set it by a time service.`,
    },
    {
      over: age > limits.tipAge.seconds,
      strict: limits.tipAge.strict,
      sentence:
        `The last Bitcoin block is ${spanInWords(age)} old, up to ${spanInWords(limits.tipAge.seconds)} are usual: ` +
        `its source stands still, or this machine's clock is ahead.`,
    },
    {
      over: lag > limits.lag.seconds,
      strict: limits.lag.strict,
      sentence:
        `The median time past of Bitcoin is ${spanInWords(lag)} behind this machine's clock, up to ` +
        `${spanInWords(limits.lag.seconds)} are usual: blocks are slow, or this machine's clock is ahead.`,
    },
  ].filter(({ over }) => over);
  return { lag, beyond: worstOf(breaches) };
}

/**
 * A chain whose blocks stopped, or whose clock runs away from Bitcoin's, is none to begin a swap over: one of the two
 * legs would end at another time than its margins say (facts/faults.md 60). `bitcoin`: its median time past, null while
 * that is not known.
 */
export function judgeEvmClock(
  chain: string,
  { wall, time, bitcoin }: { readonly wall: number; readonly time: Unix; readonly bitcoin: Unix | null },
  { tipAge, ahead, apart }: EvmClockLimits,
): ClockVerdict['beyond'] {
  const age = wall - time;
  const distance = bitcoin === null ? 0 : Math.abs(time - bitcoin);
  return worstOf(
    [
      {
        over: age > tipAge.seconds,
        strict: tipAge.strict,
        sentence:
          `The last block of ${chain} is ${spanInWords(age)} old, up to ${spanInWords(tipAge.seconds)} are usual: ` +
          `its RPC or the chain stands still, or this machine's clock is ahead.`,
      },
      {
        over: -age > ahead.seconds,
        strict: ahead.strict,
        sentence:
          `The last block of ${chain} is ${spanInWords(-age)} ahead of this machine's clock: set it by a time ` +
          'service, or look at the RPC.',
      },
      {
        over: distance > apart.seconds,
        strict: apart.strict,
        sentence:
          `The clocks of ${chain} and of Bitcoin are ${spanInWords(distance)} apart, up to ` +
          `${spanInWords(apart.seconds)} are counted with.`,
      },
    ].filter(({ over }) => over),
  );
}

function worstOf(breaches: readonly { readonly strict: boolean; readonly sentence: string }[]): ClockVerdict['beyond'] {
  const worst = breaches.find(({ strict }) => strict) ?? breaches[0];
  return worst === undefined ? null : { strict: worst.strict, sentence: worst.sentence };
}
