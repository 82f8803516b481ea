import type { Preimage } from '../../../../domain/hash.ts';
import { sameOutpoint, type Outpoint, type Txid } from '../../../../domain/outpoint.ts';
import type { Clocks } from '../../../../domain/time.ts';
import { stepTo, type Answer } from '../../answer.ts';
import type { FundFact } from '../../fund.ts';
import type { Surety } from '../../surety.ts';
import type { Event, Step, EventOf } from '../../../machine.ts';
import { cosignFor, isJoint, secretOf } from '../cosign.ts';
import { foreignSpend, whenForeign } from '../foreign.ts';
import { keptEffects } from './effects.ts';
import { ownCoin } from './seen.ts';
import { revealed } from './standing.ts';
import type { OnchainFund, OnchainTargetTerms as T, Placed, Revealed, Stage, Fact } from './terms.ts';

type Moved = Answer<Stage, FundFact<OnchainFund>>;

/**
 * The client asks for our partial signature on its claim of our coin. Giving it is the claim: with it the client has
 * the coin for good, and nobody ever sees the secret, so that this is saved, what the client gave is opened, and our
 * refund is closed for ever, before it is answered. Null: the event is about something else.
 *
 * Not while a refund of ours is signed, and not so late that what the client gave may not be ours any more.
 */
export function whenCosigned(t: T, p: Stage, event: Event, now: Clocks, surety: Surety): Moved | null {
  const claim = cosignFor('claim', event);
  if (claim === null)
    return event.is === 'htlc.seen' && 'output' in p ? whenForeign(p, foreignSpend(ownCoin(p, event))) : null;
  const preimage = secretOf(t.htlc, claim);
  if (!isJoint(t.htlc) || preimage === null) return 'stay';
  if (claim.is === 'cosign.asked') {
    const isOpen = p.at === 'locked' && sameOutpoint(p.output, claim.coin);
    return isOpen && !surety.cannotWait(now) && surety.late(now) === null ? stepTo(p) : 'stay';
  }
  // A copy of the database from before it was given finds the note in whatever state it is.
  const placed = 'output' in p && sameOutpoint(p.output, claim.coin) ? p : placedBy(claim.coin);
  return given(t, placed, { claim, preimage, spends: p.at === 'refunding' ? p.spends : [] });
}

/** The same of a coin in doubt, or that a copy of the database forgot: that it was signed for says that it is ours. */
export function whenCosignedInDoubt(t: T, event: Event): Fact | 'stay' | null {
  const claim = cosignFor('claim', event);
  if (claim === null) return null;
  const preimage = secretOf(t.htlc, claim);
  if (claim.is === 'cosign.asked' || preimage === null || !isJoint(t.htlc)) return 'stay';
  return given(t, placedBy(claim.coin), { claim, preimage, spends: [] });
}

/** A coin of ours whose funding this database does not know. */
function placedBy(output: Outpoint): Placed {
  return { output, funding: null, buried: true };
}

function given(
  t: T,
  placed: Placed,
  {
    claim: { txid, bytes },
    preimage,
    spends,
  }: {
    readonly claim: EventOf<'cosign.given'>;
    readonly preimage: Preimage;
    readonly spends: readonly Txid[];
  },
): Fact {
  return revealed(t, placed, { redeem: { txid, bytes, unsigned: true }, preimage, spends, end: null, cosign: true });
}

/** The same once the client's claim is known: it may ask again, for another transaction. Null: of something else. */
export function whenCosignedAgain<S extends Revealed & { readonly at: 'claiming' | 'claimed' | 'lost' }>(
  t: T,
  p: S,
  event: Event,
): Step<S> | 'stay' | null {
  const claim = cosignFor('claim', event);
  if (claim === null)
    return event.is === 'htlc.seen' && p.end === null ? whenForeign(p, foreignSpend(ownCoin(p, event))) : null;
  if (!isJoint(t.htlc) || !sameOutpoint(p.output, claim.coin) || secretOf(t.htlc, claim) === null) return 'stay';
  if (claim.is === 'cosign.asked')
    return p.at !== 'lost' && p.end === null && p.spends.length === 0 ? stepTo(p) : 'stay';
  if (p.cosign === true) return 'stay';
  // Whatever refund of ours was asked for is not made any more.
  return stepTo<S>(
    { ...p, cosign: true },
    { interrupts: true, effects: keptEffects(t, p, p.end === null ? p.redeem : null) },
  );
}
