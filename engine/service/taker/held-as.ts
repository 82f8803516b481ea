import { takerMachine, type TakerDirection } from '../../domain/chain.ts';
import type { SwapRow } from '../../store/swaps.ts';
import { takenDirections } from '../../taker/directions.ts';
import type { Reopened } from '../../taker/restore/reopen.ts';
import { sameDeal } from '../../taker/restore/same-deal.ts';
import type { Deal, OrderTerms, TakerProgress } from '../../taker/terms.ts';
import type { ServiceContext } from '../context.ts';
import { swapsOfHash } from './swaps-of-hash.ts';

type Context = Pick<ServiceContext, 'runtime'>;

/** A record of a provider, which is to be one of our swaps. */
interface Recorded {
  readonly provider: string;
  readonly direction: TakerDirection;
  readonly record: { readonly id: string };
}

/** Of a stage before the lock; null where no signature was given by this database. */
type Ended = TakerProgress & { readonly signedUntil?: number | null };

/**
 * The swap that it is already. Of one with our secret every other record is one that was made up, unless it was found
 * again itself: then either may be the true one, and whoever is asked first must not hide the other (facts/faults.md
 * 159). An order that got no answer is none: in a copy of the database it may have got one since (230).
 */
export function heldAs(
  context: Context,
  { provider, direction, record }: Recorded,
  { terms, progress: { deal } }: Reopened,
): SwapRow | null {
  for (const { row } of swapsOfHash(context, terms.hash)) {
    if (row.machine !== takerMachine(direction) || isUnanswered(row)) continue;
    const before = row.terms as OrderTerms;
    const { deal: held } = row.progress as TakerProgress;
    const isIt =
      takenDirections[direction].secret === 'ours'
        ? before.restored === undefined || isOfDeal(held, deal)
        : before.provider === provider && held?.swapId === record.id;
    if (isIt) return row;
  }
  return null;
}

/**
 * Swaps of our own that hang on the same secret. A key makes one, so that of two one is made up: what it offers has our
 * secret for next to nothing, and that opens what the other one gave (facts/faults.md 140).
 */
export function rivalsOf(
  context: Context,
  { direction }: Pick<Recorded, 'direction'>,
  { terms, progress: { deal } }: Reopened,
): readonly string[] {
  if (takenDirections[direction].secret !== 'ours') return [];
  return [...swapsOfHash(context, terms.hash)].flatMap(({ row }) => {
    const isSame = isEndedByClock(row) && isOfDeal((row.progress as TakerProgress).deal, deal);
    return isSame || isUnanswered(row) ? [] : [row.id];
  });
}

/** It ended unpaid by the clock, for want of a signature of ours: in a copy that nobody noticed there was one. */
export function isEndedByClock({ progress }: SwapRow): boolean {
  const { at, signedUntil } = progress as Ended;
  return at === 'lapsed' && signedUntil === null;
}

function isUnanswered({ progress }: SwapRow): boolean {
  return progress.at === 'refused';
}

function isOfDeal(held: Deal | undefined, deal: Deal | undefined): boolean {
  return held !== undefined && deal !== undefined && sameDeal(held, deal);
}
