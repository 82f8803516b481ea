import { serverClaimStanding } from '../service/htlc/server-claim.ts';
import type { DoorContext } from './context.ts';
import type { Sides } from './sides.ts';
import type { DoorSwap } from './swap.ts';
import type { Word } from './words.ts';

/*
 * When our claim of what a client locked on the Bitcoin chain is told as one that its client may sign with us, by
 * whichever way it is told. What is told never goes back (facts/faults.md 318), and that has a word of its own on
 * either kind of swap.
 */

/** Our claim is signed, by the script: its client may sign one with us, for a while. */
function isClaimSigned({ source }: Sides): boolean {
  return source?.on === 'BTC' && source.claims;
}

/**
 * Of a chain swap from then on, for good, as its state says it: on the word before it clients claim our lock again, and
 * who may not sign any more goes on. Of a swap to Lightning only while it can be signed, for some clients hear no more
 * of a swap where that is refused; who read it reads no earlier word in the life of this node.
 */
export function isToSign({ context, readToSign }: DoorContext, { id, pair, entry }: DoorSwap, sides: Sides): boolean {
  if (!isClaimSigned(sides)) return false;
  if (pair.kind === 'chain') return true;
  return readToSign.get(id) === true || serverClaimStanding(context, entry.row.id) === null;
}

/** By whoever reads what is told now, and heard nothing before. */
export function noteRead({ readToSign }: DoorContext, { id }: DoorSwap, word: Word | undefined): void {
  if (word === 'transaction.claim.pending') readToSign.put(id, true);
}

/** What was told last to who is called, where that is not in mind: nobody has to hear of the word before it. */
export function toldLast(sides: Sides, now: Word): Word | null {
  return now === 'invoice.paid' && isClaimSigned(sides) ? 'transaction.claim.pending' : null;
}
