/**
 * What our transactions cost for swaps that have brought no fee yet, with the names that their clients go by, and the names under which a fee
 * was paid before (facts/faults.md 67). `place` is the nonce or the purpose of a transaction: one that is replaced costs once.
 */
export const sql = `
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
