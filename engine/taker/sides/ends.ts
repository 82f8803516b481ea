import type { Clocks } from '../../domain/time.ts';
import { endsAfter } from '../../legs/safety/outlives.ts';
import type { OursToClaim, TheirsToClaim } from '../../legs/spans.ts';
import type { OrderTerms } from '../terms.ts';
import { bitcoinUnread, objection, type Objection } from '../verify.ts';

/** From when on what we give can be ours again, and how a sentence of that begins. */
export interface Back<R, T> {
  readonly opens: string;
  readonly span: (record: R, terms: T) => OursToClaim;
}

/** From when on the provider may take back what it locks. */
export type End<R, T> = (record: R, terms: T) => TheirsToClaim;

/** Both sides as far as they end. */
interface Ends<R, T> {
  readonly source: { readonly back?: Back<R, T> };
  readonly target: { readonly end?: End<R, T>; readonly claim: { readonly theirs: string } };
}

/**
 * What we give is never ours again before the provider's is its own: nobody who means it offers both legs to one side.
 * A payment over Lightning goes back by itself, and must not be held for absurdly long; how high a lock may end is
 * asked where its blocks are counted. What the provider pays over Lightning has no end.
 */
export function wrongEnds<R, T extends OrderTerms>(
  { source: { back }, target }: Ends<R, T>,
  record: R,
  terms: T,
  now: Clocks,
): Objection {
  if (target.end === undefined) return null;
  const { theirs } = target.claim;
  const given = target.end(record, terms);
  const [end, isByHeight] = [given.claimableUntil, given.clock === 'height'];
  if (back === undefined)
    return objection(
      isByHeight || end <= now.wall + terms.policy.longestLeg,
      `${theirs} can be taken back at ${end} only, the payment could be held for too long`,
    );
  // Of what is found again nobody knows the tip of its create (`furthestEnd`).
  if (isByHeight && terms.restored !== undefined) return null;
  const sure = back.span(record, terms);
  const isAfter = endsAfter({ sure, given }, now);
  if (isAfter === null) return bitcoinUnread;
  return objection(
    isAfter,
    `${back.opens} at ${sure.surelyOursUntil}, before ${theirs} could be taken back at ${isByHeight ? 'block ' : ''}${end}`,
  );
}
