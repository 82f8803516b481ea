import { less, minus, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { dustOf, feeUp, sendSize } from './size.ts';
import type { BumpRequest, WalletCoin } from './wallet-port.ts';

/** Sats per virtual byte that a replacement pays for its own relay, on top of all that it replaces (BIP-125 rule 4). */
const relayRate = 1;
/** More would make a transaction that no node relays. */
const mostInputs = 200;

/** What a payment takes and gives. */
export interface SendPlan {
  readonly coins: readonly WalletCoin[];
  /** Null when nothing worth an output is left. */
  readonly change: Sats | null;
  readonly fee: Sats;
}

function totalOf(coins: readonly WalletCoin[]): Sats {
  return sats(coins.reduce((sum, { amount }) => sum + amount, 0n));
}

/** The change at this fee rate, or none where it would be dust: then all that is left goes to the miner. */
function planOver(
  coins: readonly WalletCoin[],
  script: Uint8Array,
  amount: Sats,
  changeScript: Uint8Array,
  rate: number,
): SendPlan | null {
  const left = less(totalOf(coins), amount);
  const withChange = feeUp(sendSize(coins.length, [script, changeScript]), rate);
  if (left >= plus(withChange, dustOf(changeScript)))
    return { coins, change: minus(left, withChange), fee: withChange };
  return left >= feeUp(sendSize(coins.length, [script]), rate) && totalOf(coins) > amount
    ? { coins, change: null, fee: left }
    : null;
}

/**
 * The coins of a payment: those to keep in it, and beside them the smallest single one that suffices, so that large coins
 * stay whole, else as few as possible. Null when all of them together do not pay the amount and the fee.
 */
export function planSend(
  coins: readonly WalletCoin[],
  {
    script,
    amount,
    changeScript,
    rate,
    keep = [],
  }: { script: Uint8Array; amount: Sats; changeScript: Uint8Array; rate: number; keep?: readonly WalletCoin[] },
): SendPlan | null {
  if (keep.length > 0) {
    const plan = planOver(keep, script, amount, changeScript, rate);
    if (plan !== null) return plan;
  }
  const rising = [...coins].sort((a, b) =>
    a.amount === b.amount ? (outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1) : a.amount < b.amount ? -1 : 1,
  );
  for (const coin of rising) {
    const plan = planOver([...keep, coin], script, amount, changeScript, rate);
    if (plan !== null) return plan;
  }
  const falling = rising.reverse().slice(0, mostInputs - keep.length);
  for (let count = 2; count <= falling.length; count++) {
    const plan = planOver([...keep, ...falling.slice(0, count)], script, amount, changeScript, rate);
    if (plan !== null) return plan;
  }
  return null;
}

/** The most that these coins could pay at this rate, everything else going to the miner. */
export function mostSendable(coins: readonly WalletCoin[], script: Uint8Array, rate: number): Sats {
  const falling = [...coins].sort((a, b) => (a.amount < b.amount ? 1 : -1)).slice(0, mostInputs);
  let most = noSats;
  for (let count = 1; count <= falling.length; count++) {
    const payable = less(totalOf(falling.slice(0, count)), feeUp(sendSize(count, [script]), rate));
    if (payable > most) most = payable;
  }
  return most;
}

/**
 * The same payment from the same coins at a higher fee, taken from its change. Null when there is no room: no change, or
 * a fee above the most. Wrong: a fee that nodes refuse as too low, or one above what the owner allowed.
 */
export function planBump(
  { script, amount, replaces, leastRate, mostFee }: BumpRequest,
  changeScript: Uint8Array,
  rate: number,
): SendPlan | null {
  const { coins, change, fee } = replaces;
  if (change === null) return null;
  const left = less(totalOf(coins), amount);
  const size = sendSize(coins.length, [script, changeScript]);
  const least = leastRate > 0 ? plus(fee, feeUp(size, relayRate)) : noSats;
  const wished = feeUp(size, Math.max(rate, leastRate));
  const paid = wished < least ? least : wished;
  const limited = paid > mostFee && mostFee >= least ? mostFee : paid;
  if (limited > mostFee) return null;
  if (left >= plus(limited, dustOf(changeScript))) return { coins, change: minus(left, limited), fee: limited };
  // Without its change output it is smaller, and all that is left is its fee.
  return left >= least && left <= mostFee ? { coins, change: null, fee: left } : null;
}
