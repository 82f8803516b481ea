import type { Sats } from '../domain/money.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../domain/outpoint.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { VhtlcSpend } from '../legs/arkade/transaction.ts';
import type { SeenCoin } from '../legs/arkade/events.ts';

/** Why what a client locked is not taken: it is given back. */
export type StoppedFor = 'expired' | 'invalid' | 'late' | 'wont';

export const stoppedStatuses: Readonly<Record<StoppedFor, SwapStatus>> = {
  expired: 'expired',
  invalid: 'clientinvalidfunded',
  late: 'clientfundedtoolate',
  wont: 'serverwontfund',
};

/**
 * The coins of a client-funded VHTLC beyond the one that the swap uses: listed for the client, never claimed by us, and
 * refundable with our signature once the swap is over (DECISIONS.md, "What counts as funding"; facts/faults.md 6).
 */
export interface Stray {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly spent: boolean;
}

/** By which leaf a coin is taken; null while nobody has shown that. */
export function leafOf({ spend }: SeenCoin): VhtlcSpend | null {
  return spend === 'hidden' || spend === 'unknown' ? null : spend;
}

/**
 * Every coin at the script but `used`, in a stable order. One that was `known` stays listed when the operator does not
 * show it: forgotten in a moment of lag, nobody would ever sign its refund.
 */
export function straysBeside(coins: readonly SeenCoin[], used: Outpoint | null, earlier: readonly Stray[]): Stray[] {
  const unseen = earlier.filter((stray) => !coins.some((coin) => sameOutpoint(coin.outpoint, stray.outpoint)));
  return [...coins, ...unseen]
    .filter((coin) => used === null || !sameOutpoint(coin.outpoint, used))
    .map(({ outpoint, amount, spent }) => ({ outpoint, amount, spent }))
    .sort((a, b) => (outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1));
}

export function sameStrays(a: readonly Stray[], b: readonly Stray[]): boolean {
  return (
    a.length === b.length &&
    a.every((stray, i) => {
      const other = b[i];
      return other !== undefined && sameOutpoint(stray.outpoint, other.outpoint) && stray.spent === other.spent;
    })
  );
}

export function hasUnspent(strays: readonly Stray[]): boolean {
  return strays.some((stray) => !stray.spent);
}

/** The states of a swap whose client pays to an address: `unwatched` once nobody looks there any more. */
type AddressState =
  | {
      readonly at: 'claimed' | 'lost' | 'refunded' | 'stopped' | 'returned';
      readonly strays: readonly Stray[];
      readonly unwatched?: true;
    }
  | {
      readonly at:
        | 'pending'
        | 'seen'
        | 'funded'
        | 'locking'
        | 'locked'
        | 'relaying'
        | 'relayed'
        | 'refunding'
        | 'paying'
        | 'claiming'
        | 'lapsed';
    };

/** An address may be paid late: it is watched until nothing is owed and the client can help itself. */
export function addressOpen(p: AddressState): boolean {
  switch (p.at) {
    case 'claimed':
    case 'lost':
    case 'refunded':
      return hasUnspent(p.strays) && p.unwatched !== true;
    case 'stopped':
    case 'returned':
      return p.unwatched !== true;
    case 'lapsed':
      return false;
    default:
      return true;
  }
}
