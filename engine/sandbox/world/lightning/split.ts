import { largestPartMsat, routeFee } from './network.ts';

/** lnd's own limits on splitting a payment. */
const smallestPartMsat = 10_000_000n;
export const mostParts = 16;

/**
 * The amounts that lnd sends, largest first: all of it where that goes, else halves of what is left until they go. What
 * was sent before it found no way for the rest stays sent, so that a payment can be under way that will never be whole.
 */
export function split(
  amountMsat: bigint,
  limits: { feeLimitMsat: bigint; largestMsat?: bigint | undefined; mostParts?: number | undefined },
): { readonly parts: readonly bigint[]; readonly whole: boolean } {
  const largest = smaller(limits.largestMsat ?? largestPartMsat, largestPartMsat);
  const most = limits.mostParts ?? mostParts;
  const parts: bigint[] = [];
  let budget = limits.feeLimitMsat;
  for (let left = amountMsat; left > 0n;) {
    let part = left;
    while (part > largest || routeFee(part) > budget) {
      part /= 2n;
      if (part < smallestPartMsat || parts.length + 1 >= most) return { parts, whole: false };
    }
    parts.push(part);
    budget -= routeFee(part);
    left -= part;
  }
  return { parts, whole: true };
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
