/** Milliseconds between two looks at what nobody tells of. */
const everyMs = {
  markets: 60_000,
  /** Watches are told of changes; the poll finds what they missed. */
  poll: 10_000,
  tip: 15_000,
  networks: 5_000,
  renewal: 600_000,
  trimming: 10_000,
  consolidation: 300_000,
  reconciliation: 15_000,
  /** Three looks at which a difference stands, and a reading of each wallet, are less than a minute. */
  books: 8_000,
  sandboxClock: 2_000,
};

/** The sandbox mines on request, and its user waits for every second. */
const sandboxMs: typeof everyMs = {
  ...everyMs,
  poll: 2_000,
  tip: 2_000,
  networks: 2_000,
  markets: 2_000,
  reconciliation: 2_000,
  books: 2_000,
};

export function intervalsOf(isSandbox: boolean): typeof everyMs {
  return isSandbox ? sandboxMs : everyMs;
}
