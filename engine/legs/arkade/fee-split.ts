import { less, lesser, minus, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import { relayRate } from '../onchain/send.ts';
import { dustOf, feeUp, sendSize } from '../onchain/size.ts';
import type { FeeCoin } from './exit-child.ts';

export interface FeeSplitAsk<C extends Pick<FeeCoin, 'amount'>> {
  /** Confirmed and promised to nothing. */
  readonly coins: readonly C[];
  /** Transactions without a fee that are ready, and that nothing pays for yet. */
  readonly ready: number;
  /** What the dearest of their ways costs from here on, at this rate. */
  readonly cost: Sats;
  /** Output script of the pieces. */
  readonly to: Uint8Array;
  /** Sats per virtual byte. */
  readonly rate: number;
  readonly mostFee: Sats;
  /** The fee of the split before, in whose place this one comes from the same coin; null for the first. */
  readonly replaces: Sats | null;
}

export interface FeeSplitPlan<C> {
  readonly coin: C;
  /** At least two, which with the fee are all of the coin. */
  readonly pieces: readonly Sats[];
  readonly fee: Sats;
}

/** Of one coin: the size of the split is paid at once, and more is not brought to the chain at once either. */
export const mostPieces = 24;
/** Fees rise while a way is gone: of a half more than it costs now, a piece still pays for all of it. */
const headroom = { of: 3n, in: 2n } as const;
/** A piece of so many times that is large enough: what is left stays together, for a funding needs a large coin. */
const enoughTimes = 4n;

/**
 * The coin to split so that each transaction that is ready finds a confirmed coin of its own: a version 3 child has one
 * unconfirmed parent, so that one coin pays for one of them a block (BIP 431). As many pieces as are wanted and can
 * each pay a whole way. Null where coins suffice, or where no two such pieces come of the largest. Wrong: timelocks
 * pass while ways stand in line, or fees for coins that nothing needs.
 */
export function planFeeSplit<C extends Pick<FeeCoin, 'amount'>>(ask: FeeSplitAsk<C>): FeeSplitPlan<C> | null {
  const { coins, ready, to, rate, mostFee, replaces } = ask;
  const useful = coins.filter(({ amount }) => amount >= plus(ask.cost, dustOf(to))).length;
  const [coin] = [...coins].sort((a, b) => (a.amount > b.amount ? -1 : a.amount < b.amount ? 1 : 0));
  if (coin === undefined || useful === 0 || (replaces === null && ready <= useful)) return null;
  const least = plus(sats((ask.cost * headroom.of + headroom.in - 1n) / headroom.in), dustOf(to));
  const most = Math.min(mostPieces, Math.max(2, ready - useful + 1));
  for (let count = most; count >= 2; count--) {
    const size = sendSize(
      1,
      Array.from({ length: count }, () => to),
    );
    const wanted = feeUp(size, Math.max(rate, relayRate));
    const raised = replaces === null ? noSats : plus(replaces, feeUp(size, relayRate));
    const fee = wanted < raised ? raised : wanted;
    const share = sats(less(coin.amount, fee) / BigInt(count));
    if (fee > mostFee || share < least) continue;
    const piece = lesser(share, sats(least * enoughTimes));
    const others = Array.from({ length: count - 1 }, () => piece);
    const rest = minus(minus(coin.amount, fee), others.reduce(plus, noSats));
    return { coin, pieces: [rest, ...others], fee };
  }
  return null;
}
