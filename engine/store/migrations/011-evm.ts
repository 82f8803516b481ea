/**
 * An account of an EVM chain: a swap has several transactions on it, so that a nonce belongs to the transaction that was signed with
 * it, and is made in the same commit. With it is kept what its queue goes by: when it has to be mined, what is saved by it
 * (sats), what it takes from the account, and what became of it. Of each HTLC the locks that touch hashes we watch, as its
 * logs told of them, by whichever RPC: two that contradict each other have a row each. `scanned` is the height up to which enough RPCs told
 * the same, and `agreed_height` the tip that they named then, with its time.
 */
export const sql = `
CREATE TABLE nonces_11 (
  network TEXT NOT NULL,
  account TEXT NOT NULL,
  nonce INTEGER NOT NULL CHECK (nonce >= 0),
  subject TEXT NOT NULL,
  purpose TEXT NOT NULL,
  reserved_at INTEGER NOT NULL,
  deadline INTEGER,
  value_sats TEXT NOT NULL,
  token TEXT,
  spender TEXT,
  amount TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'gone')),
  mined TEXT,
  ok INTEGER CHECK (ok IN (0, 1)),
  height INTEGER,
  cost TEXT,
  PRIMARY KEY (network, account, nonce)
) STRICT, WITHOUT ROWID;
INSERT INTO nonces_11 (network, account, nonce, subject, purpose, reserved_at, value_sats, state)
  SELECT network, account, nonce, subject, 'pay', reserved_at, '0', 'open' FROM nonces;

CREATE TABLE transactions_11 (
  txid TEXT PRIMARY KEY,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  subject TEXT NOT NULL,
  purpose TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('prepared', 'accepted', 'final', 'dead')),
  sealed BLOB,
  replaces TEXT REFERENCES transactions_11 (txid),
  account TEXT,
  nonce INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((account IS NULL) = (nonce IS NULL)),
  FOREIGN KEY (network, account, nonce) REFERENCES nonces_11 (network, account, nonce)
) STRICT, WITHOUT ROWID;
INSERT INTO transactions_11 SELECT * FROM transactions;
CREATE TABLE reserved_coins_11 (
  outpoint TEXT PRIMARY KEY,
  txid TEXT NOT NULL REFERENCES transactions_11 (txid)
) STRICT, WITHOUT ROWID;
INSERT INTO reserved_coins_11 SELECT * FROM reserved_coins;
DROP TABLE reserved_coins;
DROP TABLE transactions;
DROP TABLE nonces;
ALTER TABLE nonces_11 RENAME TO nonces;
ALTER TABLE transactions_11 RENAME TO transactions;
ALTER TABLE reserved_coins_11 RENAME TO reserved_coins;
CREATE INDEX nonces_open ON nonces (network, nonce) WHERE state = 'open';
CREATE INDEX transactions_subject ON transactions (subject);
CREATE INDEX transactions_nonce ON transactions (network, account, nonce) WHERE nonce IS NOT NULL;
CREATE INDEX reserved_coins_txid ON reserved_coins (txid);

CREATE TABLE evm_cursors (
  network TEXT NOT NULL,
  htlc BLOB NOT NULL,
  scanned INTEGER NOT NULL,
  agreed_height INTEGER,
  agreed_time INTEGER,
  PRIMARY KEY (network, htlc)
) STRICT, WITHOUT ROWID;
CREATE TABLE evm_hashes (
  network TEXT NOT NULL,
  htlc BLOB NOT NULL,
  hash BLOB NOT NULL,
  wanted TEXT NOT NULL,
  since INTEGER NOT NULL,
  others INTEGER NOT NULL DEFAULT 0,
  counted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (network, htlc, hash, wanted)
) STRICT, WITHOUT ROWID;
CREATE TABLE evm_locks (
  network TEXT NOT NULL,
  htlc BLOB NOT NULL,
  hash BLOB NOT NULL,
  height INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  txid TEXT NOT NULL,
  block_hash TEXT NOT NULL,
  key BLOB NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('created', 'redeemed', 'refunded')),
  body TEXT NOT NULL,
  depositor BLOB,
  PRIMARY KEY (network, htlc, height, log_index, txid, block_hash, key, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX evm_locks_hash ON evm_locks (network, htlc, hash);
`;
