import type { Locktime } from '../../../../domain/time.ts';
import { lockEnd } from '../../../../legs/evm/timelocks.ts';
import type { Watch } from '../../../machine.ts';
import { hasUntaken, wantedOf } from './locks.ts';
import { leftOpen, locksDeadline } from './over.ts';
import type { Base, EvmSourceTerms as T, Left, Pending, ExtraLock } from './terms.ts';

/*
 * What a machine says of the client's lock, state by state, whatever is given for it.
 */

/** Nothing is left of the swap but locks that are not ours. */
type Over = Base & Left & { readonly extras: readonly ExtraLock[] };

export type SourceState =
  | Pending
  | (Over & { readonly at: 'stopped' | 'returned' | 'claimed' | 'lost' | 'refunded' })
  | (Base & { readonly at: 'seen' | 'funded' | 'paying' | 'funding' | 'locked' | 'refunding' | 'claiming' });

/** The locks of its hash, and each of our transactions that is on its way. */
export function lockWatches(t: T, { sent, extras = [] }: Base & { readonly extras?: readonly ExtraLock[] }): Watch[] {
  const { network, hash, since, contracts, agreed } = t;
  const locks = extras.filter((extra) => !extra.taken).map(({ lock }) => lock);
  return [
    { on: 'evm-lock', network, htlc: contracts.htlc, hash, wanted: wantedOf(t), since, agreed, locks },
    ...sent.map(({ purpose, txid }): Watch => ({ on: 'evm-sent', network, purpose, txid })),
  ];
}

/** When time alone moves a state, as far as the client's lock goes; null when none can. */
export function lockDeadline(t: T, p: SourceState | { readonly at: 'lapsed' }): Locktime | null {
  switch (p.at) {
    case 'pending':
      return t.fundBefore; // for the owner's list: the first look after it ends the swap
    case 'seen':
      return t.payBefore;
    case 'stopped':
    case 'claimed':
    case 'lost':
    case 'refunded':
      return locksDeadline(t, p);
    case 'returned':
      return locksDeadline(t, { ...p, at: 'stopped' });
    default:
      return null;
  }
}

/** A lock may be made late: it is watched until nothing is owed and the client can help itself. */
export function lockOpen(p: SourceState | { readonly at: 'lapsed' }): boolean {
  switch (p.at) {
    case 'claimed':
    case 'lost':
    case 'refunded':
      return leftOpen(p);
    case 'stopped':
    case 'returned':
      return !p.unwatched || p.sent.length > 0;
    case 'lapsed':
      return false;
    default:
      return true;
  }
}

/** What is waited for, in words for the owner, where the client's lock is all that moves. */
export function lockAction(t: T, p: SourceState | { readonly at: 'lapsed' }): string {
  switch (p.at) {
    case 'pending':
      return p.relay === null ? 'the client locks its token' : 'the chain takes the funding that we relay';
    case 'seen':
      return 'the chain buries the lock';
    case 'claiming':
      return 'we claim the lock';
    case 'stopped':
    case 'returned':
      return hasUntaken(p.extras)
        ? `the client takes the refund, alone from ${lockEnd(t)} on`
        : 'nothing: it was never funded';
    default:
      return 'nothing: it is over';
  }
}
