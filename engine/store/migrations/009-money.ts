/**
 * Money of any asset: amounts are decimal text, for 10 ETH in wei do not fit 64 bits, and say in what they are counted;
 * `btc` in millisatoshis, on every network. A nonce of an account chain belongs to one subject, and every variant of its
 * transaction hangs on it. On which network an older transaction is follows from its job, or from what keeps it on the chain.
 */
export const sql = `
CREATE TABLE nonces (
  network TEXT NOT NULL,
  account TEXT NOT NULL,
  nonce INTEGER NOT NULL CHECK (nonce >= 0),
  subject TEXT NOT NULL,
  reserved_at INTEGER NOT NULL,
  UNIQUE (network, account, nonce),
  UNIQUE (network, account, subject)
) STRICT;

CREATE TABLE transactions_9 (
  txid TEXT PRIMARY KEY,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  subject TEXT NOT NULL,
  purpose TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('prepared', 'accepted', 'final', 'dead')),
  sealed BLOB,
  replaces TEXT REFERENCES transactions_9 (txid),
  account TEXT,
  nonce INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((account IS NULL) = (nonce IS NULL)),
  FOREIGN KEY (network, account, nonce) REFERENCES nonces (network, account, nonce)
) STRICT, WITHOUT ROWID;
INSERT INTO transactions_9 (txid, network, asset, subject, purpose, state, sealed, created_at, updated_at)
  SELECT txid,
    CASE WHEN subject IN (SELECT id FROM swaps WHERE machine IN ('withdraw-bitcoin', 'exit-arkade'))
      OR txid IN (SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.txid') END FROM effects
        WHERE CASE WHEN json_valid(body) THEN json_extract(body, '$.do') END IN ('chain.broadcast', 'onchain.broadcast'))
      THEN 'bitcoin' ELSE 'arkade' END,
    'btc', subject, purpose, state, sealed, created_at, updated_at
  FROM transactions;

CREATE TABLE reserved_coins_9 (
  outpoint TEXT PRIMARY KEY,
  txid TEXT NOT NULL REFERENCES transactions_9 (txid)
) STRICT, WITHOUT ROWID;
INSERT INTO reserved_coins_9 SELECT outpoint, txid FROM reserved_coins;
DROP TABLE reserved_coins;
DROP TABLE transactions;
ALTER TABLE transactions_9 RENAME TO transactions;
ALTER TABLE reserved_coins_9 RENAME TO reserved_coins;
CREATE INDEX transactions_subject ON transactions (subject);
CREATE INDEX transactions_nonce ON transactions (network, account, nonce) WHERE nonce IS NOT NULL;
CREATE INDEX reserved_coins_txid ON reserved_coins (txid);

CREATE TABLE reservations_9 (
  swap_id TEXT NOT NULL,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount TEXT NOT NULL,
  PRIMARY KEY (swap_id, network, asset)
) STRICT, WITHOUT ROWID;
INSERT INTO reservations_9 SELECT swap_id, network, 'btc', CAST(sats * 1000 AS TEXT) FROM reservations;
DROP TABLE reservations;
ALTER TABLE reservations_9 RENAME TO reservations;

CREATE TABLE ledger_9 (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  time INTEGER NOT NULL,
  kind TEXT NOT NULL,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount TEXT NOT NULL
) STRICT;
INSERT INTO ledger_9 (id, subject, time, kind, network, asset, amount)
  SELECT id, subject, time, kind,
    CASE kind WHEN 'lightning-fee-paid' THEN 'lightning' WHEN 'network-fee-paid' THEN 'bitcoin'
      WHEN 'fee-raise-paid' THEN 'bitcoin' ELSE 'arkade' END,
    'btc', CAST(amount_msat AS TEXT)
  FROM ledger ORDER BY id;
DROP TABLE ledger;
ALTER TABLE ledger_9 RENAME TO ledger;
CREATE INDEX ledger_subject ON ledger (subject);
CREATE INDEX ledger_time ON ledger (time);
`;
