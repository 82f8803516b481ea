import { claimSize } from './transactions.ts';
import type { ClaimPlan } from './claims.ts';
import type { FeeTrace } from './trace.ts';

/** Bid for the block after `tip`, with so many blocks left that can hold the claim; rates in sats per virtual byte. */
type Rule = (tip: number, left: number) => number;

/** Blocks that a rule looks back on: three hours to two days. */
const windows = [18, 36, 72, 144, 288] as const;
/** Share of claims that a rule lets come to its last blocks. */
const misses = [0.5, 0.2, 0.1, 0.03, 0.01, 0.003, 0.001] as const;
/** Last blocks, in which a claim bids a multiple of the dearest of the last few, whatever the day was like. */
const hurries = [3, 6, 12, 24] as const;
const multiples = [1, 1.25, 1.5, 2, 3] as const;
const lately = 3;
const mostLeft = 150;

/**
 * The best that somebody does who knows the blocks so far and none to come, of all rules of two families, each chosen
 * for this trace after it was played: bids that so many blocks like the last ones would take but for a share (as the
 * engine's), and the optimal stopping of a claim were the blocks to come draws from the last ones. A bid only rises, as
 * replacement wants it, and a rule that loses one claim is left out. Null where each loses one.
 */
export function bestRule(trace: FeeTrace, plans: readonly ClaimPlan[]): number | null {
  let best: number | null = null;
  for (const rule of rulesFor(trace))
    for (const hurry of hurries)
      for (const multiple of multiples) {
        const sum = playedBy(rule, { trace, plans, hurry, multiple, most: best ?? Number.POSITIVE_INFINITY });
        if (sum !== null) best = sum;
      }
  return best;
}

function* rulesFor({ blocks }: FeeTrace): Generator<Rule> {
  for (const window of windows) {
    const sorted = blocks.map((_, tip) =>
      Float64Array.from(blocks.slice(Math.max(0, tip + 1 - window), tip + 1), ({ rate }) => rate).sort(),
    );
    for (const miss of misses)
      yield (tip, left) => {
        const rates = sorted[tip] ?? new Float64Array();
        const chance = 1 - miss ** (1 / left);
        return rates[Math.min(rates.length - 1, Math.ceil(chance * rates.length))] ?? 1;
      };
    const bids = new Map<number, Float64Array>();
    yield (tip, left) => {
      const ofTip = bids.get(tip) ?? stoppingBids(sorted[tip] ?? new Float64Array());
      bids.set(tip, ofTip);
      return ofTip[Math.min(left, mostLeft)] ?? 1;
    };
  }
}

/** By the number of blocks left, the bid that costs least in the mean where each block is a draw from `rates`. */
function stoppingBids(rates: Float64Array): Float64Array {
  const bids = new Float64Array(mostLeft + 1);
  let cost = rates.at(-1) ?? 1;
  bids[1] = cost;
  for (let left = 2; left <= mostLeft; left++) {
    let [least, bid] = [Number.POSITIVE_INFINITY, 1];
    for (const [i, rate] of rates.entries()) {
      const chance = (i + 1) / rates.length;
      const mean = chance * rate + (1 - chance) * cost;
      if (mean < least) [least, bid] = [mean, rate];
    }
    cost = least;
    bids[left] = bid;
  }
  return bids;
}

interface Played {
  readonly trace: FeeTrace;
  readonly plans: readonly ClaimPlan[];
  readonly hurry: number;
  readonly multiple: number;
  /** Sum above which nobody asks any more. */
  readonly most: number;
}

/** Sum of the fees of all claims; null where one is lost, or the sum is not below `most`. */
function playedBy(rule: Rule, { trace: { blocks }, plans, hurry, multiple, most }: Played): number | null {
  let sum = 0;
  for (const { first, last } of plans) {
    let [bid, mined] = [1, false];
    for (let at = first; at <= last && !mined; at++) {
      const left = last - at + 1;
      bid = Math.max(bid, blocks[at - 1]?.minimum ?? 1, rule(at - 1, left));
      for (let back = 1; left <= hurry && back <= lately; back++)
        bid = Math.max(bid, multiple * (blocks[at - back]?.rate ?? 1));
      mined = bid >= (blocks[at]?.rate ?? Number.POSITIVE_INFINITY);
    }
    if (!mined) return null;
    sum += Math.ceil(bid * claimSize);
    if (sum >= most) return null;
  }
  return sum;
}
