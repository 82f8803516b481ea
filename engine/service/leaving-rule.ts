import { day, hour, type Seconds, type Unix } from '../domain/time.ts';

/** What is known of a coin when it is asked whether it must leave its operator now. */
export interface LeavingFacts {
  /** For how long the operator was seen not to answer, without a break; null while it answers. */
  readonly awayFor: Seconds | null;
  /** It calls the coin spent by what none of its leaves explains. */
  readonly distrusted: boolean;
  /** Of a swap the coin must be taken now; the wallet's own can wait. */
  readonly whose: 'swap' | 'wallet';
  /** Transactions between the chain and the coin, one after the other. */
  readonly transactions: number;
  /** Of the leaf that takes it there. */
  readonly delay: Seconds;
  /** By then it must be taken: the other party can take it, or the operator its batch. */
  readonly deadline: Unix;
  readonly now: Unix;
}

/** An operator that is away for less is waited for, whatever the deadline: it comes back, and leaving costs what it took. */
const patience = hour;
/** Away for so long, it is not waited for any more. */
const longest = { swap: 12 * hour, wallet: 3 * day } as const;
/** Seconds of a block on a slow day, and what is left over for fees that must rise. */
const slowBlock = 750;
const margin = 6 * hour;

/** How long leaving takes: a block for each transaction, the delay of the leaf, a margin. */
export function leavingTakes({ transactions, delay }: Pick<LeavingFacts, 'transactions' | 'delay'>): number {
  return transactions * slowBlock + delay + margin;
}

/**
 * Whether a coin is brought to the chain now (DECISIONS.md, "A coin leaves an operator that is gone"). Wrong: fees for an operator that had a bad
 * hour, or a coin that its batch's expiry, or the other party, takes first.
 */
export function mustLeave(facts: LeavingFacts): boolean {
  const { awayFor, distrusted, whose, deadline, now } = facts;
  if (distrusted) return true;
  if (awayFor === null || awayFor < patience) return false;
  return awayFor >= longest[whose] || deadline - now <= leavingTakes(facts);
}
