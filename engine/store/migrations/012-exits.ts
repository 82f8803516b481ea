/**
 * What brings our coins to the chain without their operator (facts/arkade.md 49): transactions that were verified before they were saved,
 * each once for all coins that hang on it. `parents` are the outpoints that it spends, `exit_roots` those of them that are the chain's own.
 * By `expires_at` the operator may take the batch of the coin: it must have left before.
 */
export const sql = `
CREATE TABLE exit_transactions (
  txid    TEXT PRIMARY KEY,
  parents TEXT NOT NULL,
  bytes   BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE exit_roots (
  outpoint TEXT PRIMARY KEY,
  amount   TEXT NOT NULL,
  script   BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE exit_coins (
  outpoint TEXT PRIMARY KEY,
  amount   TEXT NOT NULL,
  script   BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX exit_coins_by_script ON exit_coins (script);
`;
