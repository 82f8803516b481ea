/**
 * Coins of the node's own Arkade wallet, from the moment that a transaction of ours makes them or the operator first lists
 * them: one that leaves the operator for the chain is ours there, whether or not anybody lists it (facts/faults.md 56).
 * `signer` and `exit_delay` are what its script is made of beside our key. `mined_mtp` is median time past when it was
 * first seen in a block, `height` that of the tip then: null while it is with the operator.
 */
export const sql = `
CREATE TABLE own_coins (
  outpoint   TEXT PRIMARY KEY,
  amount     TEXT NOT NULL,
  signer     BLOB NOT NULL,
  exit_delay INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  unrolled   INTEGER NOT NULL DEFAULT 0 CHECK (unrolled IN (0, 1)),
  mined_mtp  INTEGER,
  height     INTEGER
) STRICT, WITHOUT ROWID;
`;
