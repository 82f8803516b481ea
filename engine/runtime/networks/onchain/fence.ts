import { unix } from '../../../domain/time.ts';
import type { Outpoint } from '../../../domain/outpoint.ts';
import type { KeySpend, PartialPurpose } from '../../../legs/onchain/key-spend.ts';
import type { ChainTip } from '../../../legs/onchain/port.ts';
import { NotYet } from '../../not-yet.ts';
import type { PartialNote, PartialNotes } from '../../../store/partial-notes.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { minedAt, moment, reached } from './transactions.ts';

/*
 * A coin of an HTLC with an aggregate key goes one way: what is noted of it first closes the other, whatever a state
 * says, and whatever a copy of the database forgot.
 *
 * Loses money when wrong: a coin of ours taken back that our signature gave to the client, or one of the client's given
 * back by our signature while our claim of it is on its way.
 */

/** Whether something of ours was signed, or noted to be, for the other end of this coin. */
export function isClosed(notes: Pick<PartialNotes, 'of'>, coin: Outpoint, purpose: PartialPurpose): boolean {
  return notes.of(coin).some((note) => note.purpose !== purpose);
}

/**
 * Whether the other side was asked to take this coin with us, to this end: of a claim it has had our secret since, in
 * every copy of the database.
 */
export function wasAsked(notes: Pick<PartialNotes, 'of'>, coin: Outpoint, purpose: PartialPurpose): boolean {
  return notes.of(coin).some((note) => note.own && note.purpose === purpose && note.txid !== '');
}

/** Seconds: a refund whose deadline is farther away waits for no longer than half of this. */
const day = 86_400;

/**
 * Before a refund by the script of an HTLC with the key of both: a copy of the database may have forgotten that the
 * other side has our signature on its claim, whose secret is noted there alone, while a place outside was never read.
 * Unknown is not none; but a place that never answers locks up no coin for ever: from the middle of the time that a
 * refund has on it is signed all the same, as long as it can be buried before the other leg is lost (facts/faults.md
 * 312). One that was begun goes on.
 */
export async function waitForNotes(
  { terms, coin, purpose, deadline }: EffectOf<'htlc.spend'>,
  tip: ChainTip | null,
  context: OnchainContext,
): Promise<void> {
  const { partials } = context.store;
  if (terms.form !== 'musig' || partials.of(coin).some((note) => note.own && note.purpose === purpose)) return;
  const due = moment(deadline, tip, context);
  const from = Math.max(due - day, tip === null ? 0 : minedAt(terms.refundHeight, tip));
  if (reached(unix(Math.floor((from + due) / 2)), tip, context) || !(await partials.isUnread())) return;
  throw new NotYet(
    60,
    'a place of notes outside of the data folder was never read, and may hold our signature for the other side: ' +
      'bring that place back, or choose another with rescue.copyTo',
    true,
  );
}

/**
 * Before we take a coin by its script. A note that cannot be written holds nothing up: what is ours is taken all the
 * same, and only a copy of the database from before this moment would not know. Nor does it wait for a place outside,
 * which may never answer (facts/faults.md 292).
 */
export function closeOther(own: Pick<PartialNote, 'subject' | 'coin' | 'purpose'>, notes: PartialNotes): void {
  try {
    notes.noteOwn(own).catch(() => false);
  } catch {
    if (isClosed(notes, own.coin, own.purpose)) throw closedTo(own.purpose);
  }
}

/** Of a spend of ours by the key of both, before it is sent: by it every copy knows it for ours. */
export function ownJointNote(
  { coin, purpose }: { readonly coin: Outpoint; readonly purpose: PartialPurpose },
  spend: KeySpend,
  { subject }: { readonly subject: string },
): PartialNote {
  const at: Outpoint = { txid: coin.txid, vout: coin.vout };
  return { subject, coin: at, purpose, own: true, ...spend, preimage: null };
}

/** It is tried for ever, and never done: what is on the chain in the end says so. */
export function closedTo(purpose: PartialPurpose): NotYet {
  return new NotYet(null, `our signature for the other side of this coin was given: no ${purpose} is signed`);
}
