import type { PortFailure } from '../../domain/errors.ts';
import type { Sats } from '../../domain/money.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import type { Unix } from '../../domain/time.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { mostInputs } from '../../legs/arkade/spendable.ts';
import type { Vtxo, WalletVtxo } from '../../legs/arkade/vtxo.ts';
import type { Payment } from './build.ts';

export interface Choice {
  readonly coins: readonly Vtxo[];
  readonly change: bigint;
}

/**
 * The coins of a payment: the smallest single one that is enough, so that large coins stay whole, else as few as
 * possible. Change is nothing or at least dust. `avoid` holds outpoints that a payment prepared a moment ago may take;
 * they are used only when nothing else is left.
 */
export function chooseCoins(
  coins: readonly Vtxo[],
  amount: Sats,
  dust: Sats,
  avoid: ReadonlySet<string>,
): Choice | null {
  const fresh = coins.filter(({ outpoint }) => !avoid.has(outpointKey(outpoint)));
  return choose(fresh, amount, dust) ?? (fresh.length < coins.length ? choose(coins, amount, dust) : null);
}

function choose(coins: readonly Vtxo[], amount: Sats, dust: Sats): Choice | null {
  const enough = (total: bigint): boolean => total === amount || total >= amount + dust;
  const rising = [...coins].sort((a, b) =>
    a.amount === b.amount ? (outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1) : a.amount < b.amount ? -1 : 1,
  );
  const single = rising.find((coin) => enough(coin.amount));
  if (single) return { coins: [single], change: single.amount - amount };
  const chosen: Vtxo[] = [];
  let total = 0n;
  for (const coin of rising.reverse()) {
    if (chosen.length === mostInputs) break;
    chosen.push(coin);
    total += coin.amount;
    if (enough(total)) return { coins: chosen, change: total - amount };
  }
  return null;
}

/** Wallet coins that may be spent now and live long enough. */
export function spendable(coins: readonly WalletVtxo[], minExpiry: Unix, reserved: readonly Outpoint[]): Vtxo[] {
  const taken = new Set(reserved.map(outpointKey));
  return coins.filter(
    (coin) =>
      !coin.spent &&
      !coin.old &&
      !coin.recoverable &&
      !coin.unrolled &&
      coin.expiresAt > minExpiry &&
      !taken.has(outpointKey(coin.outpoint)),
  );
}

/** A wallet with fewer free coins than this cuts its change into pieces: payments side by side each need a coin. */
export const wantedCoins = 16;
const pieces = 4;
export const smallestPiece = 100_000n;

/** Change back to the wallet, within the operator's largest amount. */
export function changeOutputs(
  script: Uint8Array,
  change: bigint,
  amount: bigint,
  freeCoins: number,
  largest: Sats | null,
): Payment[] {
  if (change === 0n) return [];
  const floor = 2n * amount > smallestPiece ? 2n * amount : smallestPiece;
  const wanted = freeCoins < wantedCoins ? BigInt(pieces) : 1n;
  const byFloor = change / floor;
  const byLimit = largest === null ? 1n : (change + largest - 1n) / largest;
  const count = [wanted < byFloor ? wanted : byFloor, byLimit, 1n].reduce((a, b) => (a > b ? a : b));
  const share = change / count;
  return Array.from({ length: Number(count) }, (_, i) => ({
    script,
    amount: i === 0 ? change - share * (count - 1n) : share,
  }));
}

export function noCoins(amount: Sats, free: bigint): PortFailure {
  return arkadeFailure(
    'no-coins',
    'safe',
    `the Arkade wallet has ${free} sats in coins that can be used now, ${amount} are needed: add funds or wait ` +
      'for change',
  );
}
