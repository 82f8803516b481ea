/**
 * What an alert is called where its sentence would say too much, and where alerts of one kind are counted: by how its
 * sentence begins or ends. `resources/docs/operate/alerts.md` says of each what to do.
 */
const kinds = {
  'database-unwritable': /^The database cannot be written/,
  'rescue-bundle-unwritten': /^The rescue bundle cannot be written/,
  'rescue-bundle-damaged': /^The rescue bundle at .* was not as it had been written/,
  'rescue-bundle-moved': / The node moved it to .*, and wrote the bundle anew\.$/,
  'bitcoin-clock': /New swaps over Bitcoin wait until then/,
  'bitcoin-source-stands-still': /^The Bitcoin source is at height/,
  'evm-rpcs-silent': /^Swaps above evm\.\d+\.agreeAboveSats wait/,
  'evm-closed': /New swaps over chain \d+ wait until then/,
  'evm-logs-missing': /^Too few RPCs of \S+ that answer keep the logs of blocks before/,
  'peg-unread': /^New swaps over the pegged token of \S+ stop: no price/,
  'peg-apart': /^New swaps over the pegged token of \S+ stop/,
  'peg-back': /^New swaps over the pegged token of \S+ go on/,
  'coins-not-renewed': /^\d+ coins of \d+ sats on Arkade are not renewed/,
  'exit-delay-raised': /^The Arkade operator raised its exit delay/,
  'renewal-dear': /^Renewing \d+ coins on Arkade cost/,
  'exit-withheld': /^The Arkade operator does not show how coin/,
  'exit-broken': /^The transactions that were saved to bring coin/,
  'exit-dear': /^Bringing coin \S+ of \d+ sats to the chain would cost/,
  'exit-begun': /^Coin \S+ of \d+ sats is brought to the chain now/,
  'books-differ': /^The books (and|of) \S+ do not agree/,
  'swap-stopped': /^An internal error stopped this swap/,
  'swap-unreadable': /^(This swap|Something that is owed to this swap) cannot be read/,
  'act-given-up': /^"[\w.]+" was given up/,
  'act-repeated': /^"[\w.]+" is tried again/,
} as const;

/** Whatever else a swap was flagged for; and what no kind fits, which is a kind that is missing here. */
export const alertNames = [...Object.keys(kinds), 'swap-flagged', 'other'] as readonly string[];

export function alertName(swap: string | null, sentence: string): string {
  const kind = Object.entries(kinds).find(([, pattern]) => pattern.test(sentence))?.[0];
  return kind ?? (swap === null ? 'other' : 'swap-flagged');
}

/** What is over by itself is told, and asks for nothing. */
export function severityOf(swap: string | null, sentence: string): 'info' | 'act' {
  return alertName(swap, sentence) === 'peg-back' ? 'info' : 'act';
}
