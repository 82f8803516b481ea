/** Open swaps are counted before the Bitcoin wallet spends a coin: from this index, not from a row of each. */
export const sql = `
DROP INDEX swaps_open;
CREATE INDEX swaps_open ON swaps (machine, status, id) WHERE open = 1;
`;
