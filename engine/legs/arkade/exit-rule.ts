import { sats, type Sats } from '../../domain/money.ts';
import { day, hour, unix, type Seconds, type Unix } from '../../domain/time.ts';
import { readTx } from '../psbt.ts';
import { exitChildSize } from './exit-child.ts';
import type { ExitPath } from './exit-path.ts';

/** What is known of a coin when it is asked whether it must leave its operator now. */
export interface ExitFacts {
  /**
   * For how long the operator was seen not to answer, or not to let us take this coin whatever it answered, without a
   * break; null while it serves.
   */
  readonly awayFor: Seconds | null;
  /** It calls the coin spent by what none of its leaves explains. */
  readonly distrusted: boolean;
  /**
   * From when on it is ours alone, where the operator holds a refund of it that the other side signed too and that
   * nobody makes final.
   */
  readonly unfinishedRefundSince?: Unix;
  /** It was given to a batch whose commitment no block has had for long. */
  readonly unmined?: true;
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

/**
 * An operator that is away for less is waited for, whatever the deadline: it comes back, and leaving costs what it
 * took. A refund that is half done may be one of a moment, too.
 */
const patience = hour;
/** Away for so long, it is not waited for any more. */
const longest = { swap: 12 * hour, wallet: 3 * day } as const;
/** Seconds of a block on a slow day, and what is left over for fees that must rise. */
const slowBlock = 750;
const margin = 6 * hour;

/** How long leaving takes: a block for each transaction, the delay of the leaf, a margin. */
export function exitTakes({ transactions, delay }: Pick<ExitFacts, 'transactions' | 'delay'>): number {
  return transactions * slowBlock + delay + margin;
}

/**
 * The moment, unix seconds by the operator's wall clock, from which a coin may not reach the chain before it expires.
 * Later, what its operator does not give back may be lost. One transaction is counted: a longer way begins that much
 * sooner.
 */
export function exitStarts(expiresAt: Unix, delay: Seconds): Unix {
  return unix(Math.max(0, expiresAt - exitTakes({ transactions: 1, delay })));
}

/**
 * Whether a coin is brought to the chain now (DECISIONS.md, "A coin leaves an operator that is gone"). Wrong: fees for
 * an operator that had a bad hour, or a coin that its batch's expiry, or the other party, takes first.
 */
export function mustExit(facts: ExitFacts): boolean {
  const { awayFor, distrusted, unfinishedRefundSince, unmined, whose, now } = facts;
  const isShort = isShortOfTime(facts);
  if (distrusted || (unfinishedRefundSince !== undefined && (isShort || now - unfinishedRefundSince >= patience)))
    return true;
  if (unmined === true && isShort) return true;
  if (awayFor === null || awayFor < patience) return false;
  return awayFor >= longest[whose] || isShort;
}

/** Begun any later, a coin may not be on the chain by its deadline, and is the other party's, or its operator's. */
export function isShortOfTime(facts: Pick<ExitFacts, 'transactions' | 'delay' | 'deadline' | 'now'>): boolean {
  return facts.deadline - facts.now <= exitTakes(facts);
}

/** Seconds between two tries of leaving at the end: a block. */
const shortestRest = 600;

/**
 * The longest rest, in seconds, between two tries of leaving: a quarter of what is left until it is too late, so that
 * what fails is tried again and again before. Too long, and a coin is its operator's, or the other party's, while its
 * exit rests.
 */
export function longestRest(facts: Pick<ExitFacts, 'transactions' | 'delay' | 'deadline' | 'now'>): number {
  const left = facts.deadline - facts.now - (exitTakes(facts) - margin);
  return Math.max(shortestRest, Math.floor(left / 4));
}

/** From when on a coin leaves an operator that has been away since a moment and stays so, by the same rule. */
export function exitsFrom(
  facts: Omit<ExitFacts, 'awayFor' | 'distrusted' | 'unfinishedRefundSince' | 'unmined' | 'now'>,
  since: Unix,
): Unix {
  const short = facts.deadline - exitTakes(facts);
  return unix(Math.max(since + patience, Math.min(since + longest[facts.whose], short)));
}

/** Virtual bytes of the spend that takes a coin on the chain home. */
const lastSpend = 200;
/** A taproot output, which is what the child pays back to. */
const taproot = new Uint8Array(34);

/**
 * What the way to the chain and home costs at a rate in sats per virtual byte: every transaction, or those from `from`
 * on, with its child, and the spend at the end. Too little, and a way is begun that costs more than its coin.
 */
export function exitCosts({ transactions }: Pick<ExitPath, 'transactions'>, rate: number, from = 0): Sats {
  const left = transactions.slice(from);
  const size = left.reduce((sum, bytes) => sum + (readTx(bytes)?.vsize ?? 0), 0);
  return sats(Math.ceil((size + left.length * exitChildSize(1, taproot) + lastSpend) * rate));
}

/**
 * Whether the whole way costs more than `most` sats, told without the chain. The children are counted first: of the way
 * of dust no transaction is read. Wrong: a coin that could leave stays.
 */
export function isTooDear({ transactions }: Pick<ExitPath, 'transactions'>, rate: number, most: Sats): boolean {
  const children = transactions.length * exitChildSize(1, taproot) + lastSpend;
  return children * rate > most || exitCosts({ transactions }, rate) > most;
}
