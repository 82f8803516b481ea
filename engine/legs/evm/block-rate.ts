/**
 * Seconds between blocks where a chain makes them at its fastest; chains 30 and 31 mine theirs, about two in a minute.
 */
const fastest: ReadonlyMap<number, number> = new Map([
  [1, 12],
  [137, 1],
  [42161, 0.25],
  [30, 20],
  [31, 20],
]);
/** Of a chain that is not listed. */
const usual = 12;

/**
 * Blocks that a chain, known by its number (EIP-155), makes in so many seconds at the most, rounded down. Too many: the
 * last RPC that answers can make a block look buried before it is (facts/faults.md 64); too few: what it tells counts
 * later.
 */
export function mostBlocksIn(chainId: number, seconds: number): number {
  return Math.floor(Math.max(0, seconds) / leastSecondsFor(chainId, 1));
}

/**
 * Seconds that a chain takes for so many blocks at the least. Too few: an RPC is called behind in a gap between blocks
 * (facts/faults.md 321).
 */
export function leastSecondsFor(chainId: number, blocks: number): number {
  return blocks * (fastest.get(chainId) ?? usual);
}
