import { greater, less, minus, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { chosenFrom, worthSpending } from './select.ts';
import { changeWaste, dustOf, feeUp, laterCost, sendSize } from './size.ts';
import type { WalletCoin } from './wallet-coin.ts';
import type { BumpRequest } from './wallet-port.ts';

/** Sats per virtual byte that a replacement pays for its own relay, on top of all that it replaces (BIP-125 rule 4). */
export const relayRate = 1;
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

/** What a payment is to be. */
export interface SendAsk {
  readonly script: Uint8Array;
  readonly amount: Sats;
  readonly changeScript: Uint8Array;
  readonly rate: number;
  /** The change must hold this: without it nothing is planned. */
  readonly leastChange?: Sats;
}

/**
 * The change at this fee rate, or none where it would cost more than it is worth: then all that is left goes to the
 * miner.
 */
function planOver(coins: readonly WalletCoin[], ask: SendAsk): SendPlan | null {
  const { changeScript, rate, leastChange } = ask;
  const { script, amount } = ask;
  const left = less(totalOf(coins), amount);
  const withChange = feeUp(sendSize(coins.length, [script, changeScript]), rate);
  if (left >= plus(withChange, leastChange ?? greater(dustOf(changeScript), laterCost(rate))))
    return { coins, change: minus(left, withChange), fee: withChange };
  return leastChange === undefined && left >= feeUp(sendSize(coins.length, [script]), rate) && totalOf(coins) > amount
    ? { coins, change: null, fee: left }
    : null;
}

/** Nothing comes back of these, and what they leave is less than change would cost. */
function planWithout(coins: readonly WalletCoin[], { script, amount, rate }: SendAsk): SendPlan | null {
  const left = less(totalOf(coins), amount);
  const least = feeUp(sendSize(coins.length, [script]), rate);
  return left >= least && left - least <= changeWaste(rate) ? { coins, change: null, fee: left } : null;
}

/**
 * The coins of a payment: those to keep in it, and beside them such as leave no change where there are any, else the
 * smallest single one that suffices, so that large coins stay whole, else as few as possible. A coin that costs more
 * than it brings stays where it is. Null when all of them together do not pay the amount and the fee. The same coins
 * make the same plan, in whatever order they are listed.
 */
export function planSend(
  coins: readonly WalletCoin[],
  { keep = [], ...ask }: SendAsk & { readonly keep?: readonly WalletCoin[] },
): SendPlan | null {
  if (keep.length > 0) {
    const plan = planOver(keep, ask);
    if (plan !== null) return plan;
  }
  const { script, amount, changeScript, rate, leastChange } = ask;
  const chosen = chosenFrom(coins, {
    outputs: [
      { script, amount },
      ...(leastChange === undefined ? [] : [{ script: changeScript, amount: leastChange }]),
    ],
    own: changeScript,
    rate,
    keep,
  });
  const exact = chosen?.exact === true && leastChange === undefined ? planWithout(chosen.coins, ask) : null;
  if (exact !== null) return exact;
  for (const coin of worthSpending(coins, rate, Infinity).reverse()) {
    const plan = planOver([...keep, coin], ask);
    if (plan !== null) return plan;
  }
  return planOver(chosen?.coins ?? [...keep, ...worthSpending(coins, rate)], ask);
}

/**
 * The same payment, its change cut into coins of these amounts and a rest: as many of them, the first first, as leave
 * the rest `leastChange` and the fee within `mostFee`.
 */
export function cutChange(
  plan: SendPlan & { readonly change: Sats },
  { script, changeScript, rate }: Pick<SendAsk, 'script' | 'changeScript' | 'rate'>,
  { pieces, leastChange, mostFee }: { pieces: readonly Sats[]; leastChange: Sats; mostFee: Sats },
): SendPlan & { readonly change: Sats; readonly pieces: readonly Sats[] } {
  const { coins } = plan;
  let cut: SendPlan & { change: Sats; pieces: readonly Sats[] } = { ...plan, pieces: [] };
  for (const piece of pieces) {
    const fee = feeUp(
      sendSize(coins.length, [script, changeScript, changeScript, ...cut.pieces.map(() => changeScript)]),
      rate,
    );
    const rest = less(plus(cut.change, cut.fee), plus(piece, fee));
    if (rest >= leastChange && fee <= mostFee) cut = { coins, change: rest, fee, pieces: [...cut.pieces, piece] };
  }
  return cut;
}

/** The most that these coins could pay at this rate, everything else going to the miner. */
export function mostSendable(coins: readonly WalletCoin[], script: Uint8Array, rate: number): Sats {
  const falling = worthSpending(coins, rate);
  let most = noSats;
  for (let count = 1; count <= falling.length; count++) {
    const payable = less(totalOf(falling.slice(0, count)), feeUp(sendSize(count, [script]), rate));
    if (payable > most) most = payable;
  }
  return most;
}

/**
 * The same payment from the same coins at a higher fee, taken from its change. Null when there is no room: no change,
 * or a fee above the most. Wrong: a fee that nodes refuse as too low, or one above what the owner allowed.
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
