import { refuse, type Refusal } from '../domain/errors.ts';
import { minute, seconds, type Unix } from '../domain/time.ts';
import { sameBytes } from '../domain/hash.ts';
import { toHex } from '../domain/hex.ts';
import type { Call } from '../legs/evm/contracts.ts';
import type { DexQuote, DexRules } from './ports.ts';

const allBps = 10_000n;

/** Calls are made of no older quote: the pools have moved on. */
export const oldestQuote = seconds(minute);

export function tooOld(quote: DexQuote, now: Unix): boolean {
  return Math.abs(now - quote.asked) > oldestQuote;
}

/** More than this by there and back is a price that somebody moved: honest pools give less each time. */
const mostGainBps = 100n;
/** Less than this is a pool too thin for the amount: its fees, twice two hops, are at most four in a hundred. */
const mostLossBps = 1_000n;
/** What amounts so small lose by rounding alone. */
const crumbs = 4n;

/**
 * Judges a quote by the way back: what `amountOut` would buy at once. The pools on a way cannot agree on a gain, so one
 * shows a price that was moved, and a great loss shows that the amount itself moves it. Null where neither is.
 */
export function judgeBack({ amountIn, amountOut }: DexQuote, back: bigint): Refusal | null {
  if (amountOut === 0n) return tooThin();
  if (back > amountIn + crumbs + (amountIn * mostGainBps) / allBps)
    return refuse('unavailable', 'The pools of the exchange do not agree on a price now: try again later.');
  if (back + crumbs < amountIn - (amountIn * mostLossBps) / allBps) return tooThin();
  return null;
}

/**
 * Whether a call that a client sends back is one that the exchange's rules allow: other routers only widen what may be
 * called.
 */
export function judgeExchange({ target, value, data }: Call, { router, selectors }: DexRules): Refusal | null {
  if (sameBytes(target, router) && value === 0n && selectors.includes(toHex(data.subarray(0, 4)))) return null;
  return refuse(
    'invalid',
    'dex_calldata is no exchange of this node: send it as redeem-and-swap-calldata gave it, or leave it out.',
  );
}

export function tooThin(): Refusal {
  return refuse(
    'invalid',
    'The exchange has no price for this amount: ask for less, or for more where it is next to nothing.',
  );
}

export function noRoute(): Refusal {
  return refuse('invalid', 'There is no pool by which these tokens are exchanged: choose another token.');
}
