export const sql = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE swaps (
  id TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  at TEXT NOT NULL,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  flag TEXT,
  user_id TEXT,
  value_sats INTEGER NOT NULL,
  terms TEXT NOT NULL,
  progress TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX swaps_open ON swaps (id) WHERE open = 1;
CREATE INDEX swaps_created ON swaps (created_at, id);
CREATE INDEX swaps_user ON swaps (user_id) WHERE user_id IS NOT NULL;

-- Every payment hash ever used, in the form that all directions share.
CREATE TABLE hashes (
  hash160 BLOB PRIMARY KEY,
  swap_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE preimages (
  hash160 BLOB PRIMARY KEY,
  sealed BLOB NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  next INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE effects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  due INTEGER NOT NULL,
  parked TEXT
) STRICT;
CREATE INDEX effects_subject ON effects (subject);

CREATE TABLE transactions (
  txid TEXT PRIMARY KEY,
  subject TEXT NOT NULL,
  purpose TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('prepared', 'accepted', 'final', 'dead')),
  sealed BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX transactions_subject ON transactions (subject);

-- A coin promised to a transaction that may still be sent.
CREATE TABLE reserved_coins (
  outpoint TEXT PRIMARY KEY,
  txid TEXT NOT NULL REFERENCES transactions (txid)
) STRICT, WITHOUT ROWID;
CREATE INDEX reserved_coins_txid ON reserved_coins (txid);

-- Liquidity promised to a swap that has not used it yet.
CREATE TABLE reservations (
  swap_id TEXT NOT NULL,
  network TEXT NOT NULL,
  sats INTEGER NOT NULL,
  PRIMARY KEY (swap_id, network)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  time INTEGER NOT NULL,
  event TEXT NOT NULL,
  was_at TEXT NOT NULL,
  at TEXT NOT NULL,
  effects TEXT NOT NULL
) STRICT;
CREATE INDEX journal_subject ON journal (subject);

CREATE TABLE ledger (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  time INTEGER NOT NULL,
  kind TEXT NOT NULL,
  amount_msat INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_subject ON ledger (subject);
CREATE INDEX ledger_time ON ledger (time);

CREATE TABLE developer_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  key_hash BLOB NOT NULL UNIQUE,
  max_extra_fee_bps INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
