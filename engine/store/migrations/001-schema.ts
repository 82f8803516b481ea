/** Every table of the node. From 0.1.0 on none of this changes: each step from here is a migration of its own. */
export const sql = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  next INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE developer_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  key_hash BLOB NOT NULL UNIQUE,
  max_extra_fee_bps INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Swaps and the owner's own acts. Terms and progress are text, or deflated text in a swap that was never funded and was
-- trimmed (facts/faults.md 53); each says in which version of its form it was saved. Rows are too long for a table
-- without rowid: a quarter of a page is all that such a table keeps beside each other, and the rest of each row takes a
-- page of its own.
CREATE TABLE swaps (
  id TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  at TEXT NOT NULL,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  trimmed INTEGER NOT NULL DEFAULT 0 CHECK (trimmed IN (0, 1)),
  flag TEXT,
  user_id TEXT,
  value_sats INTEGER NOT NULL,
  terms ANY NOT NULL,
  progress ANY NOT NULL,
  terms_version INTEGER NOT NULL,
  progress_version INTEGER NOT NULL
) STRICT;
CREATE INDEX swaps_open ON swaps (id) WHERE open = 1;
CREATE INDEX swaps_created ON swaps (created_at, id);
CREATE INDEX swaps_user ON swaps (user_id) WHERE user_id IS NOT NULL;
-- Swaps that may be trimmed, and those that were and could still be paid late: neither grows with the swaps that were
-- done.
CREATE INDEX swaps_trimmable ON swaps (created_at, id) WHERE open = 0 AND trimmed = 0 AND at IN ('lapsed', 'unopened');
CREATE INDEX swaps_trimmed ON swaps (id) WHERE trimmed = 1 AND at = 'lapsed';
-- However many swaps of others there are: a start compares versions with nothing else.
CREATE INDEX swaps_taken ON swaps (id, version, machine) WHERE substr(machine, 1, 5) = 'take-';

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

-- What a swap owes, in a queue for each of its legs. asked: how often it asked for this before, so that its pause goes
-- on growing over a restart.
CREATE TABLE effects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  leg TEXT NOT NULL CHECK (leg IN ('arkade', 'bitcoin', 'evm', 'lightning', 'order')),
  body TEXT NOT NULL,
  version INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  asked INTEGER NOT NULL DEFAULT 0,
  due INTEGER NOT NULL,
  parked TEXT
) STRICT;
CREATE INDEX effects_subject ON effects (subject, leg);

-- Acts that are noted before they are done and outlive the effect that told them: what carries the same hash is ours
-- only when our own intent came before it; in a database of before a refund's signature the swap stands as if it could
-- still be paid (facts/faults.md 5).
CREATE TABLE intents (
  act TEXT NOT NULL CHECK (act IN ('invoice', 'payment', 'refund')),
  subject TEXT NOT NULL,
  hash160 BLOB,
  PRIMARY KEY (act, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX intents_hash ON intents (hash160) WHERE hash160 IS NOT NULL;

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

-- Amounts of any asset are decimal text, for 10 ETH in wei do not fit 64 bits; btc is in millisatoshis on every
-- network.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  time INTEGER NOT NULL,
  kind TEXT NOT NULL,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount TEXT NOT NULL
) STRICT;
CREATE INDEX ledger_subject ON ledger (subject);
CREATE INDEX ledger_time ON ledger (time);

-- Liquidity promised to a swap that has not used it yet.
CREATE TABLE reservations (
  swap_id TEXT NOT NULL,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  amount TEXT NOT NULL,
  PRIMARY KEY (swap_id, network, asset)
) STRICT, WITHOUT ROWID;

-- A nonce of an account chain, made in the commit that signs with it: when it has to be mined, the sats that are saved
-- by it, what it takes from the account, and what became of it. Every variant of its transaction hangs on it.
CREATE TABLE nonces (
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
CREATE INDEX nonces_open ON nonces (network, nonce) WHERE state = 'open';

-- leg: that of the effect which prepared it; one that leaves Arkade is on the network of Bitcoin.
CREATE TABLE transactions (
  txid TEXT PRIMARY KEY,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  subject TEXT NOT NULL,
  leg TEXT NOT NULL CHECK (leg IN ('arkade', 'bitcoin', 'evm', 'lightning')),
  purpose TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('prepared', 'accepted', 'final', 'dead')),
  sealed BLOB,
  replaces TEXT REFERENCES transactions (txid),
  account TEXT,
  nonce INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((account IS NULL) = (nonce IS NULL)),
  FOREIGN KEY (network, account, nonce) REFERENCES nonces (network, account, nonce)
) STRICT, WITHOUT ROWID;
CREATE INDEX transactions_subject ON transactions (subject);
CREATE INDEX transactions_nonce ON transactions (network, account, nonce) WHERE nonce IS NOT NULL;

-- A coin promised to a transaction that may still be sent.
CREATE TABLE reserved_coins (
  outpoint TEXT PRIMARY KEY,
  txid TEXT NOT NULL REFERENCES transactions (txid)
) STRICT, WITHOUT ROWID;
CREATE INDEX reserved_coins_txid ON reserved_coins (txid);

-- Coins of the node's own Arkade wallet, from the moment that a transaction of ours makes them or the operator first
-- lists them: one that leaves the operator for the chain is ours there, whether or not anybody lists it
-- (facts/faults.md 56). signer and exit_delay are what its script is made of beside our key; mined_mtp is median time
-- past when it was first seen in a block, height that of the tip then.
CREATE TABLE own_coins (
  outpoint TEXT PRIMARY KEY,
  amount TEXT NOT NULL,
  signer BLOB NOT NULL,
  exit_delay INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  unrolled INTEGER NOT NULL DEFAULT 0 CHECK (unrolled IN (0, 1)),
  mined_mtp INTEGER,
  height INTEGER
) STRICT, WITHOUT ROWID;

-- What brings our coins to the chain without their operator (facts/arkade.md 49): transactions that were verified
-- before they were saved, each once for all coins that hang on it. parents are the outpoints that it spends, exit_roots
-- those of them that are the chain's own. By expires_at the operator may take the batch of the coin: it must have left
-- before.
CREATE TABLE exit_transactions (
  txid TEXT PRIMARY KEY,
  parents TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE exit_roots (
  outpoint TEXT PRIMARY KEY,
  amount TEXT NOT NULL,
  script BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE exit_coins (
  outpoint TEXT PRIMARY KEY,
  amount TEXT NOT NULL,
  script BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX exit_coins_by_script ON exit_coins (script);

-- Of each EVM HTLC the locks that are wanted, as its logs told of them by whichever RPC: two that contradict each other
-- have a row each. scanned is the height up to which enough RPCs told the same, agreed_height the tip that they named
-- then, with its time.
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

-- What the list of the owner's own swaps is found by, derived from the rows of swaps and never the truth of anything:
-- how each ended (null while it goes on), its networks, and the words that it is searched by. version is that of the
-- swap it was derived from, form the rule by which; a swap whose entry has others is listed anew at the next start.
CREATE TABLE taker_swaps (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  form INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  outcome TEXT,
  give TEXT NOT NULL,
  get TEXT NOT NULL
) STRICT;
CREATE INDEX taker_swaps_time ON taker_swaps (created_at, id, outcome, give, get);
CREATE INDEX taker_swaps_outcome ON taker_swaps (outcome, created_at, id, give, get);
CREATE TABLE taker_words (
  number INTEGER NOT NULL REFERENCES taker_swaps (number) ON DELETE CASCADE,
  word TEXT NOT NULL,
  PRIMARY KEY (number, word)
) STRICT, WITHOUT ROWID;
CREATE INDEX taker_words_word ON taker_words (word);

-- What our transactions cost for swaps that have brought no fee yet, with the names that their clients go by, and the
-- names under which a fee was paid before (facts/faults.md 67). place is the nonce or the purpose of a transaction: one
-- that is replaced costs once.
CREATE TABLE outlays (
  swap_id TEXT NOT NULL,
  network TEXT NOT NULL,
  place TEXT NOT NULL,
  time INTEGER NOT NULL,
  sats INTEGER NOT NULL,
  stranger INTEGER NOT NULL CHECK (stranger IN (0, 1)),
  PRIMARY KEY (swap_id, network, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX outlays_time ON outlays (time);
CREATE TABLE outlay_clients (
  swap_id TEXT NOT NULL,
  client TEXT NOT NULL,
  PRIMARY KEY (swap_id, client)
) STRICT, WITHOUT ROWID;
CREATE INDEX outlay_clients_client ON outlay_clients (client);
CREATE TABLE paid_clients (
  client TEXT PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
