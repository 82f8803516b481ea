import type { Sats } from '../../domain/money.ts';
import { bpsDown, less, minus, plus } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { Clocks, Unix } from '../../domain/time.ts';
import { isDecoy } from '../decoy.ts';
import type { Vtxo } from './vtxo.ts';

/** Why a coin that somebody sent cannot be the swap's. */
type UnfitKind = 'short' | 'too-much' | 'expires-too-soon' | 'recoverable' | 'unrolled';

export type Acceptance<C extends Vtxo = Vtxo> =
  /** Nothing unspent is at the script but decoys. */
  | { readonly is: 'none' }
  /** Exactly one coin is the swap's, whatever else was sent; `surplus` is what it holds over the amount. */
  | {
      readonly is: 'accepted';
      readonly kind: 'exact' | 'over';
      readonly coin: C;
      readonly surplus: Sats;
      readonly extras: readonly C[];
    }
  /** Something came, and none of it will do: the wire calls that clientinvalidfunded. */
  | {
      readonly is: 'invalid';
      readonly kind: UnfitKind;
      readonly coin: C;
      readonly reason: string;
      readonly extras: readonly C[];
    };

/**
 * Judges what a client funded (DECISIONS.md, "What counts as funding"; facts/arkade.md 25 and 26).
 *
 * `minExpiry` is the moment until which we may still need the coin: past its expiry the operator asks for no timelock,
 * and the client alone could take it back after we paid. Coins beside a right one are ignored, and so are decoys that
 * come before it: anybody who sees the address could send them.
 */
export function accept<C extends Vtxo>(funding: {
  readonly amount: Sats;
  /** How much more than `amount` is still accepted, in basis points of it. */
  readonly toleranceBps: number;
  readonly minExpiry: Unix;
  readonly coins: readonly C[];
  readonly now: Clocks;
}): Acceptance<C> {
  const { amount } = funding;
  const most = plus(amount, bpsDown(amount, funding.toleranceBps));
  const present = funding.coins.filter((coin) => !coin.spent).sort(stableOrder);
  const judged = present.filter((coin) => !isDecoy(coin.amount, amount)).map((coin) => ({ coin, why: unfit(coin) }));

  function unfit(coin: C): { kind: UnfitKind; reason: string } | null {
    if (coin.amount < amount)
      return {
        kind: 'short',
        reason: `the coin holds ${coin.amount} sats, ${less(amount, coin.amount)} less than the ${amount} agreed`,
      };
    if (coin.amount > most)
      return {
        kind: 'too-much',
        reason: `the coin holds ${coin.amount} sats, more than the ${most} that can be accepted`,
      };
    if (coin.unrolled)
      return { kind: 'unrolled', reason: 'the coin left the operator for the chain and cannot be claimed in time' };
    if (coin.recoverable || coin.expiresAt <= funding.now.wall)
      return {
        kind: 'recoverable',
        reason: `the coin expired at ${coin.expiresAt}: its sender alone can take it back`,
      };
    if (coin.expiresAt < funding.minExpiry)
      return {
        kind: 'expires-too-soon',
        reason: `the coin expires at ${coin.expiresAt}, before ${funding.minExpiry}; send one that lives longer`,
      };
    return null;
  }

  const fit = judged.filter(({ why }) => why === null).map(({ coin }) => coin);
  const chosen = fit.find((coin) => coin.amount === amount) ?? fit[0];
  if (chosen) {
    const surplus = minus(chosen.amount, amount);
    return {
      is: 'accepted',
      kind: surplus === 0n ? 'exact' : 'over',
      coin: chosen,
      surplus,
      extras: present.filter((coin) => coin !== chosen),
    };
  }
  // The one that comes nearest to being right explains best what went wrong.
  const nearest =
    judged.find(({ why }) => why?.kind !== 'short' && why?.kind !== 'too-much') ??
    judged.find(({ why }) => why?.kind === 'too-much') ??
    largest(judged);
  if (!nearest?.why) return { is: 'none' };
  return { is: 'invalid', ...nearest.why, coin: nearest.coin, extras: present.filter((coin) => coin !== nearest.coin) };
}

/** Oldest first, then by outpoint: two nodes that see the same coins choose the same one. */
function stableOrder(a: Vtxo, b: Vtxo): number {
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1;
}

function largest<J extends { coin: Vtxo }>(judged: readonly J[]): J | undefined {
  return judged.reduce<J | undefined>(
    (best, next) => (best === undefined || next.coin.amount > best.coin.amount ? next : best),
    undefined,
  );
}
