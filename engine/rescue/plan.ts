import type { Preimage } from '../domain/hash.ts';
import type { Unix } from '../domain/time.ts';
import type { RescueEntry } from '../legs/rescue.ts';
import type { LegLook, LegState, Timelock } from './leg.ts';

/** What is to be done for a swap now. */
export type Plan =
  /** What the other side gave is taken with the secret, which is on the disk before. */
  | { readonly do: 'claim'; readonly secret: Preimage }
  /** What we gave is taken back. */
  | { readonly do: 'refund' }
  /** What is on its way is brought on. */
  | { readonly do: 'bring-on'; readonly side: 'claim' | 'refund'; readonly secret: Preimage | null }
  /** Ours is back for good: a payment that is held for it goes back to the client. */
  | { readonly do: 'cancel' }
  | { readonly do: 'wait'; readonly why: string; readonly at: Unix | null }
  | { readonly do: 'nothing'; readonly why: string };

type Facts = Pick<RescueEntry, 'role' | 'shown' | 'secret' | 'claim' | 'refund'>;

/**
 * What became of the leg that we gave decides about both: claimed, its secret opens the other one, and it is never
 * taken back again; back with us for good, the other one stays the other side's, whatever secret is public. Loses money
 * when wrong, or takes both legs.
 */
export function planOf(facts: Facts, refund: LegLook | null, claim: LegLook | null): Plan {
  const ours: LegState = refund?.state ?? { is: 'nothing' };
  if (ours.is === 'refunded')
    return ours.final ? afterRefund(facts, claim) : { do: 'bring-on', side: 'refund', secret: null };
  const secret =
    (ours.is === 'claimed' ? ours.secret : null) ?? (facts.shown ? facts.secret : null) ?? shownByClaim(facts, claim);
  if (secret !== null) {
    const plan = whenPublic(secret, facts, claim);
    return plan.do === 'nothing' && isOursToo(facts, refund, claim) ? (oursAgain(facts, refund) ?? plan) : plan;
  }
  if (facts.shown || ours.is === 'claimed')
    return { do: 'wait', why: 'the secret is public and nobody shows it here', at: null };
  // A payment of ours has no way back but its own, and nothing depends on it once the other leg is gone.
  if (facts.refund?.on === 'lightning' && claim !== null && isGone(claim.state))
    return { do: 'nothing', why: 'the other side has taken its own back' };
  switch (ours.is) {
    case 'begun':
      return { do: 'bring-on', side: 'refund', secret: null };
    case 'unclear':
      return { do: 'wait', why: ours.reason, at: null };
    case 'standing':
      return takeBack(refund);
    case 'nothing': {
      const timelock = refund?.timelock ?? claim?.timelock ?? null;
      return timelock?.over === true
        ? { do: 'nothing', why: 'nothing of ours is there' }
        : waitFor(timelock, 'nothing of ours is there, and it may still come');
    }
  }
}

/** Our own claim, on its network already, shows what nobody but us had: the bundle may be older than it. */
export function shownByClaim({ role }: Pick<Facts, 'role'>, claim: LegLook | null): Preimage | null {
  return role === 'client' && claim?.state.is === 'claimed' ? claim.state.secret : null;
}

function whenPublic(secret: Preimage, { claim: leg }: Facts, claim: LegLook | null): Plan {
  if (leg === null || claim === null) return { do: 'nothing', why: 'nothing is to be claimed for it' };
  switch (claim.state.is) {
    case 'standing':
      return { do: 'claim', secret };
    case 'claimed':
      return claim.state.final ? { do: 'nothing', why: 'it is claimed' } : { do: 'bring-on', side: 'claim', secret };
    case 'refunded':
      return claim.state.final
        ? { do: 'nothing', why: 'the other side refunded its lock before our claim' }
        : { do: 'claim', secret };
    case 'begun':
    case 'nothing':
      return claim.timelock === null || claim.timelock.over
        ? { do: 'nothing', why: 'what the other side gave is not there any more' }
        : waitFor(claim.timelock, 'what the other side gave is not shown now');
    case 'unclear':
      return { do: 'wait', why: claim.state.reason, at: null };
  }
}

function afterRefund({ claim: leg }: Facts, claim: LegLook | null): Plan {
  if (leg?.on === 'lightning' && claim?.state.is === 'standing') return { do: 'cancel' };
  return { do: 'nothing', why: 'it is back' };
}

function isGone(state: LegState): boolean {
  return state.is === 'refunded' && state.final;
}

/**
 * A client shows its secret for what the provider gave. Once the provider has that back for good, what the client gave
 * is the client's; so is what lies beside the coin that the provider took, and what its machine names while nothing is
 * to be claimed for it.
 */
function isOursToo({ role, claim: leg }: Facts, refund: LegLook | null, claim: LegLook | null): boolean {
  if (role !== 'client') return false;
  return leg === null || refund?.beside === true || (claim !== null && isGone(claim.state));
}

/** Null where nothing of it is left. Nobody who answers is no reason to leave it behind. */
function oursAgain({ refund: leg }: Facts, look: LegLook | null): Plan | null {
  if (look?.state.is === 'standing' || look?.beside === true) return takeBack(look);
  return look?.state.is === 'unclear' && leg?.on !== 'lightning'
    ? { do: 'wait', why: look.state.reason, at: null }
    : null;
}

function takeBack(refund: LegLook | null): Plan {
  return isOver(refund) ? { do: 'refund' } : waitFor(refund?.timelock ?? null, 'it stays locked');
}

function isOver(look: LegLook | null): boolean {
  return look?.timelock?.over === true;
}

function waitFor(timelock: Timelock | null, why: string): Plan {
  return timelock === null
    ? { do: 'wait', why, at: null }
    : { do: 'wait', why: `${why}, by ${timelock.clock}`, at: timelock.at };
}
