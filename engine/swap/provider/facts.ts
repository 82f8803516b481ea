import type { SwapStatus } from '../../domain/status.ts';
import type { Locktime } from '../../domain/time.ts';
import type { RescueLeg, RescueSwap } from '../../legs/rescue.ts';
import type { Watch } from '../machine.ts';
import { hasUnspent, stoppedStatuses } from '../halves/extra-coins.ts';
import {
  isGivenBack,
  isRevealed,
  isStanding,
  isWaiting,
  type Pair,
  type State,
  type StateName,
  type Stopped,
  type Unnamed,
} from './direction.ts';

/** What clients are told; a state that is missing does not compile. Those left out say more, and are told by it. */
const statuses: Readonly<Record<Exclude<StateName, 'unnamed' | 'stopped' | 'refunded'>, SwapStatus>> = {
  opening: 'pending',
  unopened: 'expired',
  pending: 'pending',
  seen: 'clientfundingseen',
  funded: 'clientfunded',
  funding: 'clientfunded',
  locking: 'clientfunded',
  paying: 'serverfunded',
  locked: 'serverfunded',
  relaying: 'clientredeeming',
  relayed: 'clientredeeming',
  refunding: 'serverfunded',
  claiming: 'clientredeemed',
  claimed: 'serverredeemed',
  lost: 'clientredeemedandclientrefunded',
  returned: 'clientfundedserverrefunded',
  lapsed: 'expired',
};

export function statusOf({ claim }: Pair, p: State): SwapStatus {
  if (p.at === 'unnamed') return hasUnspent((p as Unnamed).extras) ? 'clientfundingseen' : 'pending';
  if (p.at === 'stopped') return claim.isUnsure(p as Stopped) ? 'pending' : stoppedStatuses[(p as Stopped).why];
  if (p.at === 'refunded')
    return 'returned' in p && p.returned !== undefined ? 'clientrefundedserverrefunded' : 'clientrefunded';
  if (p.at === 'claiming' && claim.stands(p)) return 'serverredeemed';
  return statuses[p.at];
}

/** What was called off and may come all the same. */
function doubtOf(p: State): object | null {
  return isGivenBack(p) ? (p.doubt ?? null) : null;
}

/** Its client's coin lies there: what an older copy of the database forgot may have been given for it. */
function mayBeForgotten({ claim, fund }: Pair, t: unknown, p: State): boolean {
  if (p.at !== 'unnamed' && (p.at !== 'stopped' || claim.isFenced(p as Stopped))) return false;
  if (!fund.isPayment) return p.at === 'stopped' && claim.remaining(t, p as Stopped) !== null;
  return !('extras' in p) || hasUnspent((p as Unnamed).extras);
}

export function watchesOf(pair: Pair, t: unknown, p: State): Watch[] {
  const theirs = pair.claim.watches(t, p);
  if (isStanding(pair, p) || isRevealed(p) || doubtOf(p) !== null) return [...theirs, ...pair.fund.watches(t, p)];
  if (!mayBeForgotten(pair, t, p)) return [...theirs];
  return [...theirs, ...pair.fund.watches(t, p).map((watch): Watch => ({ ...watch, ifNoted: true }))];
}

export function deadlineOf(pair: Pair, t: unknown, p: State): Locktime | null {
  const { claim, fund } = pair;
  const ours = isStanding(pair, p) ? fund.deadline(t, p, claim.surely(t, p)) : null;
  return ours ?? claim.deadline(t, p);
}

export function isOpen({ claim, fund }: Pair, p: State): boolean {
  // What the client has back is not watched any more, and our part may be out all the same.
  if (claim.open(p) || (doubtOf(p) !== null && (fund.outlasts || claim.isBack(p as Stopped)))) return true;
  return (p.at === 'claimed' || p.at === 'lost') && fund.open(p);
}

export function isReserved(pair: Pair, p: State): boolean {
  return isStanding(pair, p) ? pair.fund.reserves(p) : isWaiting(pair, p) && p.at !== 'unopened' && p.at !== 'unnamed';
}

export function actionOf(pair: Pair, t: unknown, p: State): string {
  const { claim, fund } = pair;
  if (isStanding(pair, p)) return fund.action(p);
  if (p.at === 'refunded' && doubtOf(p) !== null)
    return fund.isPayment
      ? 'nothing, unless a payment arrives that was called off'
      : 'we look whether a lock of ours stands that was called off';
  return (isRevealed(p) ? fund.afterwards(p) : null) ?? claim.action(t, p);
}

/** The legs as whoever needs them who has lost the node; null while there are none. */
export function rescueOf(pair: Pair, t: unknown, p: State): RescueSwap | null {
  const { claim, fund } = pair;
  if (isStanding(pair, p)) return both(claim.rescue(t, p), fund.rescue(t, p), false);
  switch (p.at) {
    case 'claiming':
    case 'claimed': {
      const legs = both(claim.rescue(t, p), fund.rescue(t, p), true);
      const resend = fund.resend(p);
      return legs === null || resend === null ? legs : { ...legs, resend };
    }
    // The client's lock is refunded, or can be: ours is rescued unless its claim is final.
    case 'lost':
    case 'returned':
      return unpaid(fund.rescueBack(t, p));
    case 'stopped':
      return rescueOfDoubt(pair, t, p as Stopped & { readonly doubt?: object });
    // A payment that was called off brings nothing home.
    case 'refunded': {
      const doubt = fund.isPayment ? null : doubtOf(p);
      return unpaid(doubt === null ? null : fund.rescue(t, doubt));
    }
    default:
      return null;
  }
}

/** A part that was called off may exist: both legs are in the bundle, unless we signed the client's refund. */
function rescueOfDoubt({ claim, fund }: Pair, t: unknown, p: Stopped & { readonly doubt?: object }): RescueSwap | null {
  const { doubt } = p;
  if (doubt === undefined || claim.isFenced(p)) return null;
  const theirs = fund.isPayment ? claim.rescueRemaining(t, p) : claim.rescue(t, claim.resumed(p, doubt));
  return both(theirs, fund.rescue(t, doubt), false);
}

/**
 * `shown`: the secret is public, so that the other side's is claimed, and ours never taken back; until then what became
 * of our side decides.
 */
function both(claim: RescueLeg | null, refund: RescueLeg | null, shown: boolean): RescueSwap | null {
  return claim === null || refund === null ? null : { claim, refund, shown };
}

/** What the client gave is with it again: ours is ours, as long as a claim of it is no fact. */
function unpaid(refund: RescueLeg | null): RescueSwap | null {
  return refund === null ? null : { claim: null, refund, shown: false };
}
